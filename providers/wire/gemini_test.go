package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestParseGeminiSplitsAtTheLastColon(t *testing.T) {
	for path, want := range map[string]GeminiCall{
		"/v1beta/models/gemini-3-pro:generateContent":   {"v1beta", "gemini-3-pro", "generateContent", false},
		"/v1/models/gemini-3-pro:streamGenerateContent": {"v1", "gemini-3-pro", "streamGenerateContent", true},
		"/v1beta/models/org/name:tag:countTokens":       {"v1beta", "org/name:tag", "countTokens", false},
	} {
		if got, ok := ParseGemini(path, "sse"); !ok || got != want {
			t.Errorf("%s: got %+v, %v", path, got, ok)
		}
	}
	for _, path := range []string{"/v1beta/models/x", "/v1beta/models/:generateContent", "/v1beta/models/x:", "/v2/models/x:y", "/v1/models/x:y/z", "/v1beta/models", "", "/models/x:y"} {
		if got, ok := ParseGemini(path, ""); ok {
			t.Errorf("%s: got %+v", path, got)
		}
	}
	if call, _ := ParseGemini("/v1/models/m:streamGenerateContent", ""); call.stream {
		t.Error("without alt=sse the answer is an array, no stream")
	}
}

func TestGeminiPathIsEscaped(t *testing.T) {
	call, _ := ParseGemini("/v1/models/alias:countTokens", "")
	for model, want := range map[string]string{"m-1.5": "/v1/models/m-1.5:countTokens", "org/a b?%": "/v1/models/org/a%20b%3F%25:countTokens"} {
		if got := call.Path(model); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestGeminiInspect(t *testing.T) {
	facts := func(set func(*Facts)) Facts {
		f := Facts{Model: "g", Stream: true, UsageAsked: true, Replies: 1}
		set(&f)
		return f
	}
	for name, c := range map[string]struct {
		body string
		want Facts
	}{
		"the least":      {`{"contents":[]}`, facts(func(*Facts) {})},
		"a cap":          {`{"generationConfig":{"maxOutputTokens":50,"candidateCount":2}}`, facts(func(f *Facts) { f.Cap, f.CapField, f.Replies = 50, "generationConfig.maxOutputTokens", 2 })},
		"underscores":    {`{"generation_config":{"max_output_tokens":50,"candidate_count":2}}`, facts(func(f *Facts) { f.Cap, f.CapField, f.Replies = 50, "generation_config.max_output_tokens", 2 })},
		"thinking":       {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":8000}}}`, facts(func(f *Facts) { f.Least = 513 })},
		"dynamic":        {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`, facts(func(*Facts) {})},
		"no thinking":    {`{"generationConfig":{"thinking_config":{"thinking_budget":0}}}`, facts(func(*Facts) {})},
		"a level":        {`{"generationConfig":{"thinkingConfig":{"thinkingLevel":"high"}}}`, facts(func(*Facts) {})},
		"its own model":  {`{"model":"models/g","generateContentRequest":{"model":"g"}}`, facts(func(*Facts) {})},
		"nulls":          {`{"generationConfig":null}`, facts(func(*Facts) {})},
		"unknown fields": {`{"generationConfig":{"x":{"max_output_tokens":"y"}},"max_output_tokens":1}`, facts(func(*Facts) {})},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := anyGemini.Inspect([]byte(c.body)); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestGeminiRefusesWhatCouldMeanSomethingElseUpstream(t *testing.T) {
	for name, c := range map[string]struct{ body, param string }{
		"no JSON":            {`contents`, ""},
		"config twice":       {`{"generationConfig":{},"generationConfig":{}}`, "generationConfig"},
		"in both spellings":  {`{"generationConfig":{},"generation_config":{}}`, "generationConfig"},
		"in a third one":     {`{"generationconfig":{}}`, "generationConfig"},
		"config odd":         {`{"generationConfig":[]}`, "generationConfig"},
		"cap in both":        {`{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":2}}`, "generationConfig.maxOutputTokens"},
		"cap odd":            {`{"generationConfig":{"maxOutputTokens":"1"}}`, "generationConfig.maxOutputTokens"},
		"candidates odd":     {`{"generationConfig":{"candidateCount":1000}}`, "generationConfig.candidateCount"},
		"budget twice":       {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":1,"thinking_budget":2}}}`, "generationConfig.thinkingConfig.thinkingBudget"},
		"thinking twice":     {`{"generationConfig":{"thinkingConfig":{},"thinking_config":{}}}`, "generationConfig.thinkingConfig"},
		"budget odd":         {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":-2}}}`, "generationConfig.thinkingConfig.thinkingBudget"},
		"another model":      {`{"model":"models/other"}`, "model"},
		"another one inside": {`{"generateContentRequest":{"model":"other"}}`, "generateContentRequest.model"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, anyGemini, c.body, c.param, "g") })
	}
}

func TestGeminiEdit(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		e    Edits
		want string
	}{
		"nothing":                 {`{"contents":[1.0]}`, Edits{Model: "x", AskUsage: true}, `{"contents":[1.0]}`},
		"a cap":                   {`{"generationConfig":{"seed":9007199254740993,"maxOutputTokens":900}}`, Edits{Cap: 50}, `{"generationConfig":{"seed":9007199254740993,"maxOutputTokens":50}}`},
		"a cap with underscores":  {`{"generation_config":{"max_output_tokens":900}}`, Edits{Cap: 50}, `{"generation_config":{"max_output_tokens":50}}`},
		"a cap of our own":        {`{"contents":[]}`, Edits{Cap: 50}, `{"contents":[],"generationConfig":{"maxOutputTokens":50}}`},
		"in the caller's config":  {`{"generation_config":{"seed":1}}`, Edits{Cap: 50}, `{"generation_config":{"seed":1,"maxOutputTokens":50}}`},
		"in place of null":        {`{"generationConfig":null}`, Edits{Cap: 50}, `{"generationConfig":{"maxOutputTokens":50}}`},
		"a cap never raises":      {`{"generationConfig":{"maxOutputTokens":9}}`, Edits{Cap: 50}, `{"generationConfig":{"maxOutputTokens":9}}`},
		"a budget lowered":        {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":8000}}}`, Edits{Cap: 1000}, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":750},"maxOutputTokens":1000}}`},
		"a budget that fits":      {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":800}}}`, Edits{Cap: 1000}, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":800},"maxOutputTokens":1000}}`},
		"a model that is named":   {`{"model":"models/g","generateContentRequest":{"model":"g"}}`, Edits{Model: "up"}, `{"model":"models/up","generateContentRequest":{"model":"up"}}`},
		"dynamic thinking stays ": {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`, Edits{Cap: 100}, `{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1},"maxOutputTokens":100}}`},
	} {
		t.Run(name, func(t *testing.T) { edited(t, anyGemini, c.body, c.e, c.want) })
	}
	_, err := anyGemini.Edit([]byte(`{"generationConfig":{"thinkingConfig":{"thinkingBudget":8000}}}`), Edits{Cap: 512})
	if bad := (*Invalid)(nil); !errors.As(err, &bad) {
		t.Errorf("a budget that cannot be lowered: got %v", err)
	}
}

func TestGeminiUsage(t *testing.T) {
	end := `"candidates":[{"finishReason":"STOP"}]`
	for name, c := range map[string]struct {
		events []string
		want   Usage
	}{
		"thoughts":                 {[]string{`{"usageMetadata":{"promptTokenCount":55021,"candidatesTokenCount":923,"totalTokenCount":56729,"thoughtsTokenCount":785}}`}, Usage{Input: 55021, Output: 1708}},
		"running totals":           {[]string{`{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":10}}`, `{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":500}}`, `{}`}, Usage{Input: 9, Output: 500}},
		"tools and cache":          {[]string{`{"usageMetadata":{"promptTokenCount":9,"toolUsePromptTokenCount":100,"cachedContentTokenCount":4,"candidatesTokenCount":10,"totalTokenCount":119}}`}, Usage{Input: 109, CachedInput: 4, Output: 10}},
		"the total alone":          {[]string{`{` + end + `,"usageMetadata":{"promptTokenCount":9,"totalTokenCount":30}}`}, Usage{Input: 9, Output: 21}},
		"thoughts in the total":    {[]string{`{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":30}}`}, Usage{Input: 9, Output: 21}},
		"thoughts alone":           {[]string{`{"usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":21,"totalTokenCount":30}}`}, Usage{Input: 9, Output: 21}},
		"traffic tells nothing":    {[]string{`{"usageMetadata":{"trafficType":"ON_DEMAND"}}`, `{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}`}, Usage{Input: 9, Output: 2}},
		"odd after good":           {[]string{`{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}`, `{"usageMetadata":{"promptTokenCount":-9}}`}, Usage{Input: 9, Output: 2}},
		"a prompt that is blocked": {[]string{`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`}, Usage{Input: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := readWire(anyGemini, c.events...)
			if got, ok := r.Usage(); !ok || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, ok, c.want)
			}
		})
	}
}

