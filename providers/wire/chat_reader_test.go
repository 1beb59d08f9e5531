package wire

import (
	"strings"
	"testing"
)

// read feeds the data of events to a new reader of chat completions.
func read(replies int64, events ...string) (Reader, []Seen) {
	return feed(Chat.NewReader(Facts{Stream: true, Replies: replies}), events)
}

func feed(r Reader, events []string) (_ Reader, seen []Seen) {
	for _, data := range events {
		seen = append(seen, r.Event([]byte(data)))
	}
	return r, seen
}

func TestUsageIsWhatTheProviderReported(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   Usage
	}{
		"plain":                           {[]string{`{"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`}, Usage{Input: 3, Output: 4}},
		"running totals: the last":        {[]string{`{"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"usage":{"prompt_tokens":3,"completion_tokens":9}}`}, Usage{Input: 3, Output: 9}},
		"null later changes nothing":      {[]string{`{"usage":{"prompt_tokens":3,"completion_tokens":4}}`, `{"usage":null}`, `{}`}, Usage{Input: 3, Output: 4}},
		"a null figure changes nothing":   {[]string{`{"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"usage":{"prompt_tokens":null,"completion_tokens":9}}`}, Usage{Input: 3, Output: 9}},
		"reasoning beside the completion": {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":1,"total_tokens":303}}`}, Usage{Input: 12, Output: 291}},
		"reasoning inside the completion": {[]string{`{"usage":{"prompt_tokens":2743,"completion_tokens":164,"total_tokens":2907,"completion_tokens_details":{"reasoning_tokens":153}}}`}, Usage{Input: 2743, Output: 164}},
		"a total below the sum":           {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":3}}`}, Usage{Input: 12, Output: 5}},
		"no completion but a total":       {[]string{`{"usage":{"prompt_tokens":8,"total_tokens":8}}`}, Usage{Input: 8}},
		"in a choice":                     {[]string{`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":3,"completion_tokens":4}}]}`}, Usage{Input: 3, Output: 4}},
		"in x_groq":                       {[]string{`{"choices":[],"x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":4}}}`}, Usage{Input: 3, Output: 4}},
		"strings and floats":              {[]string{`{"usage":{"prompt_tokens":"12","completion_tokens":4.0,"total_tokens":" 16 "}}`}, Usage{Input: 12, Output: 4}},
		"odd details":                     {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"prompt_tokens_details":0}}`}, Usage{Input: 12, Output: 4}},
		"OpenAI's cached":                 {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":10}}}`}, Usage{Input: 12, CachedInput: 10, Output: 4}},
		"DeepSeek's cached":               {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"prompt_cache_hit_tokens":11}}`}, Usage{Input: 12, CachedInput: 11, Output: 4}},
		"Moonshot's cached":               {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"cached_tokens":9}}`}, Usage{Input: 12, CachedInput: 9, Output: 4}},
		"more cached than there was":      {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"cached_tokens":99}}`}, Usage{Input: 12, CachedInput: 12, Output: 4}},
		"zeros after a good one":          {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4}}`, `{"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`}, Usage{Input: 12, Output: 4}},
		"in two events":                   {[]string{`{"usage":{"prompt_tokens":12}}`, `{"usage":{"completion_tokens":4}}`}, Usage{Input: 12, Output: 4}},
		"the prompt in the total alone":   {[]string{`{"usage":{"prompt_tokens":null,"completion_tokens":4,"total_tokens":16}}`}, Usage{Input: 12, Output: 4}},
		"in the newer words":              {[]string{`{"usage":{"input_tokens":12,"output_tokens":4}}`}, Usage{Input: 12, Output: 4}},
		"in both words":                   {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4,"total_tokens":16,"input_tokens":2,"output_tokens":4}}`}, Usage{Input: 12, Output: 4}},
		"beside NaN":                      {[]string{`{"choices":[{"delta":{},"logprobs":[NaN,-Infinity,"NaN"]}],"usage":{"prompt_tokens":12,"completion_tokens":4}}`}, Usage{Input: 12, Output: 4}},
		"beside a control character":      {[]string{"{\"choices\":[{\"delta\":{\"content\":\"a\tb\"}}],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":4}}"}, Usage{Input: 12, Output: 4}},
		"behind a byte order mark":        {[]string{"\xef\xbb\xbf" + `{"usage":{"prompt_tokens":12,"completion_tokens":4}}`}, Usage{Input: 12, Output: 4}},
		"an odd one after a good one":     {[]string{`{"usage":{"prompt_tokens":12,"completion_tokens":4}}`, `{"usage":{"prompt_tokens":-1,"completion_tokens":-1}}`}, Usage{Input: 12, Output: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := read(1, c.events...)
			if got, ok := r.Usage(); !ok || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, ok, c.want)
			}
		})
	}
}

func TestFiguresThatCannotBeTrueAreNotUsage(t *testing.T) {
	for name, event := range map[string]string{
		"nothing":          `{}`,
		"a string":         `{"usage":"oops"}`,
		"a list":           `{"usage":[1,2]}`,
		"empty":            `{"usage":{}}`,
		"negative":         `{"usage":{"prompt_tokens":-1000000,"completion_tokens":-1000000}}`,
		"negative output":  `{"usage":{"prompt_tokens":10,"completion_tokens":-1}}`,
		"absurd":           `{"usage":{"prompt_tokens":1e18,"completion_tokens":1}}`,
		"absurd total":     `{"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":99999999999}}`,
		"a fraction":       `{"usage":{"prompt_tokens":1.5,"completion_tokens":1}}`,
		"words":            `{"usage":{"prompt_tokens":"many","completion_tokens":1}}`,
		"a bool":           `{"usage":{"prompt_tokens":true,"completion_tokens":1}}`,
		"all zeros":        `{"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`,
		"no prompt":        `{"usage":{"completion_tokens":7}}`,
		"prompt alone":     `{"usage":{"prompt_tokens":7}}`,
		"not JSON":         `{"usage":{"prompt_tokens":7,"completion_tokens":7}`,
		"too deep to read": strings.Repeat("[", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := read(1, event)
			if got, ok := r.Usage(); ok {
				t.Errorf("got %+v as usage", got)
			}
		})
	}
}

