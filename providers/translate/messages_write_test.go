package translate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"perdiem/providers/wire"
)

// messagesOptions are those of a model that thinks by a budget.
var messagesOptions = Options{Model: "claude-3-7-sonnet", Reply: 4000, Reasons: true}

// saidAsMessages writes a request, which Anthropic's wire must know again.
func saidAsMessages(t *testing.T, q *Request, o Options) (body string, left []string, err error) {
	t.Helper()
	w := &writing{&reading{}}
	v := writeMessages(w, q, o)
	if w.err != nil {
		return "", nil, w.err
	}
	said, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := wire.Messages.Inspect(said)
	if err != nil || facts.Model != o.Model {
		t.Fatalf("%v: %s", err, said)
	}
	return string(said), w.left, nil
}

var helloMessage = Message{User, []Part{{Text: "Hello"}}}

// hello is a request with a message and what change adds to it.
func hello(change func(q *Request)) *Request {
	q := &Request{Messages: []Message{helloMessage}}
	change(q)
	return q
}

// history is a request with these messages.
func history(messages ...Message) *Request { return &Request{Messages: messages} }

func TestMessagesWritesFields(t *testing.T) {
	const (
		start = `{"model":"claude-3-7-sonnet","max_tokens":4000,`
		said  = `"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}]`
		tool  = `,"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]`
	)
	withTool := func(change func(q *Request)) *Request {
		return hello(func(q *Request) {
			q.Tools = []Tool{{Name: "f"}}
			change(q)
		})
	}
	for name, c := range map[string]struct {
		q    *Request
		want string
	}{
		"the least":        {hello(func(*Request) {}), start + said},
		"a stream":         {hello(func(q *Request) { q.Stream = true }), start + said + `,"stream":true`},
		"the caller's cap": {hello(func(q *Request) { q.MaxTokens = 7 }), `{"model":"claude-3-7-sonnet","max_tokens":7,` + said},
		"sampling":         {hello(func(q *Request) { q.Temperature, q.TopP, q.TopK = "0.70", "0.9", "40" }), start + said + `,"temperature":0.70,"top_p":0.9,"top_k":40`},
		"stop sequences":   {hello(func(q *Request) { q.Stop = []string{"END", " ."} }), start + said + `,"stop_sequences":["END"," ."]`},
		"the end user":     {hello(func(q *Request) { q.User = "u1" }), start + said + `,"metadata":{"user_id":"u1"}`},
		"a schema":         {hello(func(q *Request) { q.Format = &Format{Name: "n", Schema: []byte(`{"type":"object"}`)} }), start + said + `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`},
		"a budget":         {hello(func(q *Request) { q.Thinking = &Thinking{Budget: 2000} }), start + said + `,"thinking":{"type":"enabled","budget_tokens":2000}`},
		"an effort":        {hello(func(q *Request) { q.Thinking = &Thinking{Effort: "low"} }), start + said + `,"thinking":{"type":"enabled","budget_tokens":1024}`},
		"the least effort": {hello(func(q *Request) { q.Thinking = &Thinking{Effort: "minimal"} }), start + said + `,"thinking":{"type":"enabled","budget_tokens":1024}`},
		"too large an one": {hello(func(q *Request) { q.Thinking = &Thinking{Effort: "high"} }), start + said + `,"thinking":{"type":"enabled","budget_tokens":3000}`},
		"its own measure":  {hello(func(q *Request) { q.MaxTokens, q.Thinking = 32000, &Thinking{} }), `{"model":"claude-3-7-sonnet","max_tokens":32000,` + said + `,"thinking":{"type":"enabled","budget_tokens":8192}`},
		"no thinking":      {hello(func(q *Request) { q.Thinking = &Thinking{Off: true} }), start + said + `,"thinking":{"type":"disabled"}`},
		"a tool": {hello(func(q *Request) {
			q.Tools = []Tool{{Name: "f", Description: "d", Parameters: []byte(`{"properties":{"b":{},"a":{}}}`), Strict: yes(false)}}
		}), start + said + `,"tools":[{"name":"f","description":"d","input_schema":{"properties":{"b":{},"a":{}},"type":"object"}}]`},
		"auto":            {withTool(func(q *Request) { q.Choice.Mode = ChooseAuto }), start + said + tool + `,"tool_choice":{"type":"auto"}`},
		"none":            {withTool(func(q *Request) { q.Choice.Mode, q.Parallel = ChooseNone, yes(false) }), start + said + tool + `,"tool_choice":{"type":"none"}`},
		"any":             {withTool(func(q *Request) { q.Choice.Mode, q.Parallel = ChooseRequired, yes(true) }), start + said + tool + `,"tool_choice":{"type":"any","disable_parallel_tool_use":false}`},
		"one":             {withTool(func(q *Request) { q.Choice = Choice{Mode: ChooseOne, Name: "f"} }), start + said + tool + `,"tool_choice":{"type":"tool","name":"f"}`},
		"one by one":      {withTool(func(q *Request) { q.Parallel = yes(false) }), start + said + tool + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`},
		"several at once": {withTool(func(q *Request) { q.Parallel = yes(true) }), start + said + tool},
		"some of the tools": {hello(func(q *Request) {
			q.Tools, q.Choice = []Tool{{Name: "f"}, {Name: "g"}}, Choice{Mode: ChooseAuto, Allowed: []string{"f"}}
		}), start + said + tool + `,"tool_choice":{"type":"auto"}`},
		"a choice of none": {hello(func(q *Request) { q.Choice.Mode = ChooseAuto }), start + said},
	} {
		body, left, err := saidAsMessages(t, c.q, messagesOptions)
		if want := c.want + "}"; err != nil || len(left) > 0 || body != want {
			t.Errorf("%s: %v, left %q\ngot  %s\nwant %s", name, err, left, body, want)
		}
	}
}

func TestMessagesWritesTurns(t *testing.T) {
	text := func(role Role, words ...string) (m Message) {
		m.Role = role
		for _, w := range words {
			m.Parts = append(m.Parts, Part{Text: w})
		}
		return m
	}
	call := func(id, arguments string) Part { return Part{Kind: Call, ID: id, Name: "f", Arguments: arguments} }
	result := func(id string, content ...Part) Message {
		return Message{ToolRole, []Part{{Kind: Result, ID: id, Content: content}}}
	}
	const (
		forbidden = `,"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"none"}`
		user      = `{"role":"user","content":[{"type":"text","text":"a"}]}`
		used      = `{"type":"tool_use","id":"c1","name":"f","input":{}}`
	)
	for name, c := range map[string]struct {
		q    *Request
		want string
	}{
		"the system's words, hoisted": {history(text(System, "A", " "), text(User, "a"), text(System, "B")), `"system":[{"type":"text","text":"A"},{"type":"text","text":"B"}],"messages":[` + user + `]`},
		"turns of one, joined":        {history(text(User, "a"), text(User, "b"), text(Assistant, "c"), text(Assistant, "d"), text(User, "e")), `"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"text","text":"c"},{"type":"text","text":"d"}]},{"role":"user","content":[{"type":"text","text":"e"}]}]`},
		"the system's words alone":    {history(text(System, "a")), `"messages":[` + user + `]`},
		"the assistant's words first": {history(text(Assistant, "b"), text(User, "c")), `"messages":[{"role":"user","content":[{"type":"text","text":"(The assistant speaks first.)"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`},
		"nothing but white space":     {history(text(User, "a", "", " \n"), text(Assistant, ""), text(User, "\t")), `"messages":[` + user + `]`},
		"last words of the assistant": {history(text(User, "a"), text(Assistant, "b \n")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"text","text":"b"}]}]`},
		"parallel calls":              {history(text(User, "a"), Message{Assistant, []Part{call("c1", "{}"), {Text: "b"}, call("c2", `{"n": 1.50}`)}}, result("c1", Part{Text: "r"}), result("c2"), text(User, "c")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"text","text":"b"},` + used + `,{"type":"tool_use","id":"c2","name":"f","input":{"n":1.50}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"r"}]},{"type":"tool_result","tool_use_id":"c2"},{"type":"text","text":"c"}]}]` + forbidden},
		"ids that others write":       {history(text(User, "a"), Message{Assistant, []Part{call("c.1", ""), call("c_1", ""), call("", "")}}, result("c_1"), result("c.1"), result("")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"c_1","name":"f","input":{}},{"type":"tool_use","id":"c_1_2","name":"f","input":{}},{"type":"tool_use","id":"call","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c_1_2"},{"type":"tool_result","tool_use_id":"c_1"},{"type":"tool_result","tool_use_id":"call"}]}]` + forbidden},
		"arguments that are none":     {history(text(User, "a"), Message{Assistant, []Part{call("c1", `{"a`)}}, result("c1")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"arguments":"{\"a"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1"}]}]` + forbidden},
		"a tool that failed":          {history(text(User, "a"), Message{Assistant, []Part{call("c1", "{}")}}, Message{ToolRole, []Part{{Kind: Result, ID: "c1", Failed: true}}}), `"messages":[` + user + `,{"role":"assistant","content":[` + used + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true}]}]` + forbidden},
		"an image in a result":        {history(text(User, "a"), Message{Assistant, []Part{call("c1", "{}")}}, result("c1", Part{Kind: Image, MIME: "image/png", Data: "AA=="})), `"messages":[` + user + `,{"role":"assistant","content":[` + used + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}]}]` + forbidden},
		"its own thoughts":            {history(text(User, "a"), Message{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, "c2ln"}}, {Kind: Thought, Proof: Proof{HiddenByAnthropic, "xyz"}}, {Text: "b"}}}, text(User, "c")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"xyz"},{"type":"text","text":"b"}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`},
		"others' thoughts":            {history(text(User, "a"), Message{Assistant, []Part{{Kind: Thought, Text: "hm"}, {Kind: Thought, Text: "hm", Proof: Proof{ByGoogle, "c2ln"}}, {Kind: Refusal, Text: "No."}}}, text(User, "c")), `"messages":[` + user + `,{"role":"assistant","content":[{"type":"text","text":"No."}]},{"role":"user","content":[{"type":"text","text":"c"}]}]`},
		"media":                       {history(Message{User, []Part{{Kind: Image, URL: "https://a/b.png", Detail: "auto"}, {Kind: File, MIME: "application/pdf", Data: "AA==", Name: "T"}, {Kind: File, URL: "https://a/b"}, {Kind: File, MIME: "text/csv", Data: "YSxi"}}}), `"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://a/b.png"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="},"title":"T"},{"type":"document","source":{"type":"url","url":"https://a/b"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a,b"}}]}]`},
	} {
		body, left, err := saidAsMessages(t, c.q, messagesOptions)
		if want := `{"model":"claude-3-7-sonnet","max_tokens":4000,` + c.want + "}"; err != nil || len(left) > 0 || body != want {
			t.Errorf("%s: %v, left %q\ngot  %s\nwant %s", name, err, left, body, want)
		}
	}
}

