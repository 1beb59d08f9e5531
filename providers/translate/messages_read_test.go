package translate

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// readMessagesBody reads a body that Inspect accepts, as all are that come so far.
func readMessagesBody(t *testing.T, body string) (*Request, *reading) {
	t.Helper()
	if _, err := wire.Messages.Inspect([]byte(body)); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	r := &reading{}
	return readMessages(r, []byte(body)), r
}

func yes(b bool) *bool { return &b }

// asking is a request of one user's message and further fields.
func asking(fields string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Hello"}]` + fields + `}`
}

// saying is a request of some messages.
func saying(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }

// userBlock is a request of one message of the user's with one block.
func userBlock(block string) string { return saying(`{"role":"user","content":[` + block + `]}`) }

func TestMessagesCarriesFields(t *testing.T) {
	hello := Message{User, []Part{{Kind: Text, Text: "Hello"}}}
	asked := func(change func(q *Request)) Request {
		q := Request{Model: "m", Messages: []Message{hello}}
		change(&q)
		return q
	}
	tools := func(change func(q *Request)) Request {
		return asked(func(q *Request) {
			q.Tools = []Tool{{Name: "f", Parameters: []byte(`{"type":"object"}`)}}
			change(q)
		})
	}
	const tool = `,"tools":[{"name":"f","input_schema":{"type":"object"}}]`
	long := strings.Repeat("x", 70)
	for name, c := range map[string]struct {
		body string
		want Request
	}{
		"the least":       {asking(``), asked(func(*Request) {})},
		"a stream":        {asking(`,"stream":true`), asked(func(q *Request) { q.Stream = true })},
		"the limit":       {asking(`,"max_tokens":32000`), asked(func(q *Request) { q.MaxTokens = 32000 })},
		"nulls":           {asking(`,"system":null,"tools":null,"thinking":null,"odd":null`), asked(func(*Request) {})},
		"a system prompt": {asking(`,"system":"Be kind."`), asked(func(q *Request) { q.Messages = []Message{{System, []Part{{Kind: Text, Text: "Be kind."}}}, hello} })},
		"its blocks":      {asking(`,"system":[{"type":"text","text":"A"},{"type":"text","text":"B"}]`), asked(func(q *Request) { q.Messages = []Message{{System, []Part{{Text: "A"}, {Text: "B"}}}, hello} })},
		"stop sequences":  {asking(`,"stop_sequences":["a","b"]`), asked(func(q *Request) { q.Stop = []string{"a", "b"} })},
		"digits":          {asking(`,"temperature":0.70,"top_p":1e-1,"top_k":40`), asked(func(q *Request) { q.Temperature, q.TopP, q.TopK = "0.70", "1e-1", "40" })},
		"the end user":    {asking(`,"metadata":{"user_id":"u1"}`), asked(func(q *Request) { q.User = "u1" })},
		"a budget":        {asking(`,"thinking":{"type":"enabled","budget_tokens":2000}`), asked(func(q *Request) { q.Thinking = &Thinking{Budget: 2000, Shown: true} })},
		"a hidden one":    {asking(`,"thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}`), asked(func(q *Request) { q.Thinking = &Thinking{Budget: 2000} })},
		"its own measure": {asking(`,"thinking":{"type":"adaptive"}`), asked(func(q *Request) { q.Thinking = &Thinking{} })},
		"a summary":       {asking(`,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"}`), asked(func(q *Request) { q.Thinking = &Thinking{Effort: "max", Shown: true} })},
		"an effort alone": {asking(`,"output_config":{"effort":"low"}`), asked(func(q *Request) { q.Thinking = &Thinking{Effort: "low"} })},
		"no thinking":     {asking(`,"thinking":{"type":"disabled"}`), asked(func(q *Request) { q.Thinking = &Thinking{Off: true} })},
		"a schema":        {asking(`,"output_config":{"format":{"type":"json_schema","schema":{"b":1,"a":2}}}`), asked(func(q *Request) { q.Format = &Format{Schema: []byte(`{"b":1,"a":2}`)} })},
		"an early schema": {asking(`,"output_format":{"type":"json_schema","schema":{}}`), asked(func(q *Request) { q.Format = &Format{Schema: []byte(`{}`)} })},
		"a tool": {asking(`,"tools":[{"type":"custom","name":"f","description":"d","strict":true,"input_schema":{"type":"object"},"allowed_callers":["direct"]}]`), asked(func(q *Request) {
			q.Tools = []Tool{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`), Strict: yes(true)}}
		})},
		"a long name": {asking(`,"tools":[{"name":"` + long + `"}],"tool_choice":{"type":"tool","name":"` + long + `"}`), asked(func(q *Request) {
			q.Tools, q.Choice = []Tool{{Name: long[:64], Said: long}}, Choice{Mode: ChooseOne, Name: long[:64]}
		})},
		"auto":              {asking(tool + `,"tool_choice":{"type":"auto"}`), tools(func(q *Request) { q.Choice.Mode = ChooseAuto })},
		"none":              {asking(tool + `,"tool_choice":{"type":"none"}`), tools(func(q *Request) { q.Choice.Mode = ChooseNone })},
		"any":               {asking(tool + `,"tool_choice":{"type":"any"}`), tools(func(q *Request) { q.Choice.Mode = ChooseRequired })},
		"one, one by one":   {asking(tool + `,"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true}`), tools(func(q *Request) { q.Choice, q.Parallel = Choice{Mode: ChooseOne, Name: "f"}, yes(false) })},
		"no servers of MCP": {asking(`,"mcp_servers":[]`), asked(func(*Request) {})},
	} {
		q, r := readMessagesBody(t, c.body)
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(*q, c.want) {
			t.Errorf("%s: %v, left %q\ngot  %+v\nwant %+v", name, r.err, r.left, *q, c.want)
		}
	}
}

func TestMessagesCarriesContent(t *testing.T) {
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{"n": 1.50}}` }
	for name, c := range map[string]struct {
		body string
		want []Message
	}{
		"an image":             {userBlock(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}`), []Message{{User, []Part{{Kind: Image, MIME: "image/png", Data: "AA=="}}}}},
		"an image's address":   {userBlock(`{"type":"image","source":{"type":"url","url":"https://a/b.png"}}`), []Message{{User, []Part{{Kind: Image, URL: "https://a/b.png"}}}}},
		"a file":               {userBlock(`{"type":"document","title":"T","citations":{"enabled":false},"source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}`), []Message{{User, []Part{{Kind: File, MIME: "application/pdf", Data: "AA==", Name: "T"}}}}},
		"a file's address":     {userBlock(`{"type":"document","source":{"type":"url","url":"https://a/b.pdf"}}`), []Message{{User, []Part{{Kind: File, URL: "https://a/b.pdf"}}}}},
		"a file of text":       {userBlock(`{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"words"}}`), []Message{{User, []Part{{Text: "T"}, {Text: "words"}}}}},
		"a file of blocks":     {userBlock(`{"type":"document","source":{"type":"content","content":[{"type":"text","text":"words"}]}}`), []Message{{User, []Part{{Text: "words"}}}}},
		"empty texts":          {saying(`{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"a"}]},{"role":"assistant","content":""},{"role":"user","content":"b"}`), []Message{{User, []Part{{Text: "a"}}}, {User, []Part{{Text: "b"}}}}},
		"the system, later":    {saying(`{"role":"user","content":"a"},{"role":"system","content":"b"}`), []Message{{User, []Part{{Text: "a"}}}, {System, []Part{{Text: "b"}}}}},
		"a thought":            {saying(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"xyz"}]},{"role":"user","content":"b"}`), []Message{{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, "c2ln"}}, {Kind: Thought, Proof: Proof{HiddenByAnthropic, "xyz"}}}}, {User, []Part{{Text: "b"}}}}},
		"another's thought":    {saying(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Z29vZ2xlOmMybG4="},{"type":"thinking","thinking":"","signature":""}]},{"role":"user","content":"b"}`), []Message{{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByGoogle, "c2ln"}}}}, {User, []Part{{Text: "b"}}}}},
		"calls, then results":  {saying(`{"role":"assistant","content":[{"type":"text","text":"a"},` + call("c1") + `,` + call("c2") + `]},{"role":"user","content":[{"type":"text","text":"b"},{"type":"tool_result","tool_use_id":"c1","content":"r"},{"type":"tool_result","tool_use_id":"c2","is_error":true}]}`), []Message{{Assistant, []Part{{Text: "a"}, {Kind: Call, ID: "c1", Name: "f", Arguments: `{"n": 1.50}`}, {Kind: Call, ID: "c2", Name: "f", Arguments: `{"n": 1.50}`}}}, {ToolRole, []Part{{Kind: Result, ID: "c1", Content: []Part{{Text: "r"}}}}}, {ToolRole, []Part{{Kind: Result, ID: "c2", Failed: true}}}, {User, []Part{{Text: "b"}}}}},
		"an image in a result": {userBlock(`{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"r"},{"type":"image","source":{"type":"url","url":"u"}}]}`), []Message{{ToolRole, []Part{{Kind: Result, ID: "c1", Content: []Part{{Text: "r"}, {Kind: Image, URL: "u"}}}}}}},
		"a call by the model":  {saying(`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{},"caller":{"type":"direct"}}]},{"role":"user","content":"b"}`), []Message{{Assistant, []Part{{Kind: Call, ID: "c1", Name: "f", Arguments: "{}"}}}, {User, []Part{{Text: "b"}}}}},
	} {
		q, r := readMessagesBody(t, c.body)
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(q.Messages, c.want) {
			t.Errorf("%s: %v, left %q\ngot  %+v\nwant %+v", name, r.err, r.left, q.Messages, c.want)
		}
	}
}

