package translate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perdiem/providers/wire"
)

// sayable draws a request that chat completions can say in whole.
func sayable(t *rapid.T) *Request {
	word := rapid.StringMatching(`[a-zäöü "<\\\n]{1,12}`)
	name := rapid.StringMatching(`[a-zA-Z_][a-zA-Z0-9_-]{0,10}`)
	number := rapid.SampledFrom([]json.Number{"", "0", "1", "0.7", "0.1000000000000000055"})
	no := false
	q := &Request{
		Model: "m", Stream: rapid.Bool().Draw(t, "stream"),
		MaxTokens: rapid.Int64Range(0, 1000).Draw(t, "max"),
		Replies:   rapid.SampledFrom([]int64{0, 2, 3}).Draw(t, "n"),
		Stop:      rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}}).Draw(t, "stop"),
		Format:    rapid.SampledFrom([]*Format{nil, {}, {Name: "n", Schema: []byte(`{"type":"object"}`), Strict: &no}}).Draw(t, "format"),
		Thinking:  rapid.SampledFrom([]*Thinking{nil, {Effort: "low"}, {Effort: "medium"}, {Effort: "high"}}).Draw(t, "thinking"),
	}
	q.Temperature, q.TopP, q.Presence = number.Draw(t, "temperature"), number.Draw(t, "top_p"), number.Draw(t, "presence")
	q.Frequency, q.Seed = number.Draw(t, "frequency"), number.Draw(t, "seed")
	q.UsageAsked = q.Stream
	for _, n := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "tools") {
		q.Tools = append(q.Tools, Tool{Name: n, Description: word.Draw(t, "description"), Parameters: []byte(`{"type":"object","properties":{"a":{"type":"number","maximum":1.0}}}`)})
	}
	if len(q.Tools) > 0 {
		q.Parallel = rapid.SampledFrom([]*bool{nil, &no}).Draw(t, "parallel")
		q.Choice = rapid.SampledFrom([]Choice{{}, {Mode: ChooseAuto}, {Mode: ChooseNone}, {Mode: ChooseRequired}, {Mode: ChooseOne, Name: q.Tools[0].Name}}).Draw(t, "choice")
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "messages") {
		q.Messages = append(q.Messages, sayableTurn(t, i, word, name)...)
	}
	return q
}

func sayableTurn(t *rapid.T, i int, word, name *rapid.Generator[string]) []Message {
	text := func() Part { return Part{Kind: Text, Text: word.Draw(t, "text")} }
	switch rapid.IntRange(0, 3).Draw(t, "turn") {
	case 0:
		return []Message{{System, []Part{text()}}}
	case 1:
		return []Message{{User, []Part{text()}}}
	case 2:
		return []Message{{User, rapid.SampledFrom([][]Part{
			{text(), {Kind: Image, URL: "https://a/b", Detail: "low"}, text()},
			{{Kind: Image, MIME: "image/png", Data: "AAAA"}},
			{{Kind: File, MIME: "application/pdf", Data: "AAAA", Name: "f.pdf"}, text()},
			{{Kind: Audio, MIME: "audio/wav", Data: "AAAA"}},
		}).Draw(t, "parts")}}
	}
	said := Message{Role: Assistant, Parts: rapid.SampledFrom([][]Part{nil, {text()}, {{Kind: Refusal, Text: "no"}}}).Draw(t, "said")}
	var results []Message
	for k := range rapid.IntRange(0, 3).Draw(t, "calls") {
		id := fmt.Sprintf("call_%d_%d", i, k)
		said.Parts = append(said.Parts, Part{Kind: Call, ID: id, Name: name.Draw(t, "name"), Arguments: `{"a": 1.0}`})
		results = append(results, Message{ToolRole, []Part{{Kind: Result, ID: id, Content: []Part{text()}}}})
	}
	if len(said.Parts) == 0 {
		said.Parts = []Part{text()}
	}
	return append([]Message{said}, results...)
}

func TestChatReadsBackWhatItWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := sayable(t)
		said := written(t, q)
		r := &reading{}
		if got := chat.read(r, said); r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(got, q) {
			t.Fatalf("%v, %q\ngot  %+v\nwant %+v\nsaid %s", r.err, r.left, got, q, said)
		}
	})
}

