package wire

import (
	"strings"
	"testing"
)

func TestResponsesInspect(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Facts
	}{
		"the least":      {`{"model":"m"}`, Facts{Model: "m", Replies: 1}},
		"a stream":       {`{"model":"m","stream":true,"max_output_tokens":50}`, Facts{Model: "m", Stream: true, UsageAsked: true, Cap: 50, CapField: "max_output_tokens", Replies: 1}},
		"unknown fields": {`{"model":"m","tools":[{"type":"namespace","model":"x"}],"store":false,"max_tokens":"7"}`, Facts{Model: "m", Replies: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Responses.Inspect([]byte(c.body)); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestResponsesRefusesWhatCouldMeanSomethingElseUpstream(t *testing.T) {
	for name, c := range map[string]struct{ body, param, model string }{
		"an array":                       {`[]`, "", ""},
		"no model":                       {`{"input":"x"}`, "model", ""},
		"model twice":                    {`{"model":"a","model":"b"}`, "model", ""},
		"cap twice":                      {`{"model":"a","max_output_tokens":1,"max_output_tokens":2}`, "max_output_tokens", ""},
		"cap by case":                    {`{"model":"a","Max_Output_Tokens":1}`, "max_output_tokens", ""},
		"cap odd":                        {`{"model":"a","max_output_tokens":"5"}`, "max_output_tokens", "a"},
		"stream twice":                   {`{"model":"a","stream":true,"stream":false}`, "stream", ""},
		"two before":                     {`{"model":"a","previous_response_id":null,"previous_response_id":"resp_x"}`, "previous_response_id", ""},
		"background twice, once escaped": {`{"model":"a","background":false,"back\u0067round":true}`, "background", ""},
		"a conversation by case":         {`{"model":"a","Conversation":"c"}`, "conversation", ""},
	} {
		t.Run(name, func(t *testing.T) { refused(t, Responses, c.body, c.param, c.model) })
	}
}

func TestResponsesEdit(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		e    Edits
		want string
	}{
		"nothing":            {`{"model":"m","stream":true}`, Edits{AskUsage: true}, `{"model":"m","stream":true}`},
		"the model":          {`{"input":[1.0],"model":"a"}`, Edits{Model: "b"}, `{"input":[1.0],"model":"b"}`},
		"a cap":              {`{"model":"m","max_output_tokens":900}`, Edits{Cap: 50}, `{"model":"m","max_output_tokens":50}`},
		"a cap of our own":   {`{"model":"m"}`, Edits{Cap: 50, CapField: "max_tokens"}, `{"model":"m","max_output_tokens":50}`},
		"a cap never raises": {`{"model":"m","max_output_tokens":20}`, Edits{Cap: 50}, `{"model":"m","max_output_tokens":20}`},
	} {
		t.Run(name, func(t *testing.T) { edited(t, Responses, c.body, c.e, c.want) })
	}
}

const (
	created = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","created_at":7,"model":"m1","instructions":"long"}}`
	said    = `{"type":"response.output_text.delta","sequence_number":4,"output_index":0,"delta":"Hello there, my friend"}`
)

func TestResponsesUsageComesWithEveryEnd(t *testing.T) {
	for _, end := range []string{"completed", "incomplete", "failed"} {
		r, seen := readWire(Responses, created, said, `{"type":"response.`+end+`","response":{"usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},"output_tokens":60,"total_tokens":80}}}`)
		if u, ok := r.Usage(); !ok || u != (Usage{Input: 20, CachedInput: 8, Output: 60}) || !r.Finished() || seen[2] != (Seen{Done: true, Error: end == "failed"}) {
			t.Errorf("%s: got %+v, %v, seen %+v", end, u, ok, seen[2])
		}
	}
	older, _ := readWire(Responses, said, `{"type":"response.completed","response":{"usage":{"prompt_tokens":20,"completion_tokens":60,"total_tokens":80}}}`)
	if u, ok := older.Usage(); !ok || u != (Usage{Input: 20, Output: 60}) {
		t.Errorf("in the older words: got %+v, %v", u, ok)
	}
}

func TestResponsesWithoutUsageAreCounted(t *testing.T) {
	for _, usage := range []string{`{}`, `{"usage":null}`, `{"usage":{"input_tokens":-5,"output_tokens":1}}`, `{"usage":"oops"}`} {
		r, _ := readWire(Responses, created, said, `{"type":"response.completed","response":`+usage+`}`)
		if u, ok := r.Usage(); ok || r.Delivered() < 4 || r.Delivered() > 8 || !r.Finished() {
			t.Errorf("%s: got %+v, delivered %d", usage, u, r.Delivered())
		}
	}
}

func TestResponsesSeen(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  Seen
	}{
		"a start":              {created, Seen{}},
		"text":                 {said, Seen{Output: true}},
		"reasoning":            {`{"type":"response.reasoning_text.delta","delta":"a"}`, Seen{Output: true}},
		"a summary":            {`{"type":"response.reasoning_summary_text.delta","delta":"a"}`, Seen{Output: true}},
		"arguments":            {`{"type":"response.function_call_arguments.delta","delta":"{"}`, Seen{Output: true}},
		"a custom tool":        {`{"type":"response.custom_tool_call_input.delta","delta":"x"}`, Seen{Output: true}},
		"a shell's command":    {`{"type":"response.shell_call_command.delta","delta":"ls"}`, Seen{Output: true}},
		"code":                 {`{"type":"response.code_interpreter_call_code.delta","delta":"1+1"}`, Seen{Output: true}},
		"a refusal":            {`{"type":"response.refusal.delta","delta":"no"}`, Seen{Output: true}},
		"a tool's name":        {`{"type":"response.output_item.added","item":{"type":"function_call","name":"f"}}`, Seen{Output: true}},
		"an item without more": {`{"type":"response.output_item.done","item":{"type":"function_call","arguments":"{}"}}`, Seen{Output: true}},
		"what a shell said":    {`{"type":"response.shell_call_output_content.delta","delta":{"stdout":"x"}}`, Seen{}},
		"what a tool answered": {`{"type":"response.output_item.done","item":{"type":"shell_call_output","content":[{"text":"a"}]}}`, Seen{}},
		"a sound":              {`{"type":"response.audio.delta","delta":"AAAA"}`, Seen{}},
		"text once more":       {`{"type":"response.output_text.done","text":"Hello"}`, Seen{}},
		"an error":             {`{"type":"error","code":"x","message":"m"}`, Seen{Error: true}},
		"an error of others":   {`{"error":{"message":"m"}}`, Seen{Error: true}},
		"not JSON":             {`[DONE]`, Seen{}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := readWire(Responses, c.event); got[0] != c.want {
				t.Errorf("got %+v, want %+v", got[0], c.want)
			}
		})
	}
}

