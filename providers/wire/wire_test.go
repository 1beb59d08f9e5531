package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"perdiem/testing/fakeprovider"
)

// all are the wires, by name.
var all = map[string]Wire{"chat": Chat, "messages": Messages, "responses": Responses, "gemini": anyGemini,
	"completions": Completions, "embeddings": Embeddings, "media": Media}

func TestAsStreamMetersLikeTheWholeReply(t *testing.T) {
	each(t, func(t *testing.T, w Wire, r fakeprovider.Recording) {
		if r.Stream || strings.Contains(r.File, "transcription") {
			return
		}
		whole := metered(t, w, r)
		events, err := w.AsStream(r.Body, true)
		if err != nil {
			t.Fatal(err)
		}
		streamed := readStream(t, w, bytes.NewReader(events))
		a, _ := whole.Usage()
		b, _ := streamed.Usage()
		if a != b || whole.Delivered() != streamed.Delivered() || !streamed.Finished() {
			t.Errorf("whole %+v %d, streamed %+v %d, finished %v", a, whole.Delivered(), b, streamed.Delivered(), streamed.Finished())
		}
	})
}

func TestAsStreamRefusesWhatIsNoReply(t *testing.T) {
	for name, w := range all {
		for what, body := range map[string]string{
			"HTML": `<html>`, "an error": `{"error":{"message":"x"}}`, "nothing": ``, "a number": `1`, "an empty object": `{}`,
			"no choices": `{"choices":[]}`, "odd choices": `{"choices":[1]}`, "odd calls": `{"choices":[{"message":{"tool_calls":["x"]}}]}`,
			"odd content": `{"content":[1],"candidates":[2],"output":[3]}`, "odd lists": `{"content":1,"candidates":2,"output":3}`,
		} {
			if events, err := w.AsStream([]byte(body), true); err == nil {
				t.Errorf("%s, %s: got %s", name, what, events)
			}
		}
	}
}

func TestKeepAlivesMeanNothing(t *testing.T) {
	for name, w := range all {
		r := w.NewReader(Facts{Stream: true, Replies: 1})
		after := readStream(t, w, bytes.NewReader(r.KeepAlive()))
		if _, ok := after.Usage(); ok || after.Delivered() > 0 || after.Finished() {
			t.Errorf("%s: %q means something", name, r.KeepAlive())
		}
	}
}

func FuzzInspectAndEdit(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","stream":true,"max_tokens":10,"stream_options":{"x":1},"n":2}`, `{"mod\u0065l":"\ud83d","max_completion_tokens":1e3}`,
		`{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":31999}}`, `{"model":"m","thinking":{"budget_tokens":1}}`,
		`{"model":"m","max_output_tokens":77,"input":"x"}`, `{"contents":[],"generation_config":{"maxOutputTokens":50,"thinking_config":{"thinkingBudget":-1}}}`,
		`{"model":"m","prompt":["a","b"],"best_of":3}`,
	} {
		f.Add([]byte(body), "b/c", int64(2000))
	}
	f.Fuzz(func(t *testing.T, body []byte, model string, limit int64) {
		if !utf8.ValidString(model) {
			return // no model is stored under such a name
		}
		for name, w := range all {
			before, err := w.Inspect(body)
			if err != nil || limit != 0 && limit < before.Least || limit < 0 {
				continue
			}
			edited, err := w.Edit(body, Edits{Model: model, Cap: limit, CapField: "max_tokens", AskUsage: true})
			if err != nil {
				t.Fatalf("%s: accepted, then not editable: %v", name, err)
			}
			if !json.Valid(edited) {
				t.Fatalf("%s: the edit broke the JSON: %q", name, edited)
			}
			if name == "gemini" && model != "" { // whose address names the model, too
				w = gemini{model: model, stream: true}
			}
			after, err := w.Inspect(edited)
			if err != nil {
				t.Fatalf("%s: the edited body is refused: %v", name, err)
			}
			if after.Stream != before.Stream || after.UsageAsked != before.Stream || after.Replies != before.Replies {
				t.Fatalf("%s: %+v became %+v", name, before, after)
			}
			if limit > 0 && limit <= MaxTokens && after.Cap > limit || before.Cap > 0 && after.Cap > before.Cap {
				t.Fatalf("%s: cap %d, asked %d, became %d", name, limit, before.Cap, after.Cap)
			}
		}
	})
}