// A figure that was told before output came, or that denies it, says nothing of that output.
func TestUsageThatDoesNotCoverWhatWasDeliveredIsNone(t *testing.T) {
	for name, c := range map[string]struct {
		wire   Wire
		events []string
		want   bool
	}{
		"a placeholder in the first event": {Chat, []string{`{"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`, `{"choices":[{"delta":{"content":" two three four"}}]}`}, false},
		"no output at the end":             {Chat, []string{`{"choices":[{"delta":{"content":"one"}}]}`, `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}`}, false},
		"a total that covers what came":    {Chat, []string{`{"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":9,"completion_tokens":70}}`, `{"choices":[{"delta":{"content":" two three four"}}]}`}, true},
		"running totals":                   {Chat, []string{`{"choices":[{"delta":{"content":"one"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`, `{"choices":[{"delta":{"content":" two"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`}, true},
		"nothing delivered, nothing told":  {Chat, []string{`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":0}}`}, true},
		"a message without output":         {Messages, []string{`{"type":"message_start","message":{"usage":{"input_tokens":9}}}`, `{"type":"content_block_delta","index":0,"delta":{"text":"one"}}`, `{"type":"message_delta","usage":{"output_tokens":0}}`}, false},
		"a response without output":        {Responses, []string{`{"type":"response.output_text.delta","delta":"one"}`, `{"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":0,"total_tokens":9}}}`}, false},
		"Gemini's first event":             {anyGemini, []string{`{"candidates":[{"content":{"parts":[{"text":"one"}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}}`, `{"candidates":[{"content":{"parts":[{"text":" two three four"}]}}]}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := readWire(c.wire, c.events...)
			if u, ok := r.Usage(); ok != c.want {
				t.Errorf("got %+v, %v", u, ok)
			}
			if in, ok := r.Input(); !ok || in != 9 {
				t.Errorf("input %d, %v: it was told all the same", in, ok)
			}
		})
	}
}

func TestSeenTellsWhatAnEventIs(t *testing.T) {
	usage := `"usage":{"prompt_tokens":3,"completion_tokens":4}`
	for name, c := range map[string]struct {
		event string
		want  Seen
	}{
		"content":                 {`{"choices":[{"delta":{"content":"a"}}]}`, Seen{Output: true}},
		"a role alone":            {`{"choices":[{"delta":{"role":"assistant","content":""}}]}`, Seen{}},
		"reasoning":               {`{"choices":[{"delta":{"reasoning_content":"a"}}]}`, Seen{Output: true}},
		"reasoning, other name":   {`{"choices":[{"delta":{"reasoning":"a"}}]}`, Seen{Output: true}},
		"reasoning details":       {`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"a"}]}}]}`, Seen{Output: true}},
		"Mistral's thinking":      {`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}}]}`, Seen{Output: true}},
		"a tool call":             {`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}`, Seen{Output: true}},
		"an old function call":    {`{"choices":[{"delta":{"function_call":{"arguments":"{"}}}]}`, Seen{Output: true}},
		"a refusal":               {`{"choices":[{"delta":{"refusal":"no"}}]}`, Seen{Output: true}},
		"an audio transcript":     {`{"choices":[{"delta":{"audio":{"transcript":"hi"}}}]}`, Seen{Output: true}},
		"usage only":              {`{"choices":[],` + usage + `}`, Seen{UsageOnly: true}},
		"usage in x_groq only":    {`{"choices":[],"x_groq":{` + usage + `}}`, Seen{UsageOnly: true}},
		"usage without choices":   {`{` + usage + `}`, Seen{UsageOnly: true}},
		"usage beside a choice":   {`{"choices":[{"delta":{}}],` + usage + `}`, Seen{}},
		"empty choices, no usage": {`{"choices":[],"prompt_filter_results":[],"usage":null}`, Seen{}},
		"an error":                {`{"error":{"message":"out of words"}}`, Seen{Error: true}},
		"an error in a string":    {`{"error":"out of words"}`, Seen{Error: true}},
		"an error beside usage":   {`{"error":{"message":"x"},"choices":[],` + usage + `}`, Seen{Error: true}},
		"vLLM's error":            {`{"object":"error","message":"x"}`, Seen{Error: true}},
		"error null is none":      {`{"error":null,"choices":[{"delta":{"content":"a"}}]}`, Seen{Output: true}},
		"the end event":           {`[DONE]`, Seen{Done: true}},
		"the end event, a blank":  {`[DONE] `, Seen{Done: true}},
		"not JSON":                {`<html>`, Seen{}},
		"an array":                {`[]`, Seen{}},
		"odd choices":             {`{"choices":{"delta":{"content":"a"}}}`, Seen{}},
		"odd choice":              {`{"choices":["a",1,null]}`, Seen{}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := read(1, c.event); got[0] != c.want {
				t.Errorf("got %+v, want %+v", got[0], c.want)
			}
		})
	}
}

func TestErrorTextIsNeverOutput(t *testing.T) {
	r, _ := read(1, `{"error":{"message":"a long story about a quota"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`)
	if r.Delivered() != 0 || r.Finished() {
		t.Errorf("delivered %d, finished %v", r.Delivered(), r.Finished())
	}
}

func TestTheSameReasoningUnderTwoNamesCountsOnce(t *testing.T) {
	once, _ := read(1, `{"choices":[{"delta":{"reasoning":"thinking about it"}}]}`)
	twice, _ := read(1, `{"choices":[{"delta":{"reasoning":"thinking about it","reasoning_content":"thinking about it","reasoning_details":[{"text":"thinking about it"}]}}]}`)
	if once.Delivered() == 0 || once.Delivered() != twice.Delivered() {
		t.Errorf("once %d, twice %d", once.Delivered(), twice.Delivered())
	}
}

func TestDeliveredCountsAWordCutOverDeltasOnceButNotOverChoices(t *testing.T) {
	whole, _ := read(1, `{"choices":[{"delta":{"content":"hello"}}]}`)
	cut, _ := read(1, `{"choices":[{"delta":{"content":"hel"}}]}`, `{"choices":[{"delta":{"content":"lo"}}]}`)
	apart, _ := read(2, `{"choices":[{"index":0,"delta":{"content":"hel"}}]}`, `{"choices":[{"index":1,"delta":{"content":"lo"}}]}`)
	if whole.Delivered() != cut.Delivered() || apart.Delivered() <= cut.Delivered() {
		t.Errorf("whole %d, cut %d, in two choices %d", whole.Delivered(), cut.Delivered(), apart.Delivered())
	}
}

func TestFinishedWaitsForEveryReply(t *testing.T) {
	first, second := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}`
	for name, c := range map[string]struct {
		replies int64
		events  []string
		want    bool
	}{
		"nothing yet":          {1, nil, false},
		"a null finish":        {1, []string{`{"choices":[{"index":0,"finish_reason":null}]}`}, false},
		"one of one":           {1, []string{first}, true},
		"one of two":           {2, []string{first}, false},
		"two of two":           {2, []string{first, second}, true},
		"more than asked":      {1, []string{first, `{"choices":[{"index":1,"delta":{"content":"a"}}]}`}, false},
		"the end event":        {2, []string{`[DONE]`}, true},
		"absurd indexes":       {1, []string{`{"choices":[{"index":-5,"finish_reason":"stop"}]}`}, true},
		"usage ends no stream": {1, []string{`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if r, _ := read(c.replies, c.events...); r.Finished() != c.want {
				t.Errorf("got %v", r.Finished())
			}
		})
	}
}

func TestAWholeBodyIsReadLikeAStream(t *testing.T) {
	r := Chat.NewReader(Facts{Replies: 1})
	seen := r.Body([]byte(`{"choices":[{"index":0,"message":{"content":"hello there","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`))
	if u, ok := r.Usage(); !ok || u != (Usage{Input: 3, Output: 4}) || seen != (Seen{Output: true}) || !r.Finished() || r.Delivered() < 4 {
		t.Errorf("seen %+v, usage %+v, finished %v, delivered %d", seen, u, r.Finished(), r.Delivered())
	}
}

func BenchmarkReadEvent(b *testing.B) {
	event := []byte(`{"id":"chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0","object":"chat.completion.chunk","created":1770933892,"model":"gpt-4.1-nano-2025-04-14","service_tier":"default","system_fingerprint":"fp_de604bd877","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"Qup1BsQ3"}`)
	r := Chat.NewReader(Facts{Replies: 1})
	b.SetBytes(int64(len(event)))
	b.ReportAllocs()
	for b.Loop() {
		r.Event(event)
	}
}

func TestAPictureThatWasDeliveredCounts(t *testing.T) {
	r := Chat.NewReader(Facts{Replies: 1})
	seen := r.Event([]byte(`{"choices":[{"index":0,"delta":{"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}}]}`))
	if !seen.Output || r.Delivered() != pictureTokens {
		t.Errorf("seen %+v, delivered %d", seen, r.Delivered())
	}
	g, _ := readWire(anyGemini, `{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}]}`)
	if g.Delivered() != pictureTokens {
		t.Errorf("Gemini: delivered %d", g.Delivered())
	}
}
