package translate

import "cmp"

// The objects that replies and their events are made of.
type (
	messagesReply struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"` // message
		Role     Role              `json:"role"`
		Model    string            `json:"model"`
		Content  []any             `json:"content"`
		Reason   *string           `json:"stop_reason"`
		Sequence *string           `json:"stop_sequence"`
		Usage    messagesUsageSaid `json:"usage"`
	}
	messagesTyped struct {
		Type string `json:"type"`
	}
	messagesStarted struct {
		Type    string        `json:"type"`
		Message messagesReply `json:"message"`
	}
	messagesBlockStart struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	messagesBlockDelta struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta any    `json:"delta"`
	}
	messagesBlockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	messagesTextDelta struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	messagesThoughtDelta struct {
		Type     string `json:"type"`
		Thinking string `json:"thinking"`
	}
	messagesProofDelta struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	messagesArgumentsDelta struct {
		Type string `json:"type"`
		JSON string `json:"partial_json"`
	}
	messagesDelta struct {
		Type  string            `json:"type"`
		Delta messagesStopped   `json:"delta"`
		Usage messagesUsageSaid `json:"usage"`
	}
	messagesStopped struct {
		Reason   string  `json:"stop_reason"`
		Sequence *string `json:"stop_sequence"`
	}
)

// message is a reply in which nothing is said yet. It has usage all the same, as clients look for it at once.
func (e *messagesEncoder) message(id, model string) messagesReply {
	return messagesReply{
		ID: cmp.Or(id, e.options.ID), Type: "message", Role: Assistant, Model: cmp.Or(model, e.request.Model),
		Content: []any{}, Usage: sayMessagesUsage(e.usage),
	}
}

func (e *messagesEncoder) whole(a Answer) any {
	m := e.message(a.ID, a.Model)
	var c AnswerChoice
	if len(a.Choices) > 0 {
		c = a.Choices[0]
	}
	calls := false
	for _, b := range c.Blocks {
		switch b.Kind {
		case Calls:
			calls = true
			m.Content = append(m.Content, messagesCall{"tool_use", b.ID, e.request.tool(b.Name).Said, asObject(b.Text)})
		case Thinks:
			m.Content = append(m.Content, messagesThought{"thinking", b.Text, b.Proof.mark(ByAnthropic)})
		default:
			m.Content = append(m.Content, messagesText{"text", b.Text})
		}
	}
	reason := messagesReason(c.Reason, c.Stop, calls)
	m.Reason = &reason
	if reason == "stop_sequence" {
		m.Sequence = &c.Stop
	}
	if a.Usage != nil {
		m.Usage = sayMessagesUsage(*a.Usage)
	}
	return m
}

// jsonEnd follows JSON that comes in pieces, to tell when it is whole. Of a number or a word that any piece may end. The zero
// value is ready.
type jsonEnd struct {
	depth                  int
	begun, quoted, escaped bool
}

func (j *jsonEnd) add(piece string) {
	for i := range len(piece) {
		c := piece[i]
		j.begun = j.begun || c > ' '
		switch {
		case j.escaped:
			j.escaped = false
		case j.quoted:
			j.escaped = c == '\\'
			j.quoted = c != '"'
		case c == '"':
			j.quoted = true
		case c == '{', c == '[':
			j.depth++
		case c == '}', c == ']':
			j.depth--
		}
	}
}

func (j *jsonEnd) whole() bool { return j.begun && j.depth <= 0 && !j.quoted }
