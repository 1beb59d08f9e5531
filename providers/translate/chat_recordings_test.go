package translate

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// plainChat is a simple reading of a recording, by other means than the decoder's: the texts joined, and the calls.
type plainChat struct {
	thought, text, reason string
	calls                 []string // name and arguments
}

func TestChatTakesNoTranscriptionForAReply(t *testing.T) {
	others := 0
	for _, r := range recordings(t, "openai-chat") {
		if !bytes.Contains(r.Body, []byte(`"choices"`)) {
			others++
			if chat.decoder().body(r.Body, func(Piece) {}) {
				t.Errorf("%s is taken for a reply", r.File)
			}
		}
	}
	if others == 0 {
		t.Error("there is none")
	}
}

// readPlainly takes in a recording of chat completions.
func readPlainly(t *testing.T, r recording) (p plainChat) {
	t.Helper()
	type function struct{ Name, Arguments string }
	type message struct {
		Content          any
		ReasoningContent string `json:"reasoning_content"`
		Reasoning        string
		ToolCalls        []struct {
			Index    int
			Function function
		} `json:"tool_calls"`
	}
	type object struct {
		Choices []struct {
			Delta, Message message
			FinishReason   string `json:"finish_reason"`
		}
	}
	var objects []object
	take := func(data []byte) {
		var o object
		if err := json.Unmarshal(data, &o); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	if !r.Stream {
		take(r.Body)
	} else {
		for line := range strings.Lines(string(r.Body)) {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok && data != "[DONE]" {
				take([]byte(data))
			}
		}
	}
	calls := map[int]*function{}
	for _, o := range objects {
		for _, c := range o.Choices {
			for _, m := range []message{c.Delta, c.Message} {
				p.thought += m.ReasoningContent + m.Reasoning
				switch content := m.Content.(type) {
				case string:
					p.text += content
				case []any:
					for _, part := range content {
						part := part.(map[string]any)
						if text, ok := part["text"].(string); ok {
							p.text += text
						}
						for _, inner := range asList(part["thinking"]) {
							p.thought += inner.(map[string]any)["text"].(string)
						}
					}
				}
				for i, call := range m.ToolCalls {
					at := max(call.Index, i)
					if calls[at] == nil {
						calls[at] = &function{}
					}
					calls[at].Name += call.Function.Name
					calls[at].Arguments += call.Function.Arguments
				}
			}
			p.reason += c.FinishReason
		}
	}
	for i := range len(calls) {
		p.calls = append(p.calls, calls[i].Name+" "+calls[i].Arguments)
	}
	return p
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// plainly is an answer in the same terms.
func plainly(a Answer) (p plainChat) {
	for _, c := range a.Choices {
		p.thought += c.text(Thinks)
		p.text += c.text(Says)
		p.reason += string(c.Reason)
		for _, b := range c.Blocks {
			if b.Kind == Calls {
				p.calls = append(p.calls, b.Name+" "+b.Text)
			}
		}
	}
	return p
}

func TestChatDecodesWhatWasRecorded(t *testing.T) {
	for _, r := range replies(t, "openai-chat") {
		t.Run(r.File, func(t *testing.T) {
			a := gather(r.pieces(t, chat))
			if got, want := plainly(a), readPlainly(t, r); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if a.Usage == nil || a.Usage.Input != r.Input || a.Usage.Output != r.Output {
				t.Errorf("usage is %+v, want %d and %d", a.Usage, r.Input, r.Output)
			}
			if a.ID == "" || a.Model == "" {
				t.Errorf("no id or model: %q, %q", a.ID, a.Model)
			}
			for _, c := range a.Choices {
				for _, b := range c.Blocks {
					if b.Kind == Calls && b.ID == "" {
						t.Error("a call has no id")
					}
				}
			}
		})
	}
}

func TestChatDecodesTheSameCutAtEveryByte(t *testing.T) {
	mustDecodeTheSameCut(t, "openai-chat", chat)
}

// A caller of the dialect is told what the provider said: decoding what they are told gives the same answer.
func TestChatTellsWhatItDecoded(t *testing.T) {
	for _, r := range replies(t, "openai-chat") {
		t.Run(r.File, func(t *testing.T) {
			list := r.pieces(t, chat)
			want := gather(list)
			for i := range want.Choices { // a thought is told in the one field that most know, in front
				want.Choices[i].Blocks = slices.DeleteFunc(want.Choices[i].Blocks, func(b Block) bool { return b.Kind == Thinks && b.Text == "" })
				for k := range want.Choices[i].Blocks {
					if b := &want.Choices[i].Blocks[k]; b.Kind == Thinks {
						b.Proof = Proof{ByChat, chatThinking}
					}
				}
			}
			q := &Request{UsageAsked: true}
			stream := recording{Stream: true, Body: told(chat.encoder(q, ReplyOptions{}), list)}
			if got := gather(stream.pieces(t, chat)); !reflect.DeepEqual(got, want) {
				t.Errorf("as a stream:\ngot  %+v\nwant %+v", got, want)
			}
			body := recording{Body: whole(t, chat.encoder(q, ReplyOptions{}), list)}
			if got := gather(body.pieces(t, chat)); !reflect.DeepEqual(got, want) {
				t.Errorf("whole:\ngot  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestChatTellsEachEventAtOnce(t *testing.T) {
	mustTellAtOnce(t, "openai-chat", chat, func(p Piece) bool { return p.Kind == Figures || p.Kind == Proves })
}