func TestGeminiFiguresThatCannotBeTrueAreNotUsage(t *testing.T) {
	for name, event := range map[string]string{
		"negative": `{"usageMetadata":{"promptTokenCount":-9,"candidatesTokenCount":2}}`, "absurd": `{"usageMetadata":{"promptTokenCount":1e18,"candidatesTokenCount":2}}`,
		"a string": `{"usageMetadata":"x"}`, "no prompt": `{"usageMetadata":{"candidatesTokenCount":2}}`,
		"a total before the end":  `{"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`,
		"no output, though it is": `{"candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`,
		"an absurd sum":           `{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2147483647,"thoughtsTokenCount":2147483647}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := readWire(anyGemini, event)
			if u, ok := r.Usage(); ok {
				t.Errorf("got %+v", u)
			}
		})
	}
}

func TestGeminiSeenAndFinished(t *testing.T) {
	part := func(p string) string { return `{"candidates":[{"content":{"parts":[` + p + `]}}]}` }
	for name, c := range map[string]struct {
		events   []string
		want     Seen
		finished bool
	}{
		"text":                  {[]string{part(`{"text":"a"}`)}, Seen{Output: true}, false},
		"a thought":             {[]string{part(`{"text":"a","thought":true}`)}, Seen{Output: true}, false},
		"a call":                {[]string{part(`{"functionCall":{"name":"f","args":{}}}`)}, Seen{Output: true}, false},
		"a piece of a call":     {[]string{part(`{"functionCall":{"partialArgs":[{"numberValue":3}]}}`)}, Seen{Output: true}, false},
		"code":                  {[]string{part(`{"executableCode":{"code":"1+1"}}`)}, Seen{Output: true}, false},
		"what code printed":     {[]string{part(`{"codeExecutionResult":{"output":"2"}}`)}, Seen{}, false},
		"a signature":           {[]string{part(`{"text":"","thoughtSignature":"abc"}`)}, Seen{}, false},
		"a finish":              {[]string{`{"candidates":[{"finishReason":"STOP"}]}`}, Seen{}, true},
		"usage after a finish":  {[]string{`{"candidates":[{"finishReason":"STOP"}]}`, `{"candidates":[{"content":{}}],"usageMetadata":{}}`}, Seen{}, true},
		"words after a finish":  {[]string{`{"candidates":[{"finishReason":"STOP"}]}`, part(`{"text":"a"}`)}, Seen{Output: true}, false},
		"a blocked prompt":      {[]string{`{"promptFeedback":{"blockReason":"SAFETY"}}`}, Seen{}, true},
		"an error":              {[]string{`{"error":{"code":503,"message":"m"}}`}, Seen{Error: true}, false},
		"odd candidates":        {[]string{`{"candidates":[1,null,{"content":{"parts":{"text":"a"}}}]}`}, Seen{}, false},
		"nothing of any candid": {[]string{`{}`}, Seen{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, seen := readWire(anyGemini, c.events...)
			if got := seen[len(seen)-1]; got != c.want || r.Finished() != c.finished {
				t.Errorf("got %+v, finished %v", got, r.Finished())
			}
		})
	}
	two := anyGemini.NewReader(Facts{Replies: 2})
	two.Event([]byte(`{"candidates":[{"index":0,"finishReason":"STOP"}]}`))
	if two.Finished() {
		t.Error("finished with one of two candidates")
	}
}

func TestAnArrayOfGeminisIsReadAsAWholeBody(t *testing.T) {
	body := `[{"candidates":[{"content":{"parts":[{"text":"Hello "}]}}]},
{"candidates":[{"content":{"parts":[{"text":"you"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2}}]`
	r := anyGemini.NewReader(Facts{Replies: 1})
	seen := r.Body([]byte(body))
	if u, ok := r.Usage(); !ok || u != (Usage{Input: 9, Output: 2}) || !r.Finished() || !seen.Output {
		t.Errorf("got %+v, %v, %+v", u, ok, seen)
	}
	events, err := anyGemini.AsStream([]byte(body), false)
	if err != nil || strings.Count(string(events), "data: {") != 2 {
		t.Errorf("got %s, %v", events, err)
	}
}

func TestGeminiEventsAreDataLinesAlone(t *testing.T) {
	r, _ := readWire(anyGemini, `{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"modelVersion":"v1","responseId":"r1"}`)
	for want, got := range map[string][]byte{
		"data: {\"error\":{\"code\":429,\"message\":\"Out\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n\n": anyGemini.ErrorEvent(Failure{Message: "Out", Status: 429}),
		"data: {\"error\":{\"code\":500,\"message\":\"Out\",\"status\":\"INTERNAL\"}}\n\n":           anyGemini.ErrorEvent(Failure{Message: "Out"}),
		`data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"MAX_TOKENS","index":0}],` +
			`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"totalTokenCount":13},"modelVersion":"v1","responseId":"r1"}` + "\n\n": r.LengthFinish(&Usage{Input: 9, Output: 4}),
	} {
		if string(got) != want {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
	got, err := anyGemini.AsStream([]byte("{\n \"candidates\": [ {\"content\": {\"parts\": [{\"text\": \"a\\u00e9\"}]}} ],\n \"x\": 1.0 }"), false)
	if want := `data: {"candidates":[{"content":{"parts":[{"text":"a\u00e9"}]},"finishReason":"STOP"}],"x":1.0}` + "\n\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}
