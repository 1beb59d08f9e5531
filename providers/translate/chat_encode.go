package translate

import (
	"maps"
	"slices"

	"perdiem/providers/wire"
)

// chatEncoder tells a reply to a caller.
type chatEncoder struct {
	q       *Request
	chunk   chatChunk
	choices []*chatTold
	usage   *Usage
}

// chatTold is what was told of one choice.
type chatTold struct {
	free     map[int]*freeText // the calls of tools that take free text
	begun    bool              // its role was told
	called   bool
	signed   string // the last call's proof
	finished bool
}

// chatChunk is one event of a stream.
type chatChunk struct {
	ID      string            `json:"id"`
	Object  string            `json:"object"`
	Created int64             `json:"created"`
	Model   string            `json:"model"`
	Choices []chatChunkChoice `json:"choices"`
	Usage   *chatUsageBody    `json:"usage,omitempty"`
}

type chatChunkChoice struct {
	Index    int       `json:"index"`
	Delta    chatDelta `json:"delta"`
	Logprobs *struct{} `json:"logprobs"`
	Finish   *Reason   `json:"finish_reason"`
}

type chatDelta struct {
	Role     Role       `json:"role,omitempty"`
	Content  *string    `json:"content,omitempty"`
	Thinking string     `json:"reasoning_content,omitempty"`
	Refusal  string     `json:"refusal,omitempty"`
	Calls    []chatCall `json:"tool_calls,omitempty"`
}

type chatUsageBody struct {
	Prompt     int64         `json:"prompt_tokens"`
	Completion int64         `json:"completion_tokens"`
	Total      int64         `json:"total_tokens"`
	In         inputDetails  `json:"prompt_tokens_details"`
	Out        outputDetails `json:"completion_tokens_details"`
}

// inputDetails and outputDetails are the parts of usage that both of OpenAI's dialects tell.
type inputDetails struct {
	Cached int64 `json:"cached_tokens"`
}

type outputDetails struct {
	Reasoning int64 `json:"reasoning_tokens"`
}

func chatUsageOf(u *Usage) *chatUsageBody {
	if u == nil {
		return nil
	}
	return &chatUsageBody{u.Input, u.Output, u.Input + u.Output, inputDetails{u.CacheRead}, outputDetails{u.Reasoning}}
}

func newChatEncoder(q *Request, o ReplyOptions) encoder {
	e := &chatEncoder{q: q}
	e.chunk = chatChunk{ID: o.ID, Object: "chat.completion.chunk", Created: o.Now, Model: q.Model, Choices: make([]chatChunkChoice, 1)}
	return e
}

func (e *chatEncoder) piece(dst []byte, p Piece) []byte {
	switch p.Kind {
	case Begin:
		e.begin(p.ID, p.Model)
		return e.choice(dst, 0, chatDelta{Content: new(string)}, nil)
	case Says:
		return e.choice(dst, p.Choice, chatDelta{Content: &p.Text}, nil)
	case Thinks:
		return e.choice(dst, p.Choice, chatDelta{Thinking: p.Text}, nil)
	case Declines:
		return e.choice(dst, p.Choice, chatDelta{Refusal: p.Text}, nil)
	case Calls:
		return e.call(dst, p)
	case Arguments:
		return e.arguments(dst, p)
	case Proves:
		if t := e.told(p.Choice); p.Proof.Vendor == ByGoogle && t.called && t.signed != p.Proof.Token {
			call := chatCall{Index: &p.Call, Extra: extraOf(p.Proof)}
			if t.free[p.Call] != nil {
				call.Custom = &chatCallCustom{}
			} else {
				call.Function = &chatCallFunction{} // the AI SDK takes no piece of a call without one
			}
			return e.choice(dst, p.Choice, chatDelta{Calls: []chatCall{call}}, nil)
		}
	case Finish:
		return e.finish(dst, p.Choice, p.Reason)
	case Figures:
		e.usage = &p.Usage
	case Fails:
		return append(dst, wire.Chat.ErrorEvent(p.Failure)...)
	case End:
		return e.end(dst)
	}
	return dst
}

func (e *chatEncoder) begin(id, model string) {
	if id != "" {
		e.chunk.ID = id
	}
	if model != "" {
		e.chunk.Model = model
	}
}

func (e *chatEncoder) told(choice int) *chatTold {
	for len(e.choices) <= choice {
		e.choices = append(e.choices, &chatTold{})
	}
	return e.choices[choice]
}

// choice writes an event about one choice; its first one names the role.
func (e *chatEncoder) choice(dst []byte, index int, delta chatDelta, finish *Reason) []byte {
	if t := e.told(index); !t.begun {
		t.begun, delta.Role = true, Assistant
	}
	e.chunk.Choices[0] = chatChunkChoice{Index: index, Delta: delta, Finish: finish}
	return appendEvent(dst, "", &e.chunk)
}

func (e *chatEncoder) call(dst []byte, p Piece) []byte {
	call := chatCall{Index: &p.Call, ID: p.ID, Type: "function", Extra: extraOf(p.Proof)} // there, as the AI SDK looks for it nowhere else
	tool := e.q.tool(p.Name)
	if tool.Free {
		call.Type, call.Custom = "custom", &chatCallCustom{Name: tool.Said}
	} else {
		call.Function = &chatCallFunction{Name: tool.Said}
	}
	dst = e.choice(dst, p.Choice, chatDelta{Calls: []chatCall{call}}, nil)
	t := e.told(p.Choice)
	t.called, t.signed = true, p.Proof.Token
	if tool.Free {
		if t.free == nil {
			t.free = map[int]*freeText{}
		}
		t.free[p.Call] = &freeText{}
	}
	return dst
}

func (e *chatEncoder) arguments(dst []byte, p Piece) []byte {
	free := e.told(p.Choice).free[p.Call]
	if free == nil {
		return e.choice(dst, p.Choice, chatDelta{Calls: []chatCall{{Index: &p.Call, Function: &chatCallFunction{Arguments: p.Text}}}}, nil)
	}
	return e.input(dst, p.Choice, p.Call, free.add(p.Text))
}

// input tells a piece of a tool's free text.
func (e *chatEncoder) input(dst []byte, choice, call int, text string) []byte {
	if text == "" {
		return dst
	}
	return e.choice(dst, choice, chatDelta{Calls: []chatCall{{Index: &call, Custom: &chatCallCustom{Input: text}}}}, nil)
}

func (e *chatEncoder) finish(dst []byte, choice int, reason Reason) []byte {
	t := e.told(choice)
	for _, call := range slices.Sorted(maps.Keys(t.free)) {
		dst = e.input(dst, choice, call, t.free[call].end())
	}
	t.finished = true
	return e.choice(dst, choice, chatDelta{}, &reason)
}

// end finishes what the provider ended without a reason, tells the usage to who asked for it, and ends the stream.
func (e *chatEncoder) end(dst []byte) []byte {
	e.told(0)
	for index, t := range e.choices {
		switch {
		case t.finished, index > 0 && !t.begun:
		case t.called:
			dst = e.finish(dst, index, ToCalls)
		default:
			dst = e.finish(dst, index, Stopped)
		}
	}
	if e.usage != nil && e.q.UsageAsked {
		e.chunk.Choices, e.chunk.Usage = []chatChunkChoice{}, chatUsageOf(e.usage)
		dst = appendEvent(dst, "", &e.chunk)
	}
	return append(dst, "data: [DONE]\n\n"...)
}
