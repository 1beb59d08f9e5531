package translate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// aText is a text that Anthropic takes.
func aText(t *rapid.T, label string) Part {
	return Part{Kind: Text, Text: rapid.StringMatching(`[ \n]?[a-z<&é"\\]{1,8}`).Draw(t, label)}
}

// aMedium is an image or a file that Anthropic takes.
func aMedium(t *rapid.T) Part {
	address := rapid.StringMatching(`https://[a-z]{1,5}/[a-z?&=]{1,5}`).Draw(t, "address")
	data := rapid.StringMatching(`[A-Za-z0-9+/]{4,12}==`).Draw(t, "data")
	return rapid.SampledFrom([]Part{
		{Kind: Image, URL: address}, {Kind: Image, MIME: "image/png", Data: data},
		{Kind: File, URL: address, Name: "T"}, {Kind: File, MIME: "application/pdf", Data: data},
	}).Draw(t, "medium")
}

// aThought is one of Anthropic's own.
func aThought(t *rapid.T) Part {
	token := rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "token")
	return rapid.SampledFrom([]Part{
		{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, token}}, {Kind: Thought, Proof: Proof{HiddenByAnthropic, token}},
	}).Draw(t, "thought")
}

// someOf are up to two parts.
func someOf(t *rapid.T, one func(t *rapid.T) Part) (list []Part) {
	for range rapid.IntRange(0, 2).Draw(t, "parts") {
		list = append(list, one(t))
	}
	return list
}

func userSays(t *rapid.T) Part {
	if rapid.Bool().Draw(t, "medium") {
		return aMedium(t)
	}
	return aText(t, "said")
}

// aConversation is one as Anthropic would have it: turns alternate, and calls are answered at once. It ends with the user.
func aConversation(t *rapid.T) (list []Message) {
	if system := someOf(t, func(t *rapid.T) Part { return aText(t, "system") }); len(system) > 0 {
		list = append(list, Message{System, system})
	}
	list = append(list, Message{User, append(someOf(t, userSays), aText(t, "first"))})
	calls := 0
	for range rapid.IntRange(0, 3).Draw(t, "turns") {
		turn := Message{Assistant, append(someOf(t, aThought), aText(t, "answered"))}
		var results []Message
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			calls++
			id := fmt.Sprintf("call_%d-x", calls)
			arguments := rapid.SampledFrom([]string{`{}`, `{"n":1.50,"a":["<b>"]}`, `{"n":12345678901234567890}`}).Draw(t, "arguments")
			turn.Parts = append(turn.Parts, Part{Kind: Call, ID: id, Name: rapid.SampledFrom([]string{"f", "g"}).Draw(t, "tool"), Arguments: arguments})
			results = append(results, Message{ToolRole, []Part{{Kind: Result, ID: id, Content: someOf(t, userSays), Failed: rapid.Bool().Draw(t, "failed")}}})
		}
		list = append(append(list, turn), results...)
		if next := someOf(t, userSays); len(next) > 0 || len(results) == 0 {
			list = append(list, Message{User, append(next, aText(t, "next"))})
		}
	}
	return list
}

// aMessagesRequest is a request that Anthropic's dialect can say, for the model that it names.
func aMessagesRequest(t *rapid.T) *Request {
	q := &Request{
		Stream: rapid.Bool().Draw(t, "stream"), Messages: aConversation(t),
		MaxTokens: rapid.Int64Range(2000, 64000).Draw(t, "limit"),
		User:      rapid.StringMatching(`[a-z0-9-]{0,64}`).Draw(t, "user"),
	}
	q.Stop = rapid.SampledFrom([][]string{nil, {"END"}, {"a", "\nb"}}).Draw(t, "stop")
	if rapid.Bool().Draw(t, "format") {
		q.Format = &Format{Schema: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)}
	}
	q.Tools = []Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g", Description: "d", Parameters: json.RawMessage(`{"type":"object","n":1.50}`)}}
	q.Choice.Mode = rapid.SampledFrom([]Mode{"", ChooseAuto, ChooseNone, ChooseRequired, ChooseOne}).Draw(t, "mode")
	switch q.Choice.Mode {
	case ChooseOne:
		q.Choice.Name = "g"
		fallthrough
	case ChooseAuto, ChooseRequired:
		q.Parallel = rapid.SampledFrom([]*bool{nil, yes(true), yes(false)}).Draw(t, "parallel")
	}
	digits := rapid.SampledFrom([]json.Number{"", "0.70", "1", "1e-1"})
	called := slices.ContainsFunc(q.Messages, func(m Message) bool { return m.Role == ToolRole })
	forced := q.Choice.Mode == ChooseOne || q.Choice.Mode == ChooseRequired
	switch rapid.SampledFrom([]string{"old", "old thinker", "new thinker"}).Draw(t, "model") {
	case "old":
		q.Model, q.Temperature, q.TopP = "claude-3-7-sonnet", digits.Draw(t, "temperature"), digits.Draw(t, "top_p")
		q.TopK = rapid.SampledFrom([]json.Number{"", "40"}).Draw(t, "top_k")
	case "old thinker":
		q.Model = "claude-3-7-sonnet"
		if !called && !forced {
			q.Thinking = &Thinking{Budget: rapid.Int64Range(1024, q.MaxTokens-1).Draw(t, "budget"), Shown: true}
		}
	case "new thinker":
		q.Model = "claude-opus-5"
		q.Tools[1].Strict = yes(true)
		q.Thinking = &Thinking{Off: true}
		if !forced && rapid.Bool().Draw(t, "thinks") {
			effort := rapid.SampledFrom([]string{"", "low", "medium", "high", "xhigh", "max"}).Draw(t, "effort")
			q.Thinking = &Thinking{Effort: effort, Shown: rapid.Bool().Draw(t, "shown")}
		}
	}
	return q
}