func FuzzReader(f *testing.F) {
	for _, data := range []string{
		`{"choices":[{"index":0,"delta":{"content":[{"text":"a"}],"tool_calls":[{"function":{"name":"x"}}]}}],"usage":{"prompt_tokens":"1","total_tokens":9}}`,
		`{"usage":{"prompt_tokens":-1},"choices":[{"usage":[]}],"x_groq":7}`,
		`{"type":"message_delta","usage":{"input_tokens":4,"output_tokens":5,"iterations":[{"input_tokens":1},7]}}`,
		`{"type":"content_block_start","index":-3,"content_block":{"type":"tool_use","input":[1]}}`,
		`{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":1}],"usage":{"input_tokens":2,"output_tokens":3}}`,
		`{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"a"}]}],"usage":{"input_tokens":2,"output_tokens":3}}}`,
		`[{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"a":1}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"totalTokenCount":9}}]`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, w := range all {
			r := w.NewReader(Facts{Replies: 1})
			r.Event(data)
			r.Body(data)
			if u, ok := r.Usage(); ok && (u.Input < 0 || u.Output < 0 || u.CachedInput < 0 || u.CachedInput > u.Input ||
				u.Input > MaxTokens || u.Output > MaxTokens || u.Input+u.Output == 0) {
				t.Fatalf("%s: usage that cannot be true: %+v from %q", name, u, data)
			}
			if n, ok := r.Input(); r.Delivered() < 0 || ok && (n <= 0 || n > MaxTokens) {
				t.Fatalf("%s: delivered %d, input %d", name, r.Delivered(), n)
			}
			if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
				continue // a list of pieces ends as its last piece does
			}
			if events, err := w.AsStream(data, true); err == nil && !readStream(t, w, bytes.NewReader(events)).Finished() {
				t.Fatalf("%s: an unfinished stream: %s", name, events)
			}
			readStream(t, w, bytes.NewReader(r.LengthFinish(&Usage{})))
		}
	})
}

func TestAnErrorInWordsHasTheStatusThatItMeans(t *testing.T) {
	for body, want := range map[string]Failure{
		`{"error":{"message":"no such tool","type":"invalid_request_error"}}`:            {"no such tool", "invalid_request_error", "provider_failed", 400},
		`{"error":{"message":"busy","code":503}}`:                                        {"busy", "server_error", "provider_failed", 503},
		`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`:          {"busy", "server_error", "provider_failed", 502},
		`[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`:           {"bad", "invalid_request_error", "provider_failed", 400},
		`{"error":{"status":"RESOURCE_EXHAUSTED","message":"out"}}`:                      {"out", "server_error", "provider_failed", 429},
		`{"error":{"message":"slow down","type":"x","code":"rate_limit_exceeded"}}`:      {"slow down", "server_error", "provider_failed", 429},
		`{"error":"no such model"}`:                                                      {"no such model", "invalid_request_error", "provider_failed", 400},
		`{"object":"error","message":"too long","code":400}`:                             {"too long", "invalid_request_error", "provider_failed", 400},
		`{"detail":"not loaded"}`:                                                        {"not loaded", "invalid_request_error", "provider_failed", 400},
		`{"error":{"code":1211,"message":7}}`:                                            {"The provider answered with an error.", "invalid_request_error", "provider_failed", 400},
		`upstream connect error`:                                                         {"The provider answered with an error.", "server_error", "provider_failed", 502},
		`{"error":{"message":"` + strings.Repeat("[", 300) + `","type":"server_error"}}`: {strings.Repeat("[", 300), "server_error", "provider_failed", 502},
	} {
		if got := FailureOf([]byte(body)); got != want {
			t.Errorf("%s: got %+v", body, got)
		}
	}
}
