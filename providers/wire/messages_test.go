package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestMessagesInspect(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Facts
	}{
		"the least":       {`{"model":"m"}`, Facts{Model: "m", Replies: 1}},
		"a stream":        {`{"model":"m","stream":true,"max_tokens":5}`, Facts{Model: "m", Stream: true, UsageAsked: true, Cap: 5, CapField: "max_tokens", Replies: 1}},
		"thinking":        {`{"model":"m","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":4000}}`, Facts{Model: "m", Cap: 9000, CapField: "max_tokens", Replies: 1, Least: 1025}},
		"a small budget":  {`{"model":"m","thinking":{"type":"enabled","budget_tokens":100}}`, Facts{Model: "m", Replies: 1, Least: 101}},
		"no budget":       {`{"model":"m","thinking":{"type":"adaptive"}}`, Facts{Model: "m", Replies: 1}},
		"unknown fields":  {`{"model":"m","context_management":{"model":"x"},"messages":[{"role":"system"}]}`, Facts{Model: "m", Replies: 1}},
		"nulls are unset": {`{"model":"m","max_tokens":null,"thinking":null,"stream":null}`, Facts{Model: "m", Replies: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Messages.Inspect([]byte(c.body)); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestMessagesRefusesWhatCouldMeanSomethingElseUpstream(t *testing.T) {
	for name, c := range map[string]struct{ body, param, model string }{
		"no JSON":         {`{`, "", ""},
		"no model":        {`{"max_tokens":1}`, "model", ""},
		"model twice":     {`{"model":"a","model":"b"}`, "model", ""},
		"cap twice":       {`{"model":"a","max_tokens":1,"max_tokens":2}`, "max_tokens", ""},
		"cap zero":        {`{"model":"a","max_tokens":0}`, "max_tokens", "a"},
		"thinking twice":  {`{"model":"a","thinking":{},"thinking":{}}`, "thinking", ""},
		"budget twice":    {`{"model":"a","thinking":{"budget_tokens":1,"budget_tokens":2}}`, "thinking.budget_tokens", "a"},
		"budget by case":  {`{"model":"a","thinking":{"Budget_tokens":1}}`, "thinking.budget_tokens", "a"},
		"budget negative": {`{"model":"a","thinking":{"budget_tokens":-1}}`, "thinking.budget_tokens", "a"},
		"thinking odd":    {`{"model":"a","thinking":7}`, "thinking", "a"},
		"stream odd":      {`{"model":"a","stream":1}`, "stream", "a"},
		"an advisor":      {`{"model":"a","tools":[{"name":"Bash","input_schema":{}},{"type":"advisor_20260301","name":"advisor","model":"b"}]}`, "tools[1]", ""},
	} {
		t.Run(name, func(t *testing.T) { refused(t, Messages, c.body, c.param, c.model) })
	}
}

// refused checks that a body is refused, about which field, and which model it names all the same.
func refused(t *testing.T, w Wire, body, param, model string) {
	t.Helper()
	got, err := w.Inspect([]byte(body))
	var bad *Invalid
	if !errors.As(err, &bad) || bad.Param != param || bad.Message == "" || got.Model != model {
		t.Errorf("got %+v, %#v; want *Invalid about %q, the model %q", got, err, param, model)
	}
}

// edited checks what an edit makes of a body, and that it left the caller's own bytes alone.
func edited(t *testing.T, w Wire, body string, e Edits, want string) {
	t.Helper()
	before := []byte(body)
	got, err := w.Edit(before, e)
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if string(before) != body {
		t.Errorf("the caller's own bytes were changed: %s", before)
	}
}

func TestMessagesEdit(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		e    Edits
		want string
	}{
		"nothing":                {`{"model":"m" ,"x":1.0}`, Edits{Model: "m", AskUsage: true}, `{"model":"m" ,"x":1.0}`},
		"the model":              {`{ "model":"a/b","seed":9007199254740993}`, Edits{Model: "b"}, `{ "model":"b","seed":9007199254740993}`},
		"a cap":                  {`{"model":"m","max_tokens":32000}`, Edits{Cap: 500, CapField: "max_completion_tokens"}, `{"model":"m","max_tokens":500}`},
		"a cap of our own":       {`{"model":"m"}`, Edits{Cap: 500}, `{"model":"m","max_tokens":500}`},
		"a cap never raises":     {`{"model":"m","max_tokens":32}`, Edits{Cap: 500}, `{"model":"m","max_tokens":32}`},
		"a budget that fits":     {`{"model":"m","max_tokens":9000,"thinking":{"budget_tokens":2000}}`, Edits{Cap: 3000}, `{"model":"m","max_tokens":3000,"thinking":{"budget_tokens":2000}}`},
		"a budget lowered":       {`{"thinking":{"type":"enabled","budget_tokens":31999},"model":"m","max_tokens":32000}`, Edits{Cap: 4000}, `{"thinking":{"type":"enabled","budget_tokens":3000},"model":"m","max_tokens":4000}`},
		"to the least":           {`{"model":"m","max_tokens":32000,"thinking":{"budget_tokens":31999}}`, Edits{Cap: 1025}, `{"model":"m","max_tokens":1025,"thinking":{"budget_tokens":1024}}`},
		"interleaved, uncapped":  {`{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":9000}}`, Edits{Cap: 2000}, `{"model":"m","max_tokens":2000,"thinking":{"budget_tokens":9000}}`},
		"counting needs no cap":  {`{"model":"m","thinking":{"budget_tokens":9000}}`, Edits{Model: "x"}, `{"model":"x","thinking":{"budget_tokens":9000}}`},
		"a stream stays as told": {`{"model":"m","stream":true}`, Edits{AskUsage: true}, `{"model":"m","stream":true}`},
	} {
		t.Run(name, func(t *testing.T) { edited(t, Messages, c.body, c.e, c.want) })
	}
}

func TestAThinkingBudgetThatCannotBeLoweredIsRefused(t *testing.T) {
	_, err := Messages.Edit([]byte(`{"model":"m","max_tokens":32000,"thinking":{"budget_tokens":31999}}`), Edits{Cap: 1024})
	var bad *Invalid
	if !errors.As(err, &bad) || bad.Param != "thinking.budget_tokens" {
		t.Errorf("got %v", err)
	}
}

// readWire feeds the data of events to a new reader of one reply.
func readWire(w Wire, events ...string) (Reader, []Seen) {
	return feed(w.NewReader(Facts{Stream: true, Replies: 1}), events)
}

const (
	start15 = `{"type":"message_start","message":{"usage":{"input_tokens":15,"output_tokens":1}}}`
	hello   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello there, my friend"}}`
)

func TestMessagesUsage(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   Usage
	}{
		"output alone in the delta":  {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":12}}`}, Usage{Input: 15, Output: 12}},
		"a zero wipes nothing":       {[]string{start15, `{"type":"message_delta","usage":{"input_tokens":0,"output_tokens":12}}`}, Usage{Input: 15, Output: 12}},
		"a null wipes nothing":       {[]string{start15, `{"type":"message_delta","usage":{"input_tokens":null,"output_tokens":12}}`}, Usage{Input: 15, Output: 12}},
		"a later input wins":         {[]string{start15, `{"type":"message_delta","usage":{"input_tokens":20,"output_tokens":12}}`}, Usage{Input: 20, Output: 12}},
		"running totals":             {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":2}}`, `{"type":"message_delta","usage":{"output_tokens":9}}`}, Usage{Input: 15, Output: 9}},
		"the cache, once":            {[]string{`{"type":"message_start","message":{"usage":{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":7}}}`, `{"type":"message_delta","usage":{"output_tokens":550}}`}, Usage{Input: 12314, CachedInput: 7, WrittenInput: 12304, Output: 550}},
		"the cache by its lifetimes": {[]string{`{"type":"message_start","message":{"usage":{"input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":100}}}}`, `{"type":"message_delta","usage":{"output_tokens":5}}`}, Usage{Input: 123, WrittenInput: 120, Output: 5}},
		"usage in the delta alone":   {[]string{`{"type":"message_start","message":{}}`, `{"type":"message_delta","usage":{"input_tokens":4,"output_tokens":5}}`}, Usage{Input: 4, Output: 5}},
		"iterations are summed":      {[]string{start15, `{"type":"message_delta","usage":{"input_tokens":15,"output_tokens":9,"iterations":[{"input_tokens":100,"output_tokens":5},{"input_tokens":15,"cache_read_input_tokens":2,"output_tokens":9}]}}`}, Usage{Input: 117, CachedInput: 2, Output: 14}},
		"no iterations":              {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":9,"iterations":[]}}`}, Usage{Input: 15, Output: 9}},
		"an odd one after a good":    {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":9}}`, `{"type":"message_delta","usage":{"output_tokens":-9}}`}, Usage{Input: 15, Output: 9}},
		"figures in strings":         {[]string{`{"type":"message_start","message":{"usage":{"input_tokens":"15"}}}`, `{"type":"message_delta","usage":{"output_tokens":12.0}}`}, Usage{Input: 15, Output: 12}},
		"an answer without a token":  {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":0}}`}, Usage{Input: 15}},
		"a second message in a file": {[]string{start15, `{"type":"message_delta","usage":{"output_tokens":9}}`, `{"type":"message_stop"}`, start15, `{"type":"message_delta","usage":{"output_tokens":4}}`}, Usage{Input: 15, Output: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := readWire(Messages, c.events...)
			if got, ok := r.Usage(); !ok || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, ok, c.want)
			}
		})
	}
}

func TestThePlaceholderOfAMessageIsNoUsage(t *testing.T) {
	r, _ := readWire(Messages, start15, hello, hello, hello)
	if u, ok := r.Usage(); ok {
		t.Errorf("got %+v", u)
	}
	if input, ok := r.Input(); !ok || input != 15 {
		t.Errorf("input %d, %v", input, ok)
	}
	if n := r.Delivered(); n < 10 || n > 25 {
		t.Errorf("delivered %d", n)
	}
}

func TestMessagesFiguresThatCannotBeTrueAreNotUsage(t *testing.T) {
	for name, usage := range map[string]string{
		"negative": `{"input_tokens":-1,"output_tokens":5}`, "absurd": `{"input_tokens":1e18,"output_tokens":5}`, "a string": `"oops"`,
		"no input": `{"output_tokens":5}`, "absurd sum": `{"input_tokens":2147483647,"cache_read_input_tokens":2147483647,"output_tokens":5}`,
		"absurd iterations": `{"input_tokens":1,"output_tokens":1,"iterations":[{"input_tokens":-4}]}`, "null": `null`,
		"an absurd sum of iterations": `{"input_tokens":1,"output_tokens":1,"iterations":[{"input_tokens":2147483647},{"input_tokens":2147483647}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := readWire(Messages, `{"type":"message_delta","usage":`+usage+`}`)
			if u, ok := r.Usage(); ok {
				t.Errorf("got %+v", u)
			}
		})
	}
}

func TestMessagesSeen(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  Seen
	}{
		"a start":            {start15, Seen{}},
		"text":               {hello, Seen{Output: true}},
		"thinking":           {`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}`, Seen{Output: true}},
		"a tool's input":     {`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`, Seen{Output: true}},
		"a tool's name":      {`{"type":"content_block_start","content_block":{"type":"tool_use","name":"f","input":{}}}`, Seen{Output: true}},
		"a compaction":       {`{"type":"content_block_delta","delta":{"type":"compaction_delta","content":"a"}}`, Seen{Output: true}},
		"a signature":        {`{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"abc"}}`, Seen{}},
		"an empty block":     {`{"type":"content_block_start","content_block":{"type":"text","text":""}}`, Seen{}},
		"what a tool found":  {`{"type":"content_block_start","content_block":{"type":"web_search_tool_result","content":[{"text":"a"}],"text":"a"}}`, Seen{}},
		"a ping":             {`{"type":"ping"}`, Seen{}},
		"an error":           {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Seen{Error: true}},
		"an error of others": {`{"error":{"message":"x"}}`, Seen{Error: true}},
		"the end":            {`{"type":"message_stop"}`, Seen{Done: true}},
		"not JSON":           {`<html>`, Seen{}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := readWire(Messages, c.event); got[0] != c.want {
				t.Errorf("got %+v, want %+v", got[0], c.want)
			}
		})
	}
}

func TestAMessagesFinishIsItsStopAlone(t *testing.T) {
	r, _ := readWire(Messages, start15, hello, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`)
	if r.Finished() {
		t.Error("finished without message_stop, which SDKs wait for")
	}
	r.Event([]byte(`{"type":"message_stop"}`))
	if !r.Finished() {
		t.Error("not finished by message_stop")
	}
}

func TestAMessagesBodyThatIsNone(t *testing.T) {
	for body, want := range map[string]Seen{
		`{"type":"error","error":{"type":"api_error","message":"m"}}`: {Error: true}, `{"input_tokens":12}`: {}, `<`: {},
	} {
		r := Messages.NewReader(Facts{Replies: 1})
		seen := r.Body([]byte(body))
		if _, ok := r.Usage(); seen != want || ok || r.Finished() {
			t.Errorf("%s: seen %+v, usage %v", body, seen, ok)
		}
	}
}

func TestMessagesErrorEvent(t *testing.T) {
	want := "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Gone <b>\"}}\n\n"
	if got := string(Messages.ErrorEvent(Failure{Message: "Gone <b>", Type: "server_error", Status: 529})); got != want {
		t.Errorf("got %q", got)
	}
	if got := string(Messages.ErrorEvent(Failure{Message: "m"})); !strings.Contains(got, `"api_error"`) {
		t.Errorf("got %q", got)
	}
}

func TestMessagesLengthFinishClosesWhatIsOpen(t *testing.T) {
	r, _ := readWire(Messages, start15,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`, hello)
	end := r.LengthFinish(&Usage{Input: 15, CachedInput: 5, Output: 40})
	want := `event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":40}}

event: message_stop
data: {"type":"message_stop"}

`
	if string(end) != want {
		t.Errorf("got %s", end)
	}
	after := readStream(t, Messages, strings.NewReader(string(end)))
	if u, ok := after.Usage(); !ok || u != (Usage{Input: 15, CachedInput: 5, Output: 40}) || !after.Finished() {
		t.Errorf("it means %+v, %v", u, ok)
	}
}

func TestMessagesAsStream(t *testing.T) {
	body := `{"id":"msg_1","type":"message","role":"assistant","model":"m","x_new":1.0,"content":[
 {"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"text","text":"Hi \"you\"","citations":null},
 {"type":"tool_use","id":"t1","name":"f","input":{"a": 9007199254740993}},{"type":"web_search_tool_result","content":[{"url":"u"}]}],
 "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":9}}`
	got, err := Messages.AsStream([]byte(body), false)
	want := `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","x_new":1.0,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":0}}}