// plainRequest writes a request in one way, as a list may be nil or empty, and pointers hide what they point to.
func plainRequest(q *Request) string {
	b, _ := json.MarshalIndent(q, "", " ")
	return string(b)
}

func TestMessagesReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := aMessagesRequest(t)
		w := &writing{&reading{}}
		body, err := marshal(writeMessages(w, q, Options{Model: q.Model, Reply: 1, Reasons: true}))
		if err != nil || w.err != nil || len(w.left) > 0 {
			t.Fatalf("%v, %v, left %q", err, w.err, w.left)
		}
		r := &reading{}
		got := readMessages(r, body)
		if r.err != nil || len(r.left) > 0 {
			t.Fatalf("%v, left %q: %s", r.err, r.left, body)
		}
		if !reflect.DeepEqual(got, q) {
			t.Errorf("of %s\ncame %s\nsaid as %s", plainRequest(q), plainRequest(got), body)
		}
	})
}

// What is said of any conversation, however odd, is what Anthropic takes: turns alternate, and every call and every result is
// there once.
func TestMessagesWritesTurnsThatAnthropicTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Request
		want := 0
		for i := range rapid.IntRange(1, 8).Draw(t, "messages") {
			role := rapid.SampledFrom([]Role{System, User, Assistant, ToolRole}).Draw(t, "role")
			m := Message{Role: role}
			switch role {
			case ToolRole:
				m.Parts = []Part{{Kind: Result, ID: fmt.Sprint("c.", i), Content: someOf(t, userSays)}}
				want++
			case Assistant:
				m.Parts = someOf(t, aThought)
				if rapid.Bool().Draw(t, "calls") {
					m.Parts = append(m.Parts, Part{Kind: Call, ID: fmt.Sprint("c.", i+1), Name: "f", Arguments: rapid.String().Draw(t, "arguments")})
					want++
				}
				fallthrough
			default:
				m.Parts = append(m.Parts, Part{Kind: Text, Text: rapid.String().Draw(t, "text")})
			}
			q.Messages = append(q.Messages, m)
		}
		w := &writing{&reading{}}
		body, err := marshal(writeMessages(w, &q, Options{Model: "m", Reply: 1}))
		if w.err != nil {
			return // nothing that the user says
		}
		var said struct {
			Messages []struct {
				Role    string
				Content []struct{ Type, Text string }
			}
		}
		if err != nil || json.Unmarshal(body, &said) != nil {
			t.Fatalf("%v: %s", err, body)
		}
		last, got := "", 0
		for _, m := range said.Messages {
			if m.Role == last || len(m.Content) == 0 {
				t.Fatalf("turns do not alternate, or say nothing: %s", body)
			}
			last = m.Role
			seen := 0
			for i, b := range m.Content {
				switch b.Type {
				case "tool_use":
					seen++
				case "tool_result":
					if got++; i > 0 && m.Content[i-1].Type != "tool_result" {
						t.Fatalf("a result is behind other words: %s", body)
					}
				default:
					if seen > 0 {
						t.Fatalf("words are behind a call: %s", body)
					}
				}
			}
			got += seen
		}
		if got != want {
			t.Fatalf("%d calls and results became %d: %s", want, got, body)
		}
	})
}

// A reply in pieces is told the same as a stream and whole, whatever the pieces are.
func TestMessagesTellsAStreamLikeAWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := []Piece{{Kind: Begin, ID: "m1", Model: "m"}}
		calls, arguments := 0, map[int]*jsonEnd{}
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			switch kind := rapid.SampledFrom([]PieceKind{Says, Thinks, Calls, Arguments}).Draw(t, "kind"); kind {
			case Calls:
				list = append(list, Piece{Kind: Calls, Call: calls, ID: fmt.Sprint("c", calls), Name: "f"})
				arguments[calls] = &jsonEnd{}
				calls++
			case Arguments:
				if calls == 0 {
					continue
				}
				call := rapid.IntRange(0, calls-1).Draw(t, "call")
				if text := rapid.SampledFrom([]string{`{"a`, `":"}`, `"}`, `{}`}).Draw(t, "text"); !arguments[call].whole() {
					arguments[call].add(text)
					list = append(list, Piece{Kind: Arguments, Call: call, Text: text})
				}
			default:
				list = append(list, Piece{Kind: kind, Text: rapid.StringMatching(`[a-z"\n]{1,4}`).Draw(t, "text")})
			}
		}
		list = append(list, Piece{Kind: Finish, Reason: Stopped}, Piece{Kind: Figures, Usage: Usage{Input: 4, Output: 3}}, Piece{Kind: End})
		again := streamed(t, messages.decoder(), bytes.NewReader(told(messages.encoder(&Request{}, ReplyOptions{}), list)))
		want, got := gather(list), gather(again)
		if calls > 0 {
			want.Choices[0].Reason = ToCalls
		}
		for i, b := range want.Choices[0].Blocks {
			if b.Kind == Calls && b.Text == "" {
				want.Choices[0].Blocks[i].Text = "{}"
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
