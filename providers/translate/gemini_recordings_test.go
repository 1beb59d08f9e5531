package translate

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// plainGemini is a simple reading of a recording, by other means than the decoder's.
type plainGemini struct {
	text, reason string
	calls        []string // name and arguments
	proofs       []string
}

// piecedCalls are the calls that were recorded in pieces, put together by hand.
var piecedCalls = map[string][]string{
	"gemini/google-stream-tool-call-arguments.sse": {`getWeather {"location":"Boston"}`, `getWeather {"location":"San Francisco"}`},
	"gemini/google-stream-tool-call-array-arguments-missing-terminal-function-call.sse": {
		`writeItems {"operations":[{"action":"add","description":"Fresh red apple","itemid":"apple_001","price":0.5},` +
			`{"action":"add","description":"Ripe yellow banana","itemid":"banana_001","price":0.3}]}`,
	},
}

func plainlyRecorded(t *testing.T, r recording) (p plainGemini) {
	t.Helper()
	objects := []string{string(r.Body)}
	if r.Stream {
		objects = nil
		for line := range strings.Lines(string(r.Body)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				objects = append(objects, data)
			}
		}
	}
	p.calls = piecedCalls[r.File]
	for _, object := range objects {
		var o struct {
			Candidates []struct {
				FinishReason string
				Content      struct {
					Parts []struct {
						Text, ThoughtSignature string
						FunctionCall           *struct {
							Name string
							Args json.RawMessage
						}
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(object), &o); err != nil {
			t.Fatal(err)
		}
		for _, c := range o.Candidates {
			p.reason += c.FinishReason
			for _, part := range c.Content.Parts {
				p.text += part.Text
				if part.ThoughtSignature != "" {
					p.proofs = append(p.proofs, part.ThoughtSignature)
				}
				if call := part.FunctionCall; call != nil && call.Args != nil {
					p.calls = append(p.calls, call.Name+" "+compacted(t, string(call.Args)))
				}
			}
		}
	}
	if p.reason == "STOP" {
		p.reason = "stop"
		if len(p.calls) > 0 {
			p.reason = "tool_calls"
		}
	}
	return p
}

func compacted(t *testing.T, text string) string {
	t.Helper()
	b, err := marshal(json.RawMessage(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(b)
}

// plainlyGathered is an answer in the same terms.
func plainlyGathered(t *testing.T, a Answer) (p plainGemini) {
	t.Helper()
	for _, c := range a.Choices {
		p.text, p.reason = p.text+c.text(Says), p.reason+string(c.Reason)
		for _, b := range c.Blocks {
			if b.Kind == Calls {
				p.calls = append(p.calls, b.Name+" "+compacted(t, b.Text))
			}
			if b.Proof.Token != "" {
				p.proofs = append(p.proofs, b.Proof.Token)
			}
		}
	}
	return p
}

func TestGeminiDecodesWhatWasRecorded(t *testing.T) {
	for _, r := range recordings(t, "gemini") {
		t.Run(r.File, func(t *testing.T) {
			a := gather(r.pieces(t, gemini))
			if got, want := plainlyGathered(t, a), plainlyRecorded(t, r); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			if a.Usage == nil || a.Usage.Input != r.Input || a.Usage.Output != r.Output || a.Usage.Reasoning == 0 {
				t.Errorf("usage is %+v, want %d and %d", a.Usage, r.Input, r.Output)
			}
			if a.ID == "" || !strings.HasPrefix(a.Model, "gemini-3") {
				t.Errorf("the id is %q, the model %q", a.ID, a.Model)
			}
		})
	}
}

func TestGeminiDecodesTheSameCutAtEveryByte(t *testing.T) {
	mustDecodeTheSameCut(t, "gemini", gemini)
}

// A stream that ends too early tells no finish, so that it is not taken for a whole one.
func TestGeminiTellsNoFinishBeforeItsProviderDoes(t *testing.T) {
	for _, r := range recordings(t, "gemini") {
		at := strings.LastIndex(string(r.Body), "data: ")
		if !r.Stream || at < 0 {
			continue
		}
		for _, p := range streamed(t, gemini.decoder(), strings.NewReader(string(r.Body[:at]))) {
			if p.Kind == Finish {
				t.Errorf("%s: got %+v", r.File, p)
			}
		}
	}
}

// shown is a request whose caller asked for thoughts.
var shown = &Request{Thinking: &Thinking{Shown: true}}

// spelled is an answer with the arguments of its calls in one spelling.
func spelled(a Answer) Answer {
	for _, c := range a.Choices {
		for i, b := range c.Blocks {
			if b.Kind == Calls {
				c.Blocks[i].Text = sameJSON(b.Text)
			}
		}
	}
	return a
}

func TestGeminiTellsItsOwnRecordingsAgain(t *testing.T) {
	for _, r := range recordings(t, "gemini") {
		t.Run(r.File, func(t *testing.T) {
			list := r.pieces(t, gemini)
			want := spelled(gather(list))
			stream := told(gemini.encoder(shown, ReplyOptions{}), append(slices.Clone(list), Piece{Kind: End}))
			streamedAgain := recording{Stream: true, Body: stream}.pieces(t, gemini)
			if got := spelled(gather(streamedAgain)); !reflect.DeepEqual(got, want) {
				t.Errorf("as a stream, got  %+v\nwant %+v", got, want)
			}
			body := whole(t, gemini.encoder(shown, ReplyOptions{}), list)
			if got := spelled(gather(recording{Body: body}.pieces(t, gemini))); !reflect.DeepEqual(got, want) {
				t.Errorf("whole, got  %+v\nwant %+v", got, want)
			}
		})
	}
}
