package translate

import (
	"reflect"
	"strings"
	"testing"

	"perdiem/providers/sse"
	"perdiem/providers/wire"
)

func decodedMessages(t *testing.T, stream string) []Piece {
	t.Helper()
	return streamed(t, messages.decoder(), strings.NewReader(stream))
}

// dataOf is a stream with these data.
func dataOf(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

func TestMessagesDecodesEvents(t *testing.T) {
	const (
		begun    = `{"type":"message_start","message":{"id":"m1","model":"swift","usage":{"input_tokens":4,"output_tokens":1}}}`
		call     = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"f","input":{}}}`
		ended    = `{"type":"message_stop"}`
		forTools = `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`
	)
	begin, end := Piece{Kind: Begin, ID: "m1", Model: "swift"}, Piece{Kind: End}
	called := Piece{Kind: Calls, ID: "c1", Name: "f"}
	for name, c := range map[string]struct {
		data []string
		want []Piece
	}{
		"no figures but the placeholder": {[]string{begun, ended}, []Piece{begin, end}},
		"what was cached is input": {[]string{begun, `{"type":"message_delta","delta":{},"usage":{"cache_creation_input_tokens":5,"cache_read_input_tokens":6,"output_tokens":7,"output_tokens_details":{"thinking_tokens":2}}}`},
			[]Piece{begin, {Kind: Figures, Usage: Usage{Input: 15, CacheRead: 6, CacheWrite: 5, Output: 7, Reasoning: 2}}}},
		"zeros do not count": {[]string{begun, `{"type":"message_delta","delta":{},"usage":{"input_tokens":0,"output_tokens":7}}`},
			[]Piece{begin, {Kind: Figures, Usage: Usage{Input: 4, Output: 7}}}},
		"figures that cannot be true": {[]string{begun, `{"type":"message_delta","delta":{},"usage":{"input_tokens":-3,"output_tokens":7}}`},
			[]Piece{begin, {Kind: Figures, Usage: Usage{Input: 4}}}},
		"a call without arguments": {[]string{begun, call, `{"type":"content_block_stop","index":0}`, ended},
			[]Piece{begin, called, {Kind: Arguments, Text: "{}"}, end}},
		"a call that is not stopped": {[]string{begun, call, forTools}, []Piece{begin, called, {Kind: Arguments, Text: "{}"}, {Kind: Finish, Reason: ToCalls}}},
		"a call whole at its start": {[]string{begun, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"f","input":{"a": 1}}}`, `{"type":"content_block_stop","index":0}`},
			[]Piece{begin, called, {Kind: Arguments, Text: `{"a": 1}`}}},
		"calls mixed": {[]string{begun, call, `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c2","name":"g","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"["}}`},
			[]Piece{begin, called, {Kind: Calls, Call: 1, ID: "c2", Name: "g"}, {Kind: Arguments, Text: "{"}, {Kind: Arguments, Call: 1, Text: "["}}},
		"a call of the provider's own tool": {[]string{begun, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"c1","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`}, []Piece{begin}},
		"a signature in parts": {[]string{begun, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ab"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"cd"}}`, `{"type":"content_block_stop","index":0}`},
			[]Piece{begin, {Kind: Thinks, Text: "hm"}, {Kind: Proves, Proof: Proof{ByAnthropic, "abcd"}}}},
		"a thought that is not shown": {[]string{begun, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"ab"}}`, `{"type":"content_block_stop","index":0}`},
			[]Piece{begin, {Kind: Thinks}, {Kind: Proves, Proof: Proof{ByAnthropic, "ab"}}}},
		"a thought that is hidden": {[]string{begun, `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"xyz"}}`, `{"type":"content_block_stop","index":0}`},
			[]Piece{begin, {Kind: Thinks}, {Kind: Proves, Proof: Proof{HiddenByAnthropic, "xyz"}}}},
		"a stop sequence": {[]string{begun, `{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}`},
			[]Piece{begin, {Kind: Finish, Reason: Stopped, Stop: "END"}}},
		"the limit":     {[]string{begun, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`}, []Piece{begin, {Kind: Finish, Reason: Length}}},
		"a full window": {[]string{begun, `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`}, []Piece{begin, {Kind: Finish, Reason: Length}}},
		"filtered":      {[]string{begun, `{"type":"message_delta","delta":{"stop_reason":"refusal"}}`}, []Piece{begin, {Kind: Finish, Reason: Filtered}}},
		"an error": {[]string{begun, `{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}`},
			[]Piece{begin, {Kind: Fails, Failure: wire.Failure{Message: "Busy.", Type: "overloaded_error", Status: 529}}}},
		"an unknown error": {[]string{`{"type":"error","error":{"type":"odd","message":"Oh."}}`}, []Piece{{Kind: Fails, Failure: wire.Failure{Message: "Oh.", Type: "odd", Status: 500}}}},
		"what is no JSON":  {[]string{`{"type":"message_st`, `[DONE]`, strings.Repeat("[", 5000)}, nil},
		"a ping":           {[]string{`{"type":"ping"}`}, nil},
	} {
		if got := decodedMessages(t, dataOf(c.data...)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestMessagesTakesOnlyMessagesForReplies(t *testing.T) {
	for _, body := range []string{``, `[]`, `{"input_tokens":5}`, `{"type":"error","error":{"type":"api_error","message":"Oh."}}`, `{"content":[]`} {
		if messages.decoder().body([]byte(body), func(Piece) {}) {
			t.Errorf("%q is taken for a reply", body)
		}
	}
}

// FuzzMessagesDecode tries foreign streams: whatever comes, each call is told once, and the stream that is made of it
// ends as it must.
func FuzzMessagesDecode(f *testing.F) {
	f.Add([]byte(dataOf(`{"type":"message_start","message":{"id":"m"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)))
	f.Add([]byte(dataOf(`{"type":"content_block_start","index":-1,"content_block":{"type":"thinking","signature":"x"}}`, `{"type":"content_block_stop","index":-1}`, `{"type":"error","error":{}}`)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		if len(stream) > 1<<16 {
			return
		}
		begun, calls := 0, 0
		reply := &Reply{decoder: messages.decoder(), encoder: messages.encoder(&Request{}, ReplyOptions{})}
		var said []byte
		open := true
		take := func(p Piece) {
			if p.Kind == Calls && open {
				calls++
			}
			open = open && p.Kind != End && p.Kind != Fails
		}
		d := messages.decoder()
		each(t, strings.NewReader(string(stream)), func(ev sse.Event) {
			d.event(ev.Data, take)
			said = append(said, reply.Event(ev.Data)...)
		})
		said = append(said, reply.Close()...)
		events := eventsOf(t, said)
		for _, e := range events {
			if strings.HasPrefix(e, "start ") && strings.HasSuffix(e, " tool_use") {
				begun++
			}
		}
		if begun != calls {
			t.Errorf("%d calls were told of %d", begun, calls)
		}
		if last := events[len(events)-1]; last != "message_stop" && !strings.HasPrefix(last, "error ") {
			t.Errorf("it ends with %s", last)
		}
		var pieces []Piece
		if messages.decoder().body(stream, func(p Piece) { pieces = append(pieces, p) }) {
			whole(t, messages.encoder(&Request{}, ReplyOptions{}), pieces)
		}
	})
}