func TestMessagesRefusesByName(t *testing.T) {
	for name, c := range map[string]struct{ body, param string }{
		"an unknown field":               {asking(`,"odd":1`), "odd"},
		"a container":                    {asking(`,"container":"c1"`), "container"},
		"where it must run":              {asking(`,"inference_geo":"eu"`), "inference_geo"},
		"servers of MCP":                 {asking(`,"mcp_servers":[{"name":"a"}]`), "mcp_servers"},
		"an unknown way to think":        {asking(`,"thinking":{"type":"odd"}`), "thinking.type"},
		"an unknown effort":              {asking(`,"output_config":{"effort":"utmost"}`), "output_config.effort"},
		"a format without a schema":      {asking(`,"output_config":{"format":{"type":"json_schema"}}`), "output_config.format"},
		"another format":                 {asking(`,"output_config":{"format":{"type":"regex"}}`), "output_config.format.type"},
		"a system prompt that is none":   {asking(`,"system":7`), "system"},
		"an image in the system prompt":  {asking(`,"system":[{"type":"image"}]`), "system[0]"},
		"a stop sequence that is none":   {asking(`,"stop_sequences":[1]`), "stop_sequences[0]"},
		"a temperature in words":         {asking(`,"temperature":"hot"`), "temperature"},
		"a tool without a name":          {asking(`,"tools":[{}]`), "tools[0].name"},
		"an unknown field of a tool":     {asking(`,"tools":[{"name":"f","odd":1}]`), "tools[0].odd"},
		"a tool that only code may call": {asking(`,"tools":[{"name":"f","allowed_callers":["code_execution_20250825"]}]`), "tools[0].allowed_callers"},
		"the choice of Anthropic's tool": {asking(`,"tools":[{"type":"web_search_20250305","name":"web_search"},{"name":"f"}],"tool_choice":{"type":"tool","name":"web_search"}`), "tool_choice"},
		"the choice of no tool":          {asking(`,"tools":[{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"any"}`), "tool_choice"},
		"an odd choice":                  {asking(`,"tool_choice":{"type":"some"}`), "tool_choice.type"},
		"a role":                         {saying(`{"role":"tool","content":"a"}`), "messages[0].role"},
		"a field of a message":           {saying(`{"role":"user","content":"a","name":"n"}`), "messages[0].name"},
		"content that is none":           {saying(`{"role":"user","content":7}`), "messages[0].content"},
		"messages that are none":         {`{"model":"m","messages":"Hello"}`, "messages"},
		"a message that is none":         {saying(`"a"`), "messages[0].role"},
		"what Anthropic's tool was told": {saying(`{"role":"assistant","content":[{"type":"server_tool_use","id":"c1","name":"web_search","input":{}}]}`), "messages[0].content[0]"},
		"what Anthropic's tool found":    {userBlock(`{"type":"web_search_tool_result","tool_use_id":"c1","content":[]}`), "messages[0].content[0]"},
		"a call by the user":             {userBlock(`{"type":"tool_use","id":"c1","name":"f","input":{}}`), "messages[0].content[0]"},
		"a result of the assistant":      {saying(`{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"c1"}]}`), "messages[0].content[0]"},
		"a call in a result":             {userBlock(`{"type":"tool_result","tool_use_id":"c1","content":[{"type":"tool_use"}]}`), "messages[0].content[0].content[0]"},
		"a call by code":                 {saying(`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{},"caller":{"type":"code_execution_20250825"}}]}`), "messages[0].content[0].caller"},
		"a file at Anthropic":            {userBlock(`{"type":"document","source":{"type":"file","file_id":"f1"}}`), "messages[0].content[0].source"},
		"an image without data":          {userBlock(`{"type":"image","source":{"type":"base64","media_type":"image/png"}}`), "messages[0].content[0].source"},
		"citations":                      {userBlock(`{"type":"document","citations":{"enabled":true},"source":{"type":"url","url":"u"}}`), "messages[0].content[0].citations"},
		"the context of a file":          {userBlock(`{"type":"document","context":"c","source":{"type":"url","url":"u"}}`), "messages[0].content[0].context"},
		"a found passage":                {userBlock(`{"type":"search_result","source":"s","title":"t","content":[]}`), "messages[0].content[0]"},
		"words to go on from":            {saying(`{"role":"user","content":"a"},{"role":"assistant","content":"{"},{"role":"system","content":"b"}`), "messages"},
	} {
		_, r := readMessagesBody(t, c.body)
		if invalid := (*wire.Invalid)(nil); !errors.As(r.err, &invalid) || invalid.Param != c.param {
			t.Errorf("%s: got %#v, want %q refused", name, r.err, c.param)
		}
	}
}