func TestMessagesRefusesToWrite(t *testing.T) {
	for name, c := range map[string]struct {
		q     *Request
		param string
	}{
		"no words":                {history(Message{System, []Part{{Text: " "}}}), "messages"},
		"several replies":         {hello(func(q *Request) { q.Replies = 2 }), "n"},
		"probabilities":           {hello(func(q *Request) { q.Logprobs = true }), "logprobs"},
		"any JSON":                {hello(func(q *Request) { q.Format = &Format{} }), "response_format"},
		"a stop at a line":        {hello(func(q *Request) { q.Stop = []string{"\n"} }), "stop"},
		"sound":                   {history(helloMessage, Message{User, []Part{{Kind: Audio}}}), "messages[1].content[0]"},
		"a picture by the system": {history(Message{System, []Part{{Kind: Image}}}, helloMessage), "messages[0].content[0]"},
		"a spreadsheet":           {history(Message{User, []Part{{Kind: File, MIME: "application/vnd.ms-excel", Data: "AA=="}}}), "messages[0].content[0]"},
		"a text that is none":     {history(Message{User, []Part{{Kind: File, MIME: "text/plain", Data: "?"}}}), "messages[0].content[0]"},
		"a call in a result":      {history(Message{ToolRole, []Part{{Kind: Result, ID: "c1", Content: []Part{{Kind: Call}}}}}), "messages[0].content[0]"},
	} {
		_, _, err := saidAsMessages(t, c.q, messagesOptions)
		if invalid := (*wire.Invalid)(nil); !errors.As(err, &invalid) || invalid.Param != c.param {
			t.Errorf("%s: got %#v, want %q refused", name, err, c.param)
		}
	}
}