// written is a request as a provider that thinks is told it; nothing of it may be left out.
func written(t rapid.TB, q *Request) []byte {
	r := &reading{}
	said, err := marshal(chat.write(&writing{r}, q, Options{Model: "m", CapField: wire.MaxCompletionTokens, Reasons: true}))
	if err != nil || r.err != nil || len(r.left) > 0 {
		t.Fatalf("%v, %v, %q", err, r.err, r.left)
	}
	if _, err := wire.Chat.Inspect(said); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return said
}

// messagesOf are the messages of a body.
func messagesOf(t *testing.T, said []byte) string {
	t.Helper()
	var body struct{ Messages json.RawMessage }
	if err := json.Unmarshal(said, &body); err != nil {
		t.Fatal(err)
	}
	return string(body.Messages)
}

func TestChatSaysMessagesAsServersTakeThem(t *testing.T) {
	text := func(s string) Part { return Part{Kind: Text, Text: s} }
	call := func(id string) Part { return Part{Kind: Call, ID: id, Name: "f"} }
	result := func(id string, content ...Part) Message {
		return Message{ToolRole, []Part{{Kind: Result, ID: id, Content: content}}}
	}
	png := Part{Kind: Image, MIME: "image/png", Data: "AA"}
	long := strings.Repeat("x", 41)
	for name, c := range map[string]struct {
		list []Message
		want string
	}{
		"texts of a turn are one": {[]Message{{User, []Part{text("a"), text("b")}}}, `[{"role":"user","content":"a\nb"}]`},
		"calls without words have no content, and arguments always": {
			[]Message{{Assistant, []Part{call("1")}}},
			`[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}]`},
		"what a tool shows comes behind all results": {
			[]Message{result("1", text("a"), png), result("2", text("b")), {User, []Part{text("c")}}},
			`[{"role":"tool","content":"a\n(What else the tool gave is in the message after the results.)","tool_call_id":"1"},` +
				`{"role":"tool","content":"b","tool_call_id":"2"},` +
				`{"role":"user","content":[{"type":"text","text":"Given by the tool call 1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]},` +
				`{"role":"user","content":"c"}]`},
		"a tool that failed is said to": {
			[]Message{{ToolRole, []Part{{Kind: Result, ID: "1", Failed: true, Content: []Part{text("a")}}}}},
			`[{"role":"tool","content":"The tool failed.\na","tool_call_id":"1"}]`},
		"an id that is too long is another, the same for call and result": {
			[]Message{{Assistant, []Part{call(long)}}, result(long)},
			`[{"role":"assistant","content":null,"tool_calls":[{"id":"` + chatCallID(long) + `","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
				`{"role":"tool","content":"","tool_call_id":"` + chatCallID(long) + `"}]`},
		"a thought goes back in its field, with its calls": {
			[]Message{{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByChat, "reasoning_content"}}, call("1")}}},
			`[{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}]`},
		"a thought of another vendor does not": {
			[]Message{{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, "s"}}, text("a")}}},
			`[{"role":"assistant","content":"a"}]`},
		"a turn that was all thought is none": {
			[]Message{{Assistant, []Part{{Kind: Thought, Text: "hm"}}}, {User, []Part{text("a")}}},
			`[{"role":"user","content":"a"}]`},
	} {
		if got := messagesOf(t, written(t, &Request{Messages: c.list})); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestChatSaysThinkingInWordsThatAllKnow(t *testing.T) {
	for _, c := range []struct {
		thinking Thinking
		reasons  bool
		want     string
		left     bool
	}{
		{Thinking{Effort: "minimal"}, true, "low", false},
		{Thinking{Effort: "xhigh"}, true, "high", false},
		{Thinking{Budget: 9000}, true, "medium", false},
		{Thinking{Shown: true}, true, "", false},
		{Thinking{Shown: true}, false, "", false},
		{Thinking{Off: true}, true, "", true},
		{Thinking{Off: true}, false, "", false},
		{Thinking{Effort: "high"}, false, "", true},
	} {
		r := &reading{}
		got := (&writing{r}).chatEffort(&c.thinking, Options{Reasons: c.reasons})
		if got != c.want || slices.Contains(r.left, "thinking") != c.left {
			t.Errorf("%+v: got %q, left %q", c, got, r.left)
		}
	}
}

func TestChatRefusesToWrite(t *testing.T) {
	user := func(p Part) *Request { return &Request{Messages: []Message{{User, []Part{p}}}} }
	for name, q := range map[string]*Request{
		"tool_choice": {Choice: Choice{Mode: ChooseRequired}},
		"logprobs":    {Logprobs: true},
		"messages":    user(Part{Kind: File, MIME: "application/pdf", URL: "https://a/b"}),
		"messages ":   user(Part{Kind: Audio, MIME: "audio/ogg", Data: "AA"}),
		"messages  ":  {Messages: []Message{{Assistant, []Part{{Kind: Image, URL: "https://a/b"}}}}},
	} {
		r := &reading{}
		chat.write(&writing{r}, q, Options{})
		if invalid := refusal(r); invalid == nil || invalid.Param != strings.TrimSpace(name) {
			t.Errorf("%q: got %v", name, r.err)
		}
	}
}

func TestChatOffersTheAllowedToolsAlone(t *testing.T) {
	q := &Request{Tools: []Tool{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Choice: Choice{Mode: ChooseRequired, Allowed: []string{"c", "a"}}}
	var body struct {
		Tools []struct{ Function struct{ Name string } }
		Tool  string `json:"tool_choice"`
	}
	if err := json.Unmarshal(written(t, q), &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Tools) != 2 || body.Tools[0].Function.Name != "a" || body.Tools[1].Function.Name != "c" || body.Tool != "required" {
		t.Errorf("got %+v", body)
	}
}

func TestChatSamplesAsFarAsTheModelBears(t *testing.T) {
	q := &Request{Temperature: "0.5", TopP: "0.9", Presence: "0", Frequency: "0.1", Seed: "7"}
	const all = `{"temperature":0.5,"top_p":0.9,"presence_penalty":0,"frequency_penalty":0.1,"seed":7}`
	for model, c := range map[string]struct {
		want string
		left []string
	}{
		"gpt-4o":         {all, nil},
		"gpt-5-chat":     {all, nil},
		"gpt-oss-120b":   {all, nil},
		"yolo1":          {all, nil},
		"openai/gpt-5.1": {`{"seed":7}`, []string{"temperature", "top_p", "frequency_penalty"}},
		"o3-mini":        {`{"seed":7}`, []string{"temperature", "top_p", "frequency_penalty"}},
	} {
		w, b := &writing{&reading{}}, &chatBody{Model: model, Seed: q.Seed}
		w.chatSampling(q, b)
		var got map[string]json.RawMessage
		said, _ := marshal(b)
		if err := json.Unmarshal(said, &got); err != nil {
			t.Fatal(err)
		}
		delete(got, "model")
		delete(got, "messages")
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || !slices.Equal(w.left, c.left) {
			t.Errorf("%s: got %s, left %q", model, said, w.left)
		}
	}
	w, b := &writing{&reading{}}, &chatBody{Model: "o3"}
	if w.chatSampling(&Request{Temperature: "1.0", TopP: "1", Presence: "0"}, b); len(w.left) > 0 {
		t.Errorf("left %q, which asks for nothing", w.left)
	}
}

func TestChatOffersToolsWithSchemasThatOpenAITakes(t *testing.T) {
	for schema, want := range map[string]string{
		``:                            `{"type":"object","properties":{}}`,
		`{}`:                          `{"type":"object","properties":{}}`,
		`{"type":"object"}`:           `{"type":"object","properties":{}}`,
		`{"properties":{"a":{}}}`:     `{"properties":{"a":{}},"type":"object"}`,
		`{"type":"object","x": 1.0}`:  `{"type":"object","x": 1.0,"properties":{}}`,
		`{"properties": {},"type":1}`: `{"properties": {},"type":1}`,
	} {
		if got := string(chatParameters(json.RawMessage(schema))); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
