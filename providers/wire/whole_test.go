package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"perdiem/providers/sse"
	"perdiem/testing/fakeprovider"
)

func dataOf(stream []byte) (list [][]byte) {
	for s := sse.NewScanner(bytes.NewReader(stream)); ; {
		ev, err := s.Next()
		if err != nil {
			return list
		}
		if len(ev.Data) > 0 {
			list = append(list, bytes.Clone(ev.Data))
		}
	}
}

// What was said in a stream is said in the one body, too, and costs the same.
func TestAsWholeMetersLikeTheStream(t *testing.T) {
	each(t, func(t *testing.T, w Wire, r fakeprovider.Recording) {
		if !r.Stream || bytes.Count(r.Body, []byte(`"type":"message_start"`)) > 1 { // several replies in one file
			return
		}
		streamed := metered(t, w, r)
		got, err := w.AsWhole(dataOf(r.Body))
		if err != nil {
			t.Fatal(err)
		}
		whole := w.NewReader(Facts{Replies: 1})
		if seen := whole.Body(got); seen.Error {
			t.Errorf("taken for an error: %s", got)
		}
		a, _ := streamed.Usage()
		b, _ := whole.Usage()
		if a != b || !whole.Finished() {
			t.Errorf("streamed %+v, whole %+v, finished %v", a, b, whole.Finished())
		}
		if r.Wire == "openai-responses" {
			return // some files leave out the pieces that the last event holds
		}
		if a, b := streamed.Delivered(), whole.Delivered(); b < a-a/20-5 || b > a+a/20+5 { // words are cut in other places
			t.Errorf("streamed %d, whole %d: %s", a, b, got)
		}
	})
}

func TestAsWholePutsPiecesTogether(t *testing.T) {
	for name, c := range map[string]struct {
		wire   Wire
		events []string
		want   string
	}{
		"chat": {Chat, []string{
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel","x_v":{"a":"1"}},"finish_reason":null}],"usage":null}`,
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"lo <b>","x_v":{"a":"2"}},"logprobs":{"content":[{"token":"lo"}]}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1.0}"}},{"index":1,"id":"u","type":"function","function":{"name":"g","arguments":""}}]}}]}`,
			`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			`{"id":"c","choices":[],"usage":{"prompt_tokens":9007199254740993,"completion_tokens":5}}`, `[DONE]`},
			`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello <b>","x_v":{"a":"12"},"tool_calls":[
				{"id":"t","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}},{"id":"u","type":"function","function":{"name":"g","arguments":""}}]},
				"logprobs":{"content":[{"token":"lo"}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9007199254740993,"completion_tokens":5}}`},
		"chat in lists": {Chat, []string{`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"4"}]}}]}`, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"4"}]},"finish_reason":"stop"}]}`},
		"chat without index or role": {Chat, []string{`{"choices":[{"delta":{"reasoning":"a"}}]}`, `{"choices":[{"delta":{"reasoning":"b"},"finish_reason":"stop"}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning":"ab"},"finish_reason":"stop"}]}`},
		"two choices": {Chat, []string{`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"x"}}]}`, `{"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"b"}}]}`},
			`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"ab"}},{"index":1,"message":{"role":"assistant","content":"xy"}}]}`},
		"completions": {Completions, []string{`{"object":"text_completion","choices":[{"index":0,"text":"a","finish_reason":null}]}`, `{"choices":[{"index":0,"text":"b","finish_reason":"stop"}]}`},
			`{"object":"text_completion","choices":[{"index":0,"text":"ab","finish_reason":"stop"}]}`},
		"messages": {Messages, []string{
			`{"type":"message_start","message":{"id":"x","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}`, `{"type":"ping"}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"so"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hel"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"lo"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"url":"u"}}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1.0}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":12}}`, `{"type":"message_stop"}`},
			`{"id":"x","role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"s"},{"type":"text","text":"Hello","citations":[{"url":"u"}]},
				{"type":"tool_use","id":"t","name":"f","input":{"a":1.0}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":12}}`},
		"responses": {Responses, []string{`{"type":"response.output_item.done","item":{"type":"message","id":"i"}}`, `{"type":"response.completed","response":{"id":"r","output":[]}}`},
			`{"id":"r","output":[{"type":"message","id":"i"}]}`},
		"responses with their output": {Responses, []string{`{"type":"response.output_item.done","item":{"id":"i"}}`, `{"type":"response.incomplete","response":{"id":"r","output":[{"id":"j"}]}}`},
			`{"id":"r","output":[{"id":"j"}]}`},
		"Gemini": {gemini{model: "g"}, []string{
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"a","thought":true}]}}],"usageMetadata":{"promptTokenCount":9}}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"H"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"i"},{"functionCall":{"name":"f"}},{"text":"!","thoughtSignature":"s"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}`},
			`{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a","thought":true},{"text":"Hi"},{"functionCall":{"name":"f"}},{"text":"!","thoughtSignature":"s"}]},"finishReason":"STOP"}],
				"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}`},
		"Gemini as a list": {gemini{model: "g", array: true}, []string{`{"a":1}`, `{"b":2}`}, `[{"a":1},{"b":2}]`},
	} {
		t.Run(name, func(t *testing.T) {
			var events [][]byte
			for _, e := range c.events {
				events = append(events, []byte(e))
			}
			got, err := c.wire.AsWhole(events)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := plainJSON(t, got), plainJSON(t, []byte(c.want)); !reflect.DeepEqual(a, b) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func plainJSON(t *testing.T, b []byte) (v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return v
}

func TestAsWholeRefusesWhatIsNoReply(t *testing.T) {
	for name, w := range all {
		for what, events := range map[string]string{
			"nothing": "", "no JSON": "hello", "odd pieces": `{"choices":[1]} {"candidates":[1]} {"type":"message_delta"} {"type":"response.completed","response":1}`,
			"odd input": `{"type":"message_start","message":{}} {"type":"content_block_start","index":{},"content_block":{}} {"type":"content_block_delta","index":{},"delta":{}} {"choices":[{"index":[],"delta":1}]} {"candidates":[2]} ` +
				`{"type":"content_block_start","index":1,"content_block":{}} {"type":"content_block_delta","index":1,"delta":{"partial_json":"{"}}`,
		} {
			if got, err := w.AsWhole(bytes.Fields([]byte(events))); err == nil {
				t.Errorf("%s, %s: got %s", name, what, got)
			}
		}
	}
}

func FuzzAsWhole(f *testing.F) {
	f.Add(`{"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0}]}}]}` + "\n" + `{"choices":[{"delta":{"content":"b","tool_calls":[{"index":0,"x":[]}]}}]}`)
	f.Add(`{"type":"message_start","message":{"usage":{}}}` + "\n" + `{"type":"content_block_start","index":0,"content_block":{"input":{}}}` + "\n" + `{"type":"content_block_delta","index":0,"delta":{"partial_json":"{}"}}` + "\n" + `{"type":"message_delta","usage":{}}`)
	f.Add(`{"candidates":[{"content":{"parts":[{"text":"a","thought":true}]}}]}` + "\n" + `{"candidates":[{"content":{"parts":[{"text":"b","thought":{}}]}}]}`)
	f.Fuzz(func(t *testing.T, stream string) {
		var events [][]byte
		for line := range strings.Lines(stream) {
			events = append(events, []byte(line))
		}
		for name, w := range all {
			if got, err := w.AsWhole(events); err == nil && !json.Valid(got) {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}
