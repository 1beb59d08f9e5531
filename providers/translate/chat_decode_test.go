package translate

import (
	"bytes"
	"slices"
	"testing"

	"perdiem/providers/wire"
)

// decoded are the pieces of events of chat completions.
func decoded(events ...string) (list []Piece) {
	d := chat.decoder()
	for _, ev := range events {
		d.event([]byte(ev), func(p Piece) { list = append(list, p) })
	}
	return list
}

func chatDeltas(deltas ...string) (events []string) {
	for _, delta := range deltas {
		events = append(events, `{"id":"x","choices":[{"index":0,"delta":`+delta+`}]}`)
	}
	return events
}

func callsOf(list []Piece) (calls []string) {
	for _, c := range gather(list).Choices {
		for _, b := range c.Blocks {
			if b.Kind == Calls {
				calls = append(calls, b.ID+" "+b.Name+" "+b.Text)
			}
		}
	}
	return calls
}

func TestChatKeepsCallsApartAsServersNumberThem(t *testing.T) {
	for name, c := range map[string]struct{ deltas, want []string }{
		"interleaved, by index": {
			[]string{
				`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":""}}]}`,
				`{"tool_calls":[{"index":1,"function":{"arguments":"2"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}`,
			},
			[]string{"a f 1", "b g 2"},
		},
		"whole, without an index": {
			[]string{`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"1"}}]}`, `{"tool_calls":[{"id":"b","function":{"name":"f","arguments":"2"}}]}`},
			[]string{"a f 1", "b f 2"},
		},
		"all of index 0, by their ids": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"2"}}]}`},
			[]string{"a f 1", "b f 2"},
		},
		"an id that is repeated": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"1"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"2"}}]}`},
			[]string{"a f 12"},
		},
		"without ids": {
			[]string{`{"tool_calls":[{"function":{"name":"f","arguments":"1"}}]}`, `{"tool_calls":[{"function":{"name":"g","arguments":{"x": 1}}}]}`},
			[]string{" f 1", ` g {"x": 1}`},
		},
	} {
		if got := callsOf(decoded(chatDeltas(c.deltas...)...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestChatEndsForTheReasonThatIsMeant(t *testing.T) {
	call := `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`
	for _, c := range []struct {
		delta, reason string
		want          Reason
	}{
		{`{"content":"a"}`, `"stop"`, Stopped},
		{call, `"stop"`, ToCalls},
		{call, `"length"`, Length},
		{`{"content":"a"}`, `"model_length"`, Length},
		{`{"content":"a"}`, `"content_filter"`, Filtered},
		{`{"content":"a"}`, `"eos"`, Stopped},
		{`{"content":"a"}`, `null`, Stopped},
		{call, `null`, ToCalls},
	} {
		event := `{"choices":[{"delta":` + c.delta + `,"finish_reason":` + c.reason + `}]}`
		list := decoded(event, "[DONE]")
		if got := gather(list).Choices[0].Reason; got != c.want || list[len(list)-1].Kind != End {
			t.Errorf("%s: got %s, %+v", event, got, list)
		}
	}
}

func TestChatTellsFailures(t *testing.T) {
	for event, want := range map[string]wire.Failure{
		`{"error":{"message":"Gone","type":"server_error","code":"overloaded"}}`: {Message: "Gone", Type: "server_error", Code: "overloaded"},
		`{"error":{"message":"Slow down","code":429}}`:                           {Message: "Slow down", Code: "429", Status: 429},
		`{"error":"Gone"}`: {Message: "Gone", Type: "server_error", Code: "server_error"},
		`{"object":"error","message":"Gone","type":"BadRequestError","code":400}`:             {Message: "Gone", Type: "BadRequestError", Code: "400", Status: 400},
		`{"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}`: {Message: "The provider could not end its reply (insufficient_system_resource).", Type: "server_error", Code: "server_error"},
	} {
		list := decoded(event)
		if last := list[len(list)-1]; last.Kind != Fails || last.Failure != want {
			t.Errorf("%s: got %+v", event, list)
		}
		if chat.decoder().body([]byte(event), func(Piece) {}) {
			t.Errorf("%s is taken for a reply", event)
		}
	}
}

func TestChatTakesNoUsageThatCannotBeTrue(t *testing.T) {
	for _, usage := range []string{
		`{"prompt_tokens":-1,"completion_tokens":2}`, `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, `{"prompt_tokens":99999999999,"completion_tokens":2}`, `null`, `[]`,
	} {
		for _, p := range decoded(`{"choices":[],"usage":` + usage + `}`) {
			t.Errorf("%s: got %+v", usage, p)
		}
	}
}

func TestChatFinishesTheRepliesThatCameAlone(t *testing.T) {
	finishes := 0
	for _, p := range decoded(`{"choices":[{"index":3,"delta":{"content":"a"}}]}`, "[DONE]") {
		if p.Kind == Finish {
			finishes++
		}
	}
	if finishes != 1 {
		t.Errorf("got %d", finishes)
	}
}

func FuzzChatDecode(f *testing.F) {
	f.Add([]byte(`{"id":"x","choices":[{"index":0,"delta":{"content":"a","reasoning":"b","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`), []byte("[DONE]"))
	f.Add([]byte(`{"error":{"message":"x"}}`), []byte(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f"}}]}}]}`))
	f.Fuzz(func(t *testing.T, one, two []byte) { mustDecodeSafely(t, chat, one, two) })
}

// mustDecodeSafely gives foreign events to a decoder and its pieces to every encoder: each call that was begun is told
// once, and the pieces of arguments belong to one that was begun.
func mustDecodeSafely(t *testing.T, d dialect, events ...[]byte) {
	var list []Piece
	emit := func(p Piece) { list = append(list, p) }
	decoder := d.decoder()
	for _, ev := range events {
		decoder.event(ev, emit)
	}
	if c, ok := decoder.(closer); ok {
		c.close(emit)
	}
	begun := map[[2]int]bool{}
	for _, p := range list {
		key := [2]int{p.Choice, p.Call}
		switch p.Kind {
		case Calls:
			if begun[key] {
				t.Fatalf("a call begun twice: %+v", list)
			}
			begun[key] = true
		case Arguments:
			if !begun[key] {
				t.Fatalf("arguments of no call: %+v", list)
			}
		}
	}
	if got := len(callsOf(list)); got != len(begun) {
		t.Fatalf("%d calls became %d", len(begun), got)
	}
	for _, body := range events {
		d.decoder().body(body, func(Piece) {})
	}
	told := told(chat.encoder(&Request{}, ReplyOptions{}), append(list, Piece{Kind: End}))
	if got := len(callsOf(streamed(t, chat.decoder(), bytes.NewReader(told)))); got != len(begun) {
		t.Fatalf("%d calls are told as %d: %s", len(begun), got, told)
	}
}
