package translate

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// The blocks of content that stand in requests alone.
type (
	messagesRedacted struct {
		Type string `json:"type"` // redacted_thinking
		Data string `json:"data"`
	}
	messagesResult struct {
		Type    string `json:"type"` // tool_result
		ID      string `json:"tool_use_id"`
		Content []any  `json:"content,omitempty"`
		Failed  bool   `json:"is_error,omitempty"`
	}
	messagesMedium struct {
		Type   string         `json:"type"` // image, document
		Source messagesSource `json:"source"`
		Title  string         `json:"title,omitempty"`
	}
	messagesSource struct {
		Type      string `json:"type"` // base64, text, url
		MediaType string `json:"media_type,omitempty"`
		Data      string `json:"data,omitempty"`
		URL       string `json:"url,omitempty"`
	}
)

// messagesTurns makes the turns that Anthropic takes out of messages. Each turn is another one's than the turn before. In
// the assistant's, calls come last, and in the user's, what they gave comes first: behind a call nothing may stand but
// its result. https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
type messagesTurns struct {
	*writing
	system []any // all that was said as the system, wherever: https://platform.claude.com/docs/en/api/openai-sdk does so, too
	turns  []messagesTurn
	ids    names
}

type messagesTurn struct {
	role        Role
	first, last []any
}

func (t *messagesTurns) add(i int, msg Message) {
	for j, p := range msg.Parts {
		path := fmt.Sprintf("messages[%d].content[%d]", i, j)
		switch {
		case msg.Role == System:
			if p.Kind != Text {
				t.refuse(path, "the model takes nothing but text from the system")
			}
			t.system = append(t.system, words(p.Text)...)
		case p.Kind == Call:
			turn := t.of(Assistant)
			turn.last = append(turn.last, messagesCall{"tool_use", t.id(p.ID), p.Name, asObject(p.Arguments)})
		case p.Kind == Result:
			result := messagesResult{Type: "tool_result", ID: t.id(p.ID), Failed: p.Failed}
			for _, p := range p.Content {
				result.Content = append(result.Content, t.block(path, p)...)
			}
			turn := t.of(User)
			turn.first = append(turn.first, result)
		default:
			if blocks := t.block(path, p); len(blocks) > 0 {
				turn := t.of(msg.Role)
				if msg.Role == Assistant {
					turn.first = append(turn.first, blocks...)
				} else {
					turn.last = append(turn.last, blocks...)
				}
			}
		}
	}
}

// of is the turn to go on with: the last one, or a new one where that is another's.
func (t *messagesTurns) of(role Role) *messagesTurn {
	if n := len(t.turns); n == 0 || t.turns[n-1].role != role {
		t.turns = append(t.turns, messagesTurn{role: role})
	}
	return &t.turns[len(t.turns)-1]
}

// done are the turns. The first one must be the user's: where the system alone speaks, its words are. If the last one is the
// assistant's, it must not end in white space.
func (t *messagesTurns) done() (list []messagesMessage) {
	switch {
	case len(t.turns) == 0 && len(t.system) > 0:
		list, t.system = []messagesMessage{{User, t.system}}, nil
	case len(t.turns) > 0 && t.turns[0].role == Assistant:
		list = []messagesMessage{{User, words(opening)}}
	}
	for _, turn := range t.turns {
		list = append(list, messagesMessage{turn.role, append(turn.first, turn.last...)})
	}
	if n := len(list); n > 0 && list[n-1].Role == Assistant {
		content := list[n-1].Content
		if text, ok := content[len(content)-1].(messagesText); ok {
			text.Text = strings.TrimRight(text.Text, " \t\r\n")
			content[len(content)-1] = text
		}
	}
	return list
}

// words is a text as blocks: none, where there is nothing but white space, which Anthropic refuses.
func words(text string) []any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []any{messagesText{"text", text}}
}

// block writes one part; nothing where it has nothing to tell here.
func (t *messagesTurns) block(path string, p Part) []any {
	switch p.Kind {
	case Text, Refusal:
		return words(p.Text)
	case Image:
		if p.Detail != "" && p.Detail != "auto" {
			t.leave("detail")
		}
		return []any{messagesMedium{Type: "image", Source: sourceOf(p)}}
	case File:
		return t.file(path, p)
	case Thought:
		switch p.Proof.Vendor {
		case ByAnthropic:
			return []any{messagesThought{"thinking", p.Text, p.Proof.Token}}
		case HiddenByAnthropic:
			return []any{messagesRedacted{"redacted_thinking", p.Proof.Token}}
		}
		return nil // Anthropic takes none but its own
	case Audio:
		t.refuse(path, "the model does not hear")
	default:
		t.refuse(path, "it does not belong there")
	}
	return nil
}

func sourceOf(p Part) messagesSource {
	if p.URL != "" {
		return messagesSource{Type: "url", URL: p.URL}
	}
	return messagesSource{Type: "base64", MediaType: p.MIME, Data: p.Data}
}

// file writes a document. Of an address it is not known what is there; Anthropic looks for PDF alone.
func (t *messagesTurns) file(path string, p Part) []any {
	document := messagesMedium{Type: "document", Source: sourceOf(p), Title: p.Name}
	switch {
	case p.URL != "", p.MIME == "application/pdf":
	case strings.HasPrefix(p.MIME, "text/"):
		text, err := base64.StdEncoding.DecodeString(p.Data)
		if err != nil {
			t.refuse(path, "its data is not base64")
		}
		document.Source = messagesSource{Type: "text", MediaType: "text/plain", Data: string(text)}
	default:
		t.refuse(path, "of files, the model takes PDF and text")
	}
	return []any{document}
}

// id is the id of a tool call as Anthropic takes it, ^[a-zA-Z0-9_-]+$: always the same one to the same call, and never one to
// two.
func (t *messagesTurns) id(said string) string { return t.ids.of("", cmp.Or(said, "call")) }

// thinksFirst tells whether the assistant's last turn begins with a thought.
func thinksFirst(turns []messagesMessage) bool {
	for _, turn := range slices.Backward(turns) {
		if turn.Role == Assistant {
			switch turn.Content[0].(type) {
			case messagesThought, messagesRedacted:
				return true
			}
			return false
		}
	}
	return true // there is none
}

// inToolCalls tells whether what the user says last are results.
func inToolCalls(turns []messagesMessage) bool {
	if len(turns) == 0 {
		return false
	}
	_, ok := turns[len(turns)-1].Content[0].(messagesResult)
	return ok
}
