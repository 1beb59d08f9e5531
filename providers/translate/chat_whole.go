package translate

// chatCompletion is a whole reply.
type chatCompletion struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Created int64          `json:"created"`
	Model   string         `json:"model"`
	Choices []chatWhole    `json:"choices"`
	Usage   *chatUsageBody `json:"usage,omitempty"`
}

type chatWhole struct {
	Index    int        `json:"index"`
	Message  chatAnswer `json:"message"`
	Logprobs *struct{}  `json:"logprobs"`
	Finish   Reason     `json:"finish_reason"`
}

type chatAnswer struct {
	Role     Role       `json:"role"`
	Content  *string    `json:"content"`
	Refusal  *string    `json:"refusal"`
	Thinking string     `json:"reasoning_content,omitempty"`
	Calls    []chatCall `json:"tool_calls,omitempty"`
}

func (e *chatEncoder) whole(a Answer) any {
	e.begin(a.ID, a.Model)
	said := chatCompletion{ID: e.chunk.ID, Object: "chat.completion", Created: e.chunk.Created, Model: e.chunk.Model, Usage: chatUsageOf(a.Usage)}
	if len(a.Choices) == 0 {
		a.Choices = make([]AnswerChoice, 1) // callers look at the first
	}
	for i, c := range a.Choices {
		m := chatAnswer{Role: Assistant, Thinking: c.text(Thinks)}
		for _, b := range c.Blocks {
			if b.Kind == Calls {
				m.Calls = append(m.Calls, e.wholeCall(b))
			}
		}
		if text := c.text(Says); text != "" || m.Calls == nil {
			m.Content = &text
		}
		if refusal := c.text(Declines); refusal != "" {
			m.Refusal = &refusal
		}
		reason := c.Reason
		if reason == "" {
			reason = Stopped
		}
		said.Choices = append(said.Choices, chatWhole{Index: i, Message: m, Finish: reason})
	}
	return said
}

func (e *chatEncoder) wholeCall(b Block) chatCall {
	tool := e.q.tool(b.Name)
	call := chatCall{ID: b.ID, Type: "function", Extra: extraOf(b.Proof)}
	if tool.Free {
		call.Type, call.Custom = "custom", &chatCallCustom{tool.Said, unwrapFree(b.Text)}
	} else {
		call.Function = &chatCallFunction{tool.Said, b.Text}
	}
	return call
}

func extraOf(p Proof) *chatExtra {
	if p.Vendor != ByGoogle {
		return nil
	}
	var extra chatExtra
	extra.Google.Signature = p.Token
	return &extra
}
