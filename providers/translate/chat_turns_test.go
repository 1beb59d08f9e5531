package translate

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// mixed draws the pieces of some calls, in an order that keeps each call's own, and what they are.
func mixed(t *rapid.T) (events []string, want []string) {
	type call struct {
		pieces []string
		next   int
	}
	var calls []call
	for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
		c := call{pieces: []string{fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f%d","arguments":""}}`, i, i, i)}}
		text := rapid.SampledFrom([]string{"", "{}", `{"a":1}`, `{"a":{"b":[1,2]}}`}).Draw(t, "arguments")
		want = append(want, fmt.Sprintf("c%d f%d %s", i, i, text))
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			c.pieces = append(c.pieces, fmt.Sprintf(`{"index":%d,"function":{"arguments":%q}}`, i, rest[:n]))
			rest = rest[n:]
		}
		calls = append(calls, c)
	}
	for begun := 1; ; {
		var open []int
		for i := range calls[:begun] {
			if calls[i].next < len(calls[i].pieces) {
				open = append(open, i)
			}
		}
		if begun < len(calls) {
			open = append(open, begun)
		}
		if len(open) == 0 {
			break
		}
		i := rapid.SampledFrom(open).Draw(t, "which")
		begun = max(begun, i+1)
		events = append(events, `{"tool_calls":[`+calls[i].pieces[calls[i].next]+`]}`)
		calls[i].next++
	}
	return chatDeltas(events...), want
}

func TestChatTellsMixedCallsOneAfterTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events, want := mixed(t)
		list := decoded(append(events, "[DONE]")...)
		got := callsOf(list)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		call := -1
		for _, p := range list {
			switch {
			case p.Kind == Calls:
				call = p.Call
			case p.Kind == Arguments && p.Call != call:
				t.Fatalf("a piece of call %d after call %d had begun: %+v", p.Call, call, list)
			}
		}
	})
}

func TestChatTellsCallsThatAreNotMixedAtOnce(t *testing.T) {
	d := chat.decoder()
	for _, c := range []struct {
		event string
		want  []PieceKind
	}{
		{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`, []PieceKind{Begin, Calls}},
		{`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, []PieceKind{Arguments}},
		{`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`, []PieceKind{Arguments}},
		{`{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}`, []PieceKind{Calls, Arguments}},
		{`{"content":"so"}`, []PieceKind{Says}},
	} {
		var got []PieceKind
		d.event([]byte(chatDeltas(c.event)[0]), func(p Piece) { got = append(got, p.Kind) })
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.event, got, c.want)
		}
	}
}
