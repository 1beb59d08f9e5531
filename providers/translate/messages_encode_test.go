package translate

import (
	"encoding/json"
	"strings"
	"testing"

	"perdiem/providers/sse"
	"perdiem/providers/wire"
)

// eventsOf are the events of a stream, each as its name and what matters of its data.
func eventsOf(t *testing.T, stream []byte) (list []string) {
	t.Helper()
	each(t, strings.NewReader(string(stream)), func(ev sse.Event) {
		var e struct {
			Type  string
			Index *int
			Block map[string]any  `json:"content_block"`
			Delta json.RawMessage `json:"delta"`
			Error json.RawMessage
		}
		if err := json.Unmarshal(ev.Data, &e); err != nil || e.Type != ev.Name {
			t.Fatalf("%v: %s", err, ev.Raw)
		}
		line := strings.TrimPrefix(e.Type, "content_block_")
		if e.Index != nil {
			line += " " + string(rune('0'+*e.Index))
		}
		if e.Block != nil {
			line += " " + e.Block["type"].(string)
		}
		list = append(list, strings.TrimSpace(line+" "+string(e.Delta)+string(e.Error)))
	})
	return list
}

func TestMessagesTellsPiecesAsEvents(t *testing.T) {
	const (
		stopped   = `message_delta {"stop_reason":"end_turn","stop_sequence":null}`
		forTools  = `message_delta {"stop_reason":"tool_use","stop_sequence":null}`
		textBegun = "start 0 text"
	)
	begin, end, finish := Piece{Kind: Begin, ID: "m1", Model: "swift"}, Piece{Kind: End}, Piece{Kind: Finish, Reason: Stopped}
	says := func(text string) Piece { return Piece{Kind: Says, Text: text} }
	thinks := func(text string) Piece { return Piece{Kind: Thinks, Text: text} }
	proves := func(v Vendor) Piece { return Piece{Kind: Proves, Proof: Proof{v, "c2ln"}} }
	calls := func(n int) Piece { return Piece{Kind: Calls, Call: n, ID: "c" + string(rune('0'+n)), Name: "look"} }
	argues := func(n int, text string) Piece { return Piece{Kind: Arguments, Call: n, Text: text} }
	for name, c := range map[string]struct {
		pieces []Piece
		want   []string
	}{
		"a text": {[]Piece{begin, says("a"), says("b"), finish, end}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"a"}`, `delta 0 {"type":"text_delta","text":"b"}`, "stop 0", stopped, "message_stop"}},
		"nothing": {[]Piece{end}, []string{"message_start", stopped, "message_stop"}},
		"no begin, no finish": {[]Piece{says("a"), end}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"a"}`, "stop 0", stopped, "message_stop"}},
		"empty text": {[]Piece{begin, says(""), end}, []string{"message_start", stopped, "message_stop"}},
		"it declines": {[]Piece{begin, {Kind: Declines, Text: "No."}, finish, end}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"No."}`, "stop 0", stopped, "message_stop"}},
		"a thought, its proof, a text": {[]Piece{begin, thinks("hm"), proves(ByAnthropic), says("a"), finish, end}, []string{
			"message_start", "start 0 thinking", `delta 0 {"type":"thinking_delta","thinking":"hm"}`, `delta 0 {"type":"signature_delta","signature":"c2ln"}`, "stop 0",
			"start 1 text", `delta 1 {"type":"text_delta","text":"a"}`, "stop 1", stopped, "message_stop"}},
		"another vendor's proof is sealed": {[]Piece{begin, thinks("hm"), proves(ByGoogle), end}, []string{
			"message_start", "start 0 thinking", `delta 0 {"type":"thinking_delta","thinking":"hm"}`, `delta 0 {"type":"signature_delta","signature":"Z29vZ2xlOmMybG4="}`, "stop 0", stopped, "message_stop"}},
		"a thought that is not shown": {[]Piece{begin, thinks(""), proves(ByAnthropic), end}, []string{
			"message_start", "start 0 thinking", `delta 0 {"type":"signature_delta","signature":"c2ln"}`, "stop 0", stopped, "message_stop"}},
		"the thought after a proof is another": {[]Piece{begin, thinks("a"), proves(ByAnthropic), thinks("b"), end}, []string{
			"message_start", "start 0 thinking", `delta 0 {"type":"thinking_delta","thinking":"a"}`, `delta 0 {"type":"signature_delta","signature":"c2ln"}`, "stop 0",
			"start 1 thinking", `delta 1 {"type":"thinking_delta","thinking":"b"}`, `delta 1 {"type":"signature_delta","signature":"` + noProof + `"}`, "stop 1", stopped, "message_stop"}},
		"a call's proof has no place": {[]Piece{begin, calls(0), argues(0, "{}"), proves(ByGoogle), end}, []string{
			"message_start", "start 0 tool_use", `delta 0 {"type":"input_json_delta","partial_json":"{}"}`, "stop 0", forTools, "message_stop"}},
		"calls one after the other": {[]Piece{begin, says("a"), calls(0), argues(0, `{"a":"}{`), argues(0, `\""}`), calls(1), argues(1, `{"b":[]}`), finish, end}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"a"}`, "stop 0",
			"start 1 tool_use", `delta 1 {"type":"input_json_delta","partial_json":"{\"a\":\"}{"}`, `delta 1 {"type":"input_json_delta","partial_json":"\\\"\"}"}`, "stop 1",
			"start 2 tool_use", `delta 2 {"type":"input_json_delta","partial_json":"{\"b\":[]}"}`, "stop 2", forTools, "message_stop"}},
		"calls mixed": {[]Piece{begin, calls(0), calls(1), argues(0, `{"a":1`), argues(1, `{"b":1}`), argues(0, `}`), finish, end}, []string{
			"message_start", "start 0 tool_use", "start 1 tool_use", `delta 0 {"type":"input_json_delta","partial_json":"{\"a\":1"}`,
			`delta 1 {"type":"input_json_delta","partial_json":"{\"b\":1}"}`, `delta 0 {"type":"input_json_delta","partial_json":"}"}`, "stop 0", "stop 1", forTools, "message_stop"}},
		"text after a call": {[]Piece{begin, calls(0), argues(0, `{}`), says("a"), end}, []string{
			"message_start", "start 0 tool_use", `delta 0 {"type":"input_json_delta","partial_json":"{}"}`, "stop 0", "start 1 text", `delta 1 {"type":"text_delta","text":"a"}`, "stop 1", forTools, "message_stop"}},
		"calls that there are not": {[]Piece{begin, {Kind: Finish, Reason: ToCalls}, end}, []string{"message_start", stopped, "message_stop"}},
		"the limit": {[]Piece{begin, calls(0), argues(0, `{"a`), {Kind: Finish, Reason: Length}, end}, []string{
			"message_start", "start 0 tool_use", `delta 0 {"type":"input_json_delta","partial_json":"{\"a"}`, "stop 0", `message_delta {"stop_reason":"max_tokens","stop_sequence":null}`, "message_stop"}},
		"filtered":        {[]Piece{begin, {Kind: Finish, Reason: Filtered}, end}, []string{"message_start", `message_delta {"stop_reason":"refusal","stop_sequence":null}`, "message_stop"}},
		"a stop sequence": {[]Piece{begin, {Kind: Finish, Reason: Stopped, Stop: "END"}, end}, []string{"message_start", `message_delta {"stop_reason":"stop_sequence","stop_sequence":"END"}`, "message_stop"}},
		"it fails": {[]Piece{begin, says("a"), {Kind: Fails, Failure: wire.Failure{Status: 529, Message: "Busy."}}}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"a"}`, `error {"type":"overloaded_error","message":"Busy."}`}},
		"only the first of several replies": {[]Piece{begin, says("a"), {Kind: Says, Choice: 1, Text: "b"}, {Kind: Finish, Choice: 1, Reason: Length}, finish, end}, []string{
			"message_start", textBegun, `delta 0 {"type":"text_delta","text":"a"}`, "stop 0", stopped, "message_stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := eventsOf(t, told(messages.encoder(&Request{}, ReplyOptions{}), c.pieces))
			if a, b := strings.Join(got, "\n"), strings.Join(c.want, "\n"); a != b {
				t.Errorf("got\n%s\nwant\n%s", a, b)
			}
		})
	}
}

func TestMessagesBeginsWithWhatIsKnown(t *testing.T) {
	e := messages.encoder(&Request{Model: "team/swift"}, ReplyOptions{ID: "r1", Prompt: 30})
	got := string(e.piece(nil, Piece{Kind: Calls, ID: "c1", Name: "f"}))
	want := `data: {"type":"message_start","message":{"id":"r1","type":"message","role":"assistant","model":"team/swift","content":[],"stop_reason":null,"stop_sequence":null,` +
		`"usage":{"input_tokens":30,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}`
	if !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

// Input is told without what was cached, and the figures that come last count, even behind the finish.
func TestMessagesTellsUsageInItsOwnWords(t *testing.T) {
	figures := Piece{Kind: Figures, Usage: Usage{Input: 3936, CacheRead: 3712, CacheWrite: 100, Output: 7, Reasoning: 5}}
	list := []Piece{{Kind: Begin}, {Kind: Says, Text: "a"}, {Kind: Figures, Usage: Usage{Input: 1}}, {Kind: Finish, Reason: Stopped}, figures, {Kind: End}}
	want := `"usage":{"input_tokens":124,"cache_creation_input_tokens":100,"cache_read_input_tokens":3712,"output_tokens":7,"output_tokens_details":{"thinking_tokens":5}}`
	if got := string(told(messages.encoder(&Request{}, ReplyOptions{}), list)); !strings.Contains(got, want) {
		t.Errorf("as a stream: %s", got)
	}
	if got := string(whole(t, messages.encoder(&Request{}, ReplyOptions{}), list)); !strings.Contains(got, want) {
		t.Errorf("whole: %s", got)
	}
}

func TestMessagesTellsTheEstimateWhereNoUsageIsKnown(t *testing.T) {
	list := []Piece{{Kind: Begin}, {Kind: Says, Text: "a"}, {Kind: Finish, Reason: Stopped}, {Kind: End}}
	stream := string(told(messages.encoder(&Request{}, ReplyOptions{Prompt: 30}), list))
	if n := strings.Count(stream, `"input_tokens":30`); n != 2 {
		t.Errorf("it is told %d times: %s", n, stream)
	}
}

func TestMessagesTellsAWholeReply(t *testing.T) {
	q := &Request{Tools: []Tool{{Name: "look_up", Said: "look.up"}}}
	for name, c := range map[string]struct {
		pieces []Piece
		want   string
	}{
		"all kinds": {[]Piece{
			{Kind: Begin, ID: "m1", Model: "swift"}, {Kind: Thinks, Text: "hm"}, {Kind: Proves, Proof: Proof{ByAnthropic, "c2ln"}}, {Kind: Says, Text: "<b>"},
			{Kind: Calls, ID: "c1", Name: "look_up"}, {Kind: Arguments, Text: `{"n":1.50}`}, {Kind: Finish, Reason: Stopped}, {Kind: End}},
			`{"id":"m1","type":"message","role":"assistant","model":"swift","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"<b>"},` +
				`{"type":"tool_use","id":"c1","name":"look.up","input":{"n":1.50}}],"stop_reason":"tool_use","stop_sequence":null,` +
				`"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`},
		"nothing": {[]Piece{{Kind: Begin, ID: "m1", Model: "swift"}, {Kind: End}},
			`{"id":"m1","type":"message","role":"assistant","model":"swift","content":[],"stop_reason":"end_turn","stop_sequence":null,` +
				`"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`},
		"arguments that are no object": {[]Piece{{Kind: Begin, ID: "m1", Model: "swift"}, {Kind: Calls, ID: "c1", Name: "f"}, {Kind: Arguments, Text: `{"a`}, {Kind: Finish, Reason: Length}},
			`{"id":"m1","type":"message","role":"assistant","model":"swift","content":[{"type":"tool_use","id":"c1","name":"f","input":{"arguments":"{\"a"}}],"stop_reason":"max_tokens","stop_sequence":null,` +
				`"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`},
	} {
		if got := string(whole(t, messages.encoder(q, ReplyOptions{Prompt: 4}), c.pieces)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestMessagesCallsToolsByTheCallersNames(t *testing.T) {
	q := &Request{Tools: []Tool{{Name: "look_up", Said: "look.up"}}}
	got := string(told(messages.encoder(q, ReplyOptions{}), []Piece{{Kind: Calls, ID: "c1", Name: "look_up"}}))
	if !strings.Contains(got, `"name":"look.up"`) {
		t.Errorf("got %s", got)
	}
}