event: content_block_start
data: {"content_block":{"type":"thinking","thinking":"","signature":""},"index":0,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"thinking":"Hm.","type":"thinking_delta"},"index":0,"type":"content_block_delta"}

event: content_block_delta
data: {"delta":{"signature":"sig","type":"signature_delta"},"index":0,"type":"content_block_delta"}

event: content_block_stop
data: {"index":0,"type":"content_block_stop"}

event: content_block_start
data: {"content_block":{"type":"text","text":"","citations":null},"index":1,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"text":"Hi \"you\"","type":"text_delta"},"index":1,"type":"content_block_delta"}

event: content_block_stop
data: {"index":1,"type":"content_block_stop"}

event: content_block_start
data: {"content_block":{"type":"tool_use","id":"t1","name":"f","input":{}},"index":2,"type":"content_block_start"}

event: content_block_delta
data: {"delta":{"partial_json":"{\"a\":9007199254740993}","type":"input_json_delta"},"index":2,"type":"content_block_delta"}

event: content_block_stop
data: {"index":2,"type":"content_block_stop"}

event: content_block_start
data: {"content_block":{"type":"web_search_tool_result","content":[{"url":"u"}]},"index":3,"type":"content_block_start"}

event: content_block_stop
data: {"index":3,"type":"content_block_stop"}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":3,"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}
