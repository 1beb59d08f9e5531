package translate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// plainMessage is a simple reading of a recording, by other means than the decoder's.
type plainMessage struct {
	text, thought, reason, stop string
	calls                       []string // name and arguments
}

type plainBlock struct {
	Type, Text, Thinking, Name string
	Input                      any
}

// readMessagesPlainly takes in a recording of Anthropic's. Blocks are kept by their index and by the message that they
// came in, as one recording begins twice.
func readMessagesPlainly(t *testing.T, r recording) (p plainMessage) {
	t.Helper()
	var blocks []*plainBlock
	arguments := map[*plainBlock]string{}
	end := func(reason string, sequence any) {
		if reason != "" {
			p.reason = reason
		}
		if s, ok := sequence.(string); ok {
			p.stop = s
		}
	}
	if !r.Stream {
		var m struct {
			Content []*plainBlock
			Reason  string `json:"stop_reason"`
			Stop    any    `json:"stop_sequence"`
		}
		if err := json.Unmarshal(r.Body, &m); err != nil {
			t.Fatal(err)
		}
		blocks = m.Content
		end(m.Reason, m.Stop)
	} else {
		begun := map[int]*plainBlock{}
		for line := range strings.Lines(string(r.Body)) {
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var e struct {
				Type  string
				Index int
				Block *plainBlock `json:"content_block"`
				Delta struct {
					Type, Text, Thinking string
					JSON                 string `json:"partial_json"`
					Reason               string `json:"stop_reason"`
					Stop                 any    `json:"stop_sequence"`
				}
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			switch e.Type {
			case "content_block_start":
				begun[e.Index] = e.Block
				blocks = append(blocks, e.Block)
			case "content_block_delta":
				b := begun[e.Index]
				b.Text += e.Delta.Text
				b.Thinking += e.Delta.Thinking
				arguments[b] += e.Delta.JSON
			case "message_delta":
				end(e.Delta.Reason, e.Delta.Stop)
			}
		}
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			p.text += b.Text
		case "thinking":
			p.thought += b.Thinking
		case "tool_use":
			if arguments[b] == "" {
				whole, _ := json.Marshal(b.Input)
				arguments[b] = string(whole)
			}
			p.calls = append(p.calls, b.Name+" "+sameJSON(arguments[b]))
		}
	}
	return p
}

// sameJSON writes JSON in one way; what is none stays as it is.
func sameJSON(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// reasonsOfMessages are what Anthropic's reasons are in the middle form.
var reasonsOfMessages = map[string]Reason{
	"end_turn": Stopped, "stop_sequence": Stopped, "tool_use": ToCalls, "max_tokens": Length, "refusal": Filtered,
	"pause_turn": Stopped, "compaction": Stopped, "model_context_window_exceeded": Length,
}

func TestMessagesDecodesWhatWasRecorded(t *testing.T) {
	for _, r := range recordings(t, "anthropic") {
		t.Run(r.File, func(t *testing.T) {
			a := gather(r.pieces(t, messages))
			want := readMessagesPlainly(t, r)
			if len(a.Choices) != 1 {
				t.Fatalf("%d choices", len(a.Choices))
			}
			c := a.Choices[0]
			got := plainMessage{text: c.text(Says), thought: c.text(Thinks), reason: want.reason, stop: c.Stop}
			for _, b := range c.Blocks {
				if b.Kind == Calls {
					got.calls = append(got.calls, b.Name+" "+sameJSON(b.Text))
					if b.ID == "" {
						t.Error("a call has no id")
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if c.Reason != reasonsOfMessages[want.reason] {
				t.Errorf("%q became %q", want.reason, c.Reason)
			}
			if a.Usage == nil || a.Usage.Input != r.Input || a.Usage.Output != r.Output {
				t.Errorf("usage is %+v, want %d and %d", a.Usage, r.Input, r.Output)
			}
			if a.ID == "" || a.Model == "" {
				t.Errorf("no id or model: %q, %q", a.ID, a.Model)
			}
		})
	}
}

func TestMessagesDecodesTheSameCutAtEveryByte(t *testing.T) {
	mustDecodeTheSameCut(t, "anthropic", messages)
}

// A caller of the dialect is told what the provider said: decoding what they are told gives the same answer.
func TestMessagesTellsWhatItDecoded(t *testing.T) {
	for _, r := range recordings(t, "anthropic") {
		t.Run(r.File, func(t *testing.T) {
			list := r.pieces(t, messages)
			want := gather(list)
			if slices.ContainsFunc(list, func(p Piece) bool { return p.Kind == Calls }) && want.Choices[0].Reason == Stopped {
				want.Choices[0].Reason = ToCalls // for clients look at the reason alone
			}
			stream := recording{Stream: true, Body: told(messages.encoder(&Request{}, ReplyOptions{}), list)}
			if got := gather(stream.pieces(t, messages)); !reflect.DeepEqual(got, want) {
				t.Errorf("as a stream:\ngot  %+v\nwant %+v", got, want)
			}
			for i, b := range want.Choices[0].Blocks { // a call that broke off is no object, and put into one
				if b.Kind == Calls && !json.Valid([]byte(b.Text)) {
					want.Choices[0].Blocks[i].Text = string(asObject(b.Text))
				}
			}
			body := recording{Body: whole(t, messages.encoder(&Request{}, ReplyOptions{}), list)}
			got := gather(body.pieces(t, messages))
			for _, a := range []Answer{got, want} {
				for i, b := range a.Choices[0].Blocks {
					if b.Kind == Calls {
						a.Choices[0].Blocks[i].Text = sameJSON(b.Text)
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("whole:\ngot  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestMessagesTellsEachEventAtOnce(t *testing.T) {
	mustTellAtOnce(t, "anthropic", messages, func(p Piece) bool { return p.Kind == Figures || p.Kind == Finish || p.Kind == Thinks && p.Text == "" })
}