// What the models of the family take differs, and so does what is left out for them.
func TestMessagesGivesEachModelWhatItTakes(t *testing.T) {
	think := func(t Thinking) func(*Request) { return func(q *Request) { q.Thinking = &t } }
	sample := func(q *Request) { q.Temperature, q.TopP, q.TopK = "0.5", "0.9", "40" }
	inCalls := func(proof Proof) *Request {
		q := history(helloMessage, Message{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: proof}, {Kind: Call, ID: "c1", Name: "f"}}}, Message{ToolRole, []Part{{Kind: Result, ID: "c1"}}})
		q.Tools, q.Thinking = []Tool{{Name: "f"}}, &Thinking{Effort: "low"}
		return q
	}
	for name, c := range map[string]struct {
		model string
		q     *Request
		want  string // in the body
		left  []string
	}{
		"an effort, for the new":          {"claude-sonnet-4-6", hello(think(Thinking{Effort: "high", Shown: true})), `"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`, nil},
		"an effort beside a format":       {"claude-opus-4-8", hello(func(q *Request) { q.Thinking, q.Format = &Thinking{Effort: "minimal"}, &Format{Schema: []byte("{}")} }), `"thinking":{"type":"adaptive"},"output_config":{"effort":"low","format":{"type":"json_schema","schema":{}}}}`, nil},
		"a budget, for the new":           {"anthropic/claude-opus-4.7", hello(think(Thinking{Budget: 9000})), `"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"}}`, nil},
		"their own measure, for the new":  {"claude-opus-5", hello(think(Thinking{})), `"thinking":{"type":"adaptive"}}`, nil},
		"an effort, for the old":          {"claude-opus-4-20250514", hello(think(Thinking{Effort: "low"})), `"thinking":{"type":"enabled","budget_tokens":1024}}`, nil},
		"an effort, for another vendor's": {"deepseek-chat", hello(think(Thinking{Effort: "low"})), `"thinking":{"type":"enabled","budget_tokens":1024}}`, nil},
		"no thinking, for the new":        {"claude-opus-4-7", hello(think(Thinking{Off: true})), `"thinking":{"type":"disabled"}}`, nil},
		"no thinking, where it always is": {"claude-mythos-preview", hello(think(Thinking{Off: true})), `]}]}`, []string{"thinking"}},
		"thinking within a small cap":     {"claude-3-7-sonnet", hello(func(q *Request) { q.MaxTokens, q.Thinking = 1024, &Thinking{Effort: "low"} }), `]}]}`, []string{"thinking"}},
		"thinking and a forced call": {"claude-sonnet-4-6", hello(func(q *Request) {
			q.Tools, q.Choice, q.Thinking = []Tool{{Name: "f"}}, Choice{Mode: ChooseRequired}, &Thinking{}
		}), `"tool_choice":{"type":"any"}}`, []string{"thinking"}},
		"thinking amid calls":              {"claude-3-7-sonnet", inCalls(Proof{}), `"input_schema":{"type":"object","properties":{}}}]}`, []string{"thinking"}},
		"thinking amid calls, thought of":  {"claude-3-7-sonnet", inCalls(Proof{ByAnthropic, "c2ln"}), `"thinking":{"type":"enabled","budget_tokens":1024}}`, nil},
		"thinking amid calls, for the new": {"claude-sonnet-4-6", inCalls(Proof{}), `"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}}`, nil},
		"sampling, for the old":            {"claude-3-5-haiku-latest", hello(sample), `"temperature":0.5,"top_p":0.9,"top_k":40}`, nil},
		"one of two samplers":              {"claude-haiku-4-5-20251001", hello(sample), `"temperature":0.5,"top_k":40}`, []string{"top_p"}},
		"no sampling, for the new":         {"claude-fable-5-2", hello(sample), `]}]}`, []string{"temperature", "top_p", "top_k"}},
		"sampling beside thinking":         {"claude-3-7-sonnet", hello(func(q *Request) { sample(q); q.Thinking = &Thinking{Budget: 1024} }), `"thinking":{"type":"enabled","budget_tokens":1024}}`, []string{"temperature", "top_p", "top_k"}},
		"much heat":                        {"claude-3-7-sonnet", hello(func(q *Request) { q.Temperature = "1.5" }), `"temperature":1}`, []string{"temperature above 1"}},
		"what it never knew":               {"claude-3-7-sonnet", hello(func(q *Request) { q.Presence, q.Frequency, q.Seed, q.User = "1", "1", "7", strings.Repeat("x", 257) }), `]}]}`, []string{"presence_penalty", "frequency_penalty", "seed", "user"}},
		"strictness, for the new":          {"claude-sonnet-4-5", hello(func(q *Request) { q.Tools = []Tool{{Name: "f", Strict: yes(true)}} }), `"strict":true}]}`, nil},
		"strictness, for the old":          {"claude-opus-4-1", hello(func(q *Request) { q.Tools = []Tool{{Name: "f", Strict: yes(true)}} }), `"properties":{}}}]}`, []string{"strict"}},
		"detail":                           {"claude-3-7-sonnet", history(Message{User, []Part{{Kind: Image, URL: "u", Detail: "high"}}}), `"url":"u"}}]}]}`, []string{"detail"}},
	} {
		o := messagesOptions
		o.Model = c.model
		body, left, err := saidAsMessages(t, c.q, o)
		if err != nil || !slices.Equal(left, c.left) || !strings.HasSuffix(body, c.want) {
			t.Errorf("%s: %v, left %q\ngot  %s\nwant %s", name, err, left, body, c.want)
		}
	}
}

func TestMessagesDoesNotAskForThoughtsWhereThereAreNone(t *testing.T) {
	o := messagesOptions
	o.Reasons = false
	for thinking, want := range map[Thinking][]string{{Effort: "low"}: {"thinking"}, {Off: true}: nil} {
		body, left, err := saidAsMessages(t, hello(func(q *Request) { q.Thinking = &thinking }), o)
		if err != nil || !slices.Equal(left, want) || strings.Contains(body, `"thinking"`) {
			t.Errorf("%+v: %v, left %q: %s", thinking, err, left, body)
		}
	}
}
