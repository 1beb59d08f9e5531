package translate

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"perdiem/providers/wire"
)

// readOne reads a body as a caller's request, which its wire must take.
func readOne(t *testing.T, d dialect, w wire.Wire, body string) (*Request, *reading) {
	t.Helper()
	if _, err := w.Inspect([]byte(body)); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	r := &reading{}
	return d.read(r, []byte(body)), r
}

// refusal is what a request was refused for; nil if it was not.
func refusal(r *reading) *wire.Invalid {
	var invalid *wire.Invalid
	_ = errors.As(r.err, &invalid)
	return invalid
}

func chatWith(fields string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Hi"}],` + fields + `}`
}

// chatSays wraps one message, chatPart one part of the user's.
func chatSays(message string) string { return `{"model":"m","messages":[` + message + `]}` }

func chatHas(part string) string { return chatSays(`{"role":"user","content":[` + part + `]}`) }

func TestChatRefusesByNameWhatCannotBeCarried(t *testing.T) {
	for _, c := range []struct{ body, param string }{
		{chatWith(`"logprobs":true`), "logprobs"},
		{chatWith(`"top_logprobs":3`), "top_logprobs"},
		{chatWith(`"logit_bias":{"50256":-100}`), "logit_bias"},
		{chatWith(`"modalities":["text","audio"]`), "modalities[1]"},
		{chatWith(`"audio":{"voice":"alloy"}`), "audio"},
		{chatWith(`"functions":[{"name":"f"}]`), "functions"},
		{chatWith(`"function_call":"auto"`), "function_call"},
		{chatWith(`"web_search_options":{}`), "web_search_options"},
		{chatWith(`"novel":1`), "novel"},
		{chatWith(`"temperature":"hot"`), "temperature"},
		{chatWith(`"stop":[1]`), "stop[0]"},
		{chatWith(`"reasoning_effort":"utmost"`), "reasoning_effort"},
		{chatWith(`"response_format":{"type":"grammar"}`), "response_format.type"},
		{chatWith(`"response_format":{"type":"json_schema"}`), "response_format.type"},
		{chatWith(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},"novel":1}}`), "response_format.json_schema.novel"},
		{chatWith(`"stream_options":{"novel":1}`), "stream_options.novel"},
		{chatWith(`"tools":[{"type":"function"}]`), "tools[0]"},
		{chatWith(`"tools":[{"type":"function","function":{"name":""}}]`), "tools[0].function.name"},
		{chatWith(`"tools":[{"type":"function","function":{"name":"f","parameters":7}}]`), "tools[0].function.parameters"},
		{chatWith(`"tools":[{"type":"function","function":{"name":"f","novel":1}}]`), "tools[0].function.novel"},
		{chatWith(`"tool_choice":"sometimes"`), "tool_choice"},
		{chatWith(`"tool_choice":{"type":"web_search"}`), "tool_choice"},
		{chatWith(`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`), "tool_choice.allowed_tools.tools"},
		{chatSays(`{"role":"function","content":"x","name":"f"}`), "messages[0].role"},
		{chatSays(`{"role":"user","content":7}`), "messages[0].content"},
		{chatSays(`{"role":"assistant","content":"x","audio":{"id":"a"}}`), "messages[0].audio"},
		{chatSays(`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`), "messages[0].function_call"},
		{chatSays(`{"role":"assistant","tool_calls":[{"id":"a","type":"function"}]}`), "messages[0].tool_calls[0]"},
		{chatSays(`{"role":"assistant","tool_calls":[{"id":"a","type":"other","function":{"name":"f"}}]}`), "messages[0].tool_calls[0].type"},
		{chatHas(`{"type":"video_url","video_url":{"url":"https://a/b"}}`), "messages[0].content[0].video_url"},
		{chatHas(`{"type":"image_url","image_url":{}}`), "messages[0].content[0].image_url"},
		{chatHas(`{"type":"image_url","image_url":{"url":"data:image/svg+xml,<svg/>"}}`), "messages[0].content[0].image_url.url"},
		{chatHas(`{"type":"file","file":{"file_id":"f"}}`), "messages[0].content[0].file.file_id"},
		{chatHas(`{"type":"file","file":{"file_data":"JVBERi0="}}`), "messages[0].content[0].file.file_data"},
	} {
		_, r := readOne(t, chat, wire.Chat, c.body)
		invalid := refusal(r)
		if invalid == nil || invalid.Param != c.param || !strings.Contains(invalid.Message, c.param) {
			t.Errorf("%s: got %+v, want a refusal of %s", c.body, invalid, c.param)
		}
	}
}

func TestChatLeavesOutAndTells(t *testing.T) {
	for _, c := range []struct{ body, left string }{
		{chatWith(`"metadata":{"a":"b"}`), "metadata"},
		{chatWith(`"store":true`), "store"},
		{chatWith(`"service_tier":"flex"`), "service_tier"},
		{chatWith(`"prediction":{"type":"content","content":"x"}`), "prediction"},
		{chatWith(`"verbosity":"low"`), "verbosity"},
		{chatWith(`"prompt_cache_key":"k"`), "prompt_cache_key"},
		{chatWith(`"prompt_cache_retention":"24h"`), "prompt_cache_retention"},
		{chatWith(`"safety_identifier":"s"`), "safety_identifier"},
		{chatWith(`"stream_options":{"include_obfuscation":true}`), "stream_options.include_obfuscation"},
		{chatWith(`"tools":[{"type":"web_search"}]`), "tools.web_search"},
		{chatWith(`"tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral"}}]`), "tools.cache_control"},
		{chatSays(`{"role":"user","content":"x","cache_control":{"type":"ephemeral"}}`), "messages.cache_control"},
		{chatSays(`{"role":"user","content":"x","name":"ada"}`), "messages.name"},
		{chatSays(`{"role":"assistant","content":"x","name":"ada"}`), "messages.name"},
		{chatHas(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`), "messages.cache_control"},
		{chatSays(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"other":1}}]}`), "messages.extra_content"},
		{chatSays(`{"role":"assistant","content":"x","annotations":[{"type":"url_citation"}]}`), "messages.annotations"},
		{chatSays(`{"role":"assistant","content":"x","reasoning_details":[{"type":"reasoning.text"}]}`), "messages.reasoning_details"},
	} {
		_, r := readOne(t, chat, wire.Chat, c.body)
		if r.err != nil || !slices.Equal(r.left, []string{c.left}) {
			t.Errorf("%s: got %v, %q, want %s left out", c.body, r.err, r.left, c.left)
		}
	}
}

func TestChatTakesWhatAsksForNothing(t *testing.T) {
	for _, fields := range []string{
		`"logprobs":false`, `"logprobs":null`, `"top_logprobs":0`, `"logit_bias":{}`, `"modalities":["text"]`, `"store":false`, `"metadata":{}`,
		`"audio":null`, `"functions":null`, `"novel":null`, `"response_format":{"type":"text"}`, `"stream_options":null`,
	} {
		q, r := readOne(t, chat, wire.Chat, chatWith(fields))
		want := &Request{Model: "m", Messages: []Message{{User, []Part{{Kind: Text, Text: "Hi"}}}}}
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(q, want) {
			t.Errorf("%s: got %+v, %v, %q", fields, q, r.err, r.left)
		}
	}
}

func TestChatCarries(t *testing.T) {
	yes := true
	for _, c := range []struct {
		body string
		want func(q *Request)
	}{
		{chatWith(`"max_tokens":5,"max_completion_tokens":7`), func(q *Request) { q.MaxTokens = 7 }},
		{chatWith(`"stop":"END"`), func(q *Request) { q.Stop = []string{"END"} }},
		{chatWith(`"temperature":0.70000000000000001`), func(q *Request) { q.Temperature = "0.70000000000000001" }},
		{chatWith(`"seed":9007199254740993`), func(q *Request) { q.Seed = "9007199254740993" }},
		{chatWith(`"stream":true,"stream_options":{"include_usage":true}`), func(q *Request) { q.Stream, q.UsageAsked = true, true }},
		{chatWith(`"reasoning_effort":"none"`), func(q *Request) { q.Thinking = &Thinking{Off: true} }},
		{chatWith(`"reasoning_effort":"high"`), func(q *Request) { q.Thinking = &Thinking{Effort: "high"} }},
		{chatWith(`"response_format":{"type":"json_object"}`), func(q *Request) { q.Format = &Format{} }},
		{chatWith(`"parallel_tool_calls":true`), func(q *Request) { q.Parallel = &yes }},
		{chatWith(`"tool_choice":{"type":"function","function":{"name":"f"}}`), func(q *Request) { q.Choice = Choice{Mode: ChooseOne, Name: "f"} }},
		{chatWith(`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}}]}}`),
			func(q *Request) { q.Choice = Choice{Mode: ChooseRequired, Allowed: []string{"f"}} }},
		{chatWith(`"tools":[{"type":"function","function":{"name":"a.b","parameters":{"type":"object"}}}]`),
			func(q *Request) {
				q.Tools = []Tool{{Name: "a_b", Said: "a.b", Parameters: []byte(`{"type":"object"}`)}}
			}},
		{chatWith(`"tools":[{"type":"custom","custom":{"name":"c","description":"d","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: X"}}}}]`),
			func(q *Request) {
				q.Tools = []Tool{{Name: "c", Free: true, Parameters: freeParameters, Description: "d\n\nThe text in input must follow this lark grammar:\nstart: X"}}
			}},
		{chatSays(`{"role":"developer","content":"x"}`), says(System, Part{Kind: Text, Text: "x"})},
		{chatHas(`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}`),
			says(User, Part{Kind: Image, MIME: "image/png", Data: "AAAA", Detail: "low"})},
		{chatHas(`{"type":"image_url","image_url":{"url":"data:image/JPG;charset=x;base64,AAAA"}}`), says(User, Part{Kind: Image, MIME: "image/jpeg", Data: "AAAA"})},
		{chatHas(`{"type":"image_url","image_url":{"url":"https://a/b.png"}}`), says(User, Part{Kind: Image, URL: "https://a/b.png"})},
		{chatHas(`{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"f.pdf"}}`),
			says(User, Part{Kind: File, MIME: "application/pdf", Data: "AAAA", Name: "f.pdf"})},
		{chatHas(`{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}`), says(User, Part{Kind: Audio, MIME: "audio/wav", Data: "AAAA"})},
		{chatSays(`{"role":"assistant","content":"","reasoning_content":"hm","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"},"extra_content":{"google":{"thought_signature":"s"}}}]}`),
			says(Assistant, Part{Kind: Thought, Text: "hm"}, Part{Kind: Call, ID: "a", Name: "f", Arguments: `{"x":1}`, Proof: Proof{ByGoogle, "s"}})},
		{chatSays(`{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"c","input":"<\"x\">"}}]}`),
			says(Assistant, Part{Kind: Call, ID: "a", Name: "c", Arguments: `{"input":"<\"x\">"}`})},
		{chatSays(`{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"r"}]}`),
			says(ToolRole, Part{Kind: Result, ID: "a", Content: []Part{{Kind: Text, Text: "r"}}})},
		{chatSays(`{"role":"tool","tool_call_id":"a","content":""}`), says(ToolRole, Part{Kind: Result, ID: "a"})},
	} {
		q, r := readOne(t, chat, wire.Chat, c.body)
		want := &Request{Model: "m", Messages: []Message{{User, []Part{{Kind: Text, Text: "Hi"}}}}}
		c.want(want)
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(q, want) {
			t.Errorf("%s:\ngot  %+v, %v, %q\nwant %+v", c.body, q, r.err, r.left, want)
		}
	}
}

func says(role Role, parts ...Part) func(*Request) {
	return func(q *Request) { q.Messages = []Message{{role, parts}} }
}

func FuzzChatRead(f *testing.F) {
	f.Add([]byte(chatWith(`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"auto","stop":["a"]`)))
	f.Add([]byte(chatSays(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}`)))
	f.Add([]byte(chatHas(`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`)))
	f.Fuzz(func(t *testing.T, body []byte) { mustReadSafely(t, chat, wire.Chat, body) })
}

// mustReadSafely reads foreign bytes and writes them in each dialect: an error says which field, and a request that is
// written is one that its wire takes, with no call and no result lost.
func mustReadSafely(t *testing.T, d dialect, w wire.Wire, body []byte) {
	if _, err := w.Inspect(body); err != nil {
		return
	}
	r := &reading{}
	q := d.read(r, body)
	if r.err != nil {
		if invalid := refusal(r); invalid == nil || invalid.Message == "" {
			t.Fatalf("got %v", r.err)
		}
		return
	}
	wr := &writing{reading: r}
	b := chat.write(wr, q, Options{Model: "m", CapField: wire.MaxTokensField})
	if r.err != nil {
		return
	}
	said, err := marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Chat.Inspect(said); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	again := &reading{}
	back := chat.read(again, said)
	if again.err != nil {
		t.Fatalf("%v: %s", again.err, said)
	}
	for _, kind := range []PartKind{Call, Result} {
		if got, want := count(back, kind), count(q, kind); got != want {
			t.Fatalf("%d parts of kind %d became %d: %s", want, kind, got, said)
		}
	}
}

func count(q *Request, kind PartKind) (n int) {
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			if p.Kind == kind {
				n++
			}
		}
	}
	return n
}