func TestAnItemThatHadDeltasIsNotCountedAgain(t *testing.T) {
	once, _ := readWire(Responses, said)
	twice, _ := readWire(Responses, said, `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello there, my friend"}]}}`)
	if once.Delivered() != twice.Delivered() {
		t.Errorf("once %d, twice %d", once.Delivered(), twice.Delivered())
	}
}

func TestAResponseInTheBackgroundIsNotFinished(t *testing.T) {
	for status, want := range map[string]bool{"queued": false, "in_progress": false, "completed": true, "incomplete": true, "failed": true} {
		r := Responses.NewReader(Facts{Replies: 1})
		seen := r.Body([]byte(`{"status":"` + status + `","output":[],"usage":null}`))
		if r.Finished() != want || seen.Output == want { // what goes on is no failure
			t.Errorf("%s: finished %v, seen %+v", status, r.Finished(), seen)
		}
	}
}

func TestResponsesErrorEventIsAFailedResponse(t *testing.T) {
	got := string(Responses.ErrorEvent(Failure{Message: "Out", Type: "insufficient_quota", Code: "insufficient_quota"}))
	if !strings.HasPrefix(got, "event: response.failed\ndata: {\"type\":\"response.failed\",") ||
		!strings.Contains(got, `"status":"failed"`) || !strings.Contains(got, `"error":{"code":"insufficient_quota","message":"Out"}`) {
		t.Errorf("got %s", got)
	}
	r := readStream(t, Responses, strings.NewReader(got))
	if !r.Finished() {
		t.Error("it does not end a stream")
	}
}

