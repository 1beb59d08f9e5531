package wire

import (
	"strings"
	"testing"
)

func TestCompletionsInspect(t *testing.T) {
	for body, replies := range map[string]int64{
		`{"model":"m","prompt":"a"}`: 1, `{"model":"m","prompt":["a","b"],"n":3}`: 6, `{"model":"m","prompt":["a"],"best_of":5,"n":2}`: 5,
		`{"model":"m","prompt":[1,2,3]}`: 1, `{"model":"m","prompt":[[1,2],[3]]}`: 2, `{"model":"m","prompt":[]}`: 1,
	} {
		got, err := Completions.Inspect([]byte(body + ` `))
		if err != nil || got.Replies != replies || got.Model != "m" {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
	for name, c := range map[string]struct{ body, param string }{
		"best_of twice": {`{"model":"m","best_of":1,"best_of":9}`, "best_of"},
		"best_of odd":   {`{"model":"m","best_of":1000}`, "best_of"},
		"too many":      {`{"model":"m","n":100,"prompt":["a","b"]}`, "prompt"},
		"prompt twice":  {`{"model":"m","prompt":"a","prompt":["a","b"]}`, "prompt"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, Completions, c.body, c.param, "m") })
	}
}

func TestCompletionsCapWhereTheyAlwaysDid(t *testing.T) {
	edited(t, Completions, `{"model":"m","stream":true}`, Edits{Model: "x", Cap: 5, CapField: MaxCompletionTokens, AskUsage: true},
		`{"model":"x","stream":true,"max_tokens":5,"stream_options":{"include_usage":true}}`)
}

func TestCompletionsAreReadAndEnded(t *testing.T) {
	r, seen := readWire(Completions, `{"id":"c1","model":"m1","created":7,"choices":[{"index":0,"text":"Hello there"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`)
	if u, ok := r.Usage(); !ok || u != (Usage{Input: 3, Output: 4}) || !seen[0].Output || !seen[1].UsageOnly || r.Delivered() < 2 || r.Delivered() > 4 || r.Finished() {
		t.Errorf("got %+v, %v, %+v", u, ok, seen)
	}
	want := `data: {"id":"c1","object":"text_completion","created":7,"model":"m1","choices":[{"text":"","index":0,"logprobs":null,"finish_reason":"length"}]}

data: {"id":"c1","object":"text_completion","created":7,"model":"m1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":0}}}

data: [DONE]

`
	if got := string(r.LengthFinish(&Usage{Input: 3, Output: 9})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestCompletionsAsStream(t *testing.T) {
	body := `{"id":"c1","object":"text_completion","x":1.0,"choices":[{"text":"a","index":0,"finish_reason":"length"},{"text":"b"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`
	want := `data: {"id":"c1","object":"text_completion","x":1.0,"choices":[{"text":"a","index":0,"finish_reason":"length"}],"usage":null}

data: {"id":"c1","object":"text_completion","x":1.0,"choices":[{"text":"b","finish_reason":"stop","index":1}],"usage":null}

data: {"id":"c1","object":"text_completion","x":1.0,"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}

data: [DONE]

`
	if got, err := Completions.AsStream([]byte(body), true); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := Completions.AsStream([]byte(body), false); err != nil || strings.Contains(string(got), "prompt_tokens") {
		t.Errorf("usage that nobody asked for: %s, %v", got, err)
	}
}

func TestEmbeddingsCostTheirPromptAlone(t *testing.T) {
	got, err := Embeddings.Inspect([]byte(`{"model":"m","input":["a"],"encoding_format":"base64"}`))
	if err != nil || got != (Facts{Model: "m", Replies: 1, NoReply: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
	edited(t, Embeddings, `{"input":[1.0],"model":"m"}`, Edits{Model: "x", Cap: 5, CapField: "max_tokens", AskUsage: true}, `{"input":[1.0],"model":"x"}`)
	for _, usage := range []string{`{"prompt_tokens":8,"total_tokens":8}`, `{"prompt_tokens":8}`, `{"total_tokens":8}`} {
		r := Embeddings.NewReader(got)
		r.Body([]byte(`{"object":"list","data":[{"embedding":"AAAA"}],"usage":` + usage + `}`))
		if u, ok := r.Usage(); !ok || u != (Usage{Input: 8}) || r.Delivered() != 0 || !r.Finished() {
			t.Errorf("%s: got %+v, %v", usage, u, ok)
		}
	}
}

func TestMediaAreCountedWhereReported(t *testing.T) {
	facts, err := Media.Inspect([]byte(`{"model":"m","prompt":"a cat","n":2,"stream":true}`))
	if err != nil || facts != (Facts{Model: "m", Replies: 2, Stream: true, UsageAsked: true, NoReply: true, ByRequest: true}) {
		t.Errorf("got %+v, %v", facts, err)
	}
	for name, c := range map[string]struct {
		body string
		want Usage
		ok   bool
	}{
		"an image":            {`{"data":[{"b64_json":"AAAA"}],"usage":{"input_tokens":50,"output_tokens":4160,"total_tokens":4210}}`, Usage{Input: 50, Output: 4160}, true},
		"an old image":        {`{"created":1,"data":[{"url":"u"}]}`, Usage{}, false},
		"a transcription":     {`{"text":"hi","usage":{"type":"tokens","input_tokens":14,"output_tokens":45,"total_tokens":59}}`, Usage{Input: 14, Output: 45}, true},
		"one by its duration": {`{"text":"hi","usage":{"type":"duration","seconds":9}}`, Usage{}, false},
		"plain text":          {`hello`, Usage{}, false},
		"negative":            {`{"usage":{"input_tokens":-1,"output_tokens":1}}`, Usage{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Media.NewReader(Facts{Replies: 1})
			seen := r.Body([]byte(c.body))
			if u, ok := r.Usage(); ok != c.ok || u != c.want || !seen.Output {
				t.Errorf("got %+v, %v, %+v", u, ok, seen)
			}
		})
	}
}

func TestMediaStreamsEndWithTheirLastReply(t *testing.T) {
	r := Media.NewReader(Facts{Stream: true, Replies: 2})
	for i, data := range []string{`{"type":"image_generation.partial_image","b64_json":"AA"}`, `{"type":"image_generation.completed"}`, `{"type":"image_generation.completed","usage":{"input_tokens":5,"output_tokens":7}}`} {
		if seen := r.Event([]byte(data)); !seen.Output || r.Finished() != (i == 2) {
			t.Errorf("event %d: %+v, finished %v", i, seen, r.Finished())
		}
	}
	if u, ok := r.Usage(); !ok || u != (Usage{Input: 5, Output: 7}) {
		t.Errorf("got %+v, %v", u, ok)
	}
	if seen := r.Event([]byte(`{"error":{"message":"m"}}`)); !seen.Error {
		t.Errorf("got %+v", seen)
	}
}