func TestMessagesLeavesOutWhatDoesNotMatter(t *testing.T) {
	for name, c := range map[string]struct{ body, left string }{
		"cache marks":          {userBlock(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`), "cache_control"},
		"a cache mark for all": {asking(`,"cache_control":{"type":"ephemeral"}`), "cache_control"},
		"context management":   {asking(`,"context_management":{"edits":[{"type":"clear_thinking_20251015"}]}`), "context_management"},
		"the tier":             {asking(`,"service_tier":"auto"`), "service_tier"},
		"the speed":            {asking(`,"speed":"fast"`), "speed"},
		"diagnostics":          {asking(`,"diagnostics":{"previous_message_id":"m"}`), "diagnostics"},
		"a long user":          {asking(`,"metadata":{"user_id":"` + strings.Repeat("x", 65) + `"}`), "metadata.user_id"},
		"a task's budget":      {asking(`,"output_config":{"task_budget":{"type":"tokens","total":9}}`), "output_config.task_budget"},
		"effort, not thinking": {asking(`,"thinking":{"type":"disabled"},"output_config":{"effort":"low"}`), "output_config.effort"},
		"Anthropic's tool":     {asking(`,"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"auto"}`), "tools: web_search_20250305"},
		"when a tool is told":  {asking(`,"tools":[{"name":"f","defer_loading":true}]`), "tools[].defer_loading"},
		"a tool's examples":    {asking(`,"tools":[{"name":"f","input_examples":[{}]}]`), "tools[].input_examples"},
		"citations":            {userBlock(`{"type":"text","text":"a","citations":[{}]}`), "citations"},
		"what to do with size": {userBlock(`{"type":"image","transformations":{"oversized_image":"error"},"source":{"type":"url","url":"u"}}`), "transformations"},
		"telemetry":            {asking(`,"system":[{"type":"text","text":"x-anthropic-billing-header: a=b;"}]`), "x-anthropic-billing-header"},
	} {
		q, r := readMessagesBody(t, c.body)
		if r.err != nil || !slices.Equal(r.left, []string{c.left}) {
			t.Errorf("%s: %v, left %q", name, r.err, r.left)
		}
		if q.Choice.Mode != "" && len(q.Tools) == 0 {
			t.Errorf("%s: a choice among no tools", name)
		}
	}
}

// What Claude Code 2.1 sends once it has looked up a tool and read two files, in fewer words.
func TestMessagesCarriesWhatClaudeCodeSends(t *testing.T) {
	body, err := os.ReadFile("testdata/claude-code.json")
	if err != nil {
		t.Fatal(err)
	}
	q, r := readMessagesBody(t, string(body))
	left := []string{"cache_control", "x-anthropic-billing-header", "tools[].defer_loading", "metadata.user_id", "context_management"}
	slices.Sort(r.left)
	slices.Sort(left)
	if r.err != nil || !slices.Equal(r.left, left) {
		t.Errorf("%v, left %q", r.err, r.left)
	}
	var turns []string
	for _, m := range q.Messages {
		turn := string(m.Role)
		for _, p := range m.Parts {
			turn += map[PartKind]string{Text: " text", Call: " call", Result: " result", Thought: " thought"}[p.Kind]
			for _, p := range p.Content {
				turn += map[PartKind]string{Text: " of text", Image: " of an image"}[p.Kind]
			}
		}
		turns = append(turns, turn)
	}
	want := []string{"system text text", "user text text", "system text", "assistant thought call", "tool result of text", "assistant thought call call", "tool result of text", "tool result of an image"}
	if !slices.Equal(turns, want) {
		t.Errorf("got %q", turns)
	}
	if q.MaxTokens != 32000 || !q.Stream || *q.Thinking != (Thinking{Effort: "high"}) || len(q.Tools) != 5 {
		t.Errorf("got %d tokens, stream %v, thinking %+v, %d tools", q.MaxTokens, q.Stream, q.Thinking, len(q.Tools))
	}
	if found := q.Messages[4].Parts[0].Content[0].Text; found != "The tool WebFetch can be called now." {
		t.Errorf("the tool that was looked up: %q", found)
	}
}

// FuzzMessagesRead tries foreign bodies: what is accepted has each call and each result once, and can be said to all
// providers, or is refused.
func FuzzMessagesRead(f *testing.F) {
	if body, err := os.ReadFile("testdata/claude-code.json"); err == nil {
		f.Add(body)
	}
	f.Add([]byte(asking(`,"tools":[{"name":"f"}],"thinking":{"type":"enabled","budget_tokens":1}`)))
	f.Add([]byte(userBlock(`{"type":"tool_result","tool_use_id":"c1","content":[{"type":"document","source":{"type":"content","content":[]}}]}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := wire.Messages.Inspect(body); err != nil {
			return
		}
		r := &reading{}
		q := readMessages(r, body)
		if r.err != nil {
			return
		}
		var asked, read int
		gjson.GetBytes(body, "messages").ForEach(func(_, m gjson.Result) bool {
			m.Get("content").ForEach(func(_, b gjson.Result) bool {
				if kind := b.Get("type").Str; kind == "tool_use" || kind == "tool_result" {
					asked++
				}
				return true
			})
			return true
		})
		for _, m := range q.Messages {
			for _, p := range m.Parts {
				if p.Kind == Call || p.Kind == Result {
					read++
				}
			}
		}
		if asked != read {
			t.Errorf("%d calls and results became %d: %s", asked, read, body)
		}
		for _, d := range []dialect{chat, gemini, messages} {
			w := &writing{&reading{}}
			said := d.write(w, q, Options{Model: "claude-3-7-sonnet", Reply: 100, Reasons: true})
			if w.err == nil {
				if _, err := marshal(said); err != nil {
					t.Errorf("%v: %s", err, body)
				}
			}
		}
	})
}