func TestResponsesLengthFinishIsAnIncompleteResponse(t *testing.T) {
	r, _ := readWire(Responses, created, said)
	want := `event: response.incomplete
data: {"type":"response.incomplete","sequence_number":5,"response":{"id":"resp_1","object":"response","created_at":7,"status":"incomplete","model":"m1","output":[],"error":null,"incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":2},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":14}}}

`
	if got := string(r.LengthFinish(&Usage{Input: 9, CachedInput: 2, Output: 5})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestResponsesKeepAliveRepeatsThatItIsInProgress(t *testing.T) {
	r, _ := readWire(Responses)
	if got := string(r.KeepAlive()); got != "\n" {
		t.Errorf("before it began: %q", got)
	}
	r.Event([]byte(created))
	if got := string(r.KeepAlive()); !strings.HasPrefix(got, "event: response.in_progress\ndata: {") || !strings.Contains(got, `"id":"resp_1"`) || strings.Contains(got, "long") {
		t.Errorf("got %q", got)
	}
}

func TestResponsesAsStream(t *testing.T) {
	body := `{"id":"resp_1","status":"incomplete","x_new":1.0,"output":[{"type":"reasoning","id":"r1","summary":[]},
 {"type":"message","id":"m1","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]},
 {"type":"function_call","id":"f1","name":"f","status":"completed","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":9}}`
	got, err := Responses.AsStream([]byte(body), false)
	want := `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","x_new":1.0,"output":[],"usage":null}}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress","x_new":1.0,"output":[],"usage":null}}

event: response.output_item.added
data: {"item":{"type":"reasoning","id":"r1","summary":[]},"output_index":0,"sequence_number":2,"type":"response.output_item.added"}

event: response.output_item.done
data: {"item":{"type":"reasoning","id":"r1","summary":[]},"output_index":0,"sequence_number":3,"type":"response.output_item.done"}

event: response.output_item.added
data: {"item":{"type":"message","id":"m1","status":"in_progress","content":[]},"output_index":1,"sequence_number":4,"type":"response.output_item.added"}

event: response.content_part.added
data: {"content_index":0,"item_id":"m1","output_index":1,"part":{"type":"output_text","text":"","annotations":[]},"sequence_number":5,"type":"response.content_part.added"}

event: response.output_text.delta
data: {"content_index":0,"delta":"Hi","item_id":"m1","logprobs":[],"output_index":1,"sequence_number":6,"type":"response.output_text.delta"}

event: response.output_text.done
data: {"content_index":0,"item_id":"m1","logprobs":[],"output_index":1,"sequence_number":7,"text":"Hi","type":"response.output_text.done"}

event: response.content_part.done
data: {"content_index":0,"item_id":"m1","output_index":1,"part":{"type":"output_text","text":"Hi","annotations":[]},"sequence_number":8,"type":"response.content_part.done"}

event: response.output_item.done
data: {"item":{"type":"message","id":"m1","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]},"output_index":1,"sequence_number":9,"type":"response.output_item.done"}

event: response.output_item.added
data: {"item":{"type":"function_call","id":"f1","name":"f","status":"in_progress","arguments":""},"output_index":2,"sequence_number":10,"type":"response.output_item.added"}

event: response.function_call_arguments.delta
data: {"delta":"{}","item_id":"f1","output_index":2,"sequence_number":11,"type":"response.function_call_arguments.delta"}

event: response.function_call_arguments.done
data: {"arguments":"{}","item_id":"f1","output_index":2,"sequence_number":12,"type":"response.function_call_arguments.done"}

event: response.output_item.done
data: {"item":{"type":"function_call","id":"f1","name":"f","status":"completed","arguments":"{}"},"output_index":2,"sequence_number":13,"type":"response.output_item.done"}

event: response.incomplete
data: {"type":"response.incomplete","sequence_number":14,"response":{"id":"resp_1","status":"incomplete","x_new":1.0,"output":[{"type":"reasoning","id":"r1","summary":[]},{"type":"message","id":"m1","status":"completed","content":[{"type":"output_text","text":"Hi","annotations":[]}]},{"type":"function_call","id":"f1","name":"f","status":"completed","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":9}}}

`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// An error event ends the response that began: OpenAI's SDK for JavaScript breaks at the id of another.
func TestResponsesFailAsTheResponseThatBegan(t *testing.T) {
	r := Responses.NewReader(Facts{})
	f := Failure{Message: "Gone", Code: "x"}
	if got := string(r.(Failing).Fails(f)); got != string(Responses.ErrorEvent(f)) {
		t.Errorf("before it began: %s", got)
	}
	r.Event([]byte(`{"type":"response.created","sequence_number":3,"response":{"id":"resp_1","model":"m","created_at":7}}`))
	got := string(r.(Failing).Fails(f))
	for _, want := range []string{"event: response.failed", `"sequence_number":4`, `"id":"resp_1"`, `"status":"failed"`, `"message":"Gone"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
