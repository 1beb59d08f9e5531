package translate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// toldToGemini are pieces as a caller of Google's dialect gets them, as a stream without "data: " and whole.
func toldToGemini(t *testing.T, q *Request, list []Piece) (stream, body string) {
	t.Helper()
	stream = string(told(gemini.encoder(q, ReplyOptions{ID: "ours"}), list))
	for line := range strings.Lines(stream) {
		if line != "\n" && !strings.HasPrefix(line, "data: {") {
			t.Errorf("Google's clients take data lines alone, not %q", line)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(stream, "data: ", ""), "\n\n", "\n"), string(whole(t, gemini.encoder(q, ReplyOptions{ID: "ours"}), list))
}

func TestWhatGooglesCallersAreTold(t *testing.T) {
	begin, finish, end := Piece{Kind: Begin, ID: "r", Model: "m"}, Piece{Kind: Finish, Reason: Stopped}, Piece{Kind: End}
	says := func(text string) Piece { return Piece{Kind: Says, Text: text} }
	thinks := func(text string) Piece { return Piece{Kind: Thinks, Text: text} }
	proves := func(v Vendor) Piece { return Piece{Kind: Proves, Proof: Proof{v, "s"}} }
	calls := func(n int, name string) Piece { return Piece{Kind: Calls, Call: n, ID: "id" + name, Name: name} }
	args := func(n int, text string) Piece { return Piece{Kind: Arguments, Call: n, Text: text} }
	event := func(parts, rest string) string {
		return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}` + rest + `,"index":0}],"modelVersion":"m","responseId":"r"}` + "\n"
	}
	stop := `,"finishReason":"STOP"`
	last := event(`{"text":""}`, stop)
	seal := Proof{ByAnthropic, "s"}.seal(ByGoogle)
	for name, c := range map[string]struct {
		q            *Request
		list         []Piece
		stream, body string
	}{
		"words":   {&Request{}, []Piece{begin, says("a<"), says(""), says("b"), finish, end}, event(`{"text":"a<"}`, "") + event(`{"text":"b"}`, "") + last, event(`{"text":"a<b"}`, stop)},
		"nothing": {&Request{}, []Piece{begin, finish, end}, last, last},
		"thoughts that were not asked for": {
			&Request{}, []Piece{begin, thinks("hm"), proves(ByAnthropic), says("a"), finish, end}, event(`{"text":"a"}`, "") + last, event(`{"text":"a"}`, stop),
		},
		"thoughts and their proof": {
			shown, []Piece{begin, thinks("h"), thinks("m"), proves(ByAnthropic), says("a"), finish, end},
			event(`{"text":"h","thought":true}`, "") + event(`{"text":"m","thought":true}`, "") + event(`{"text":"","thought":true,"thoughtSignature":"`+seal+`"}`, "") + event(`{"text":"a"}`, "") + last,
			event(`{"text":"hm","thought":true,"thoughtSignature":"`+seal+`"},{"text":"a"}`, stop),
		},
		"a thought without words": {
			shown, []Piece{begin, says("a"), thinks(""), proves(ByGoogle), finish, end},
			event(`{"text":"a"}`, "") + event(`{"text":"","thoughtSignature":"s"}`, "") + last, event(`{"text":"a"},{"text":"","thoughtSignature":"s"}`, stop),
		},
		"a refusal": {&Request{}, []Piece{begin, {Kind: Declines, Text: "no"}, finish, end}, event(`{"text":"no"}`, "") + last, event(`{"text":"no"}`, stop)},
		"calls, each in one part": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `{"a"`), args(0, `: 1.0}`), proves(ByGoogle), calls(1, "g"), {Kind: Finish, Reason: ToCalls}, end},
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1.0}},"thoughtSignature":"s"}`, "") + event(`{"functionCall":{"id":"idg","name":"g","args":{}}}`, "") + last,
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1.0}},"thoughtSignature":"s"},{"functionCall":{"id":"idg","name":"g","args":{}}}`, stop),
		},
		"calls by turns": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `{`), calls(1, "g"), args(1, `{"b":2}`), args(0, `"a":1}`), finish, end},
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1}}},{"functionCall":{"id":"idg","name":"g","args":{"b":2}}}`, "") + last,
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1}}},{"functionCall":{"id":"idg","name":"g","args":{"b":2}}}`, stop),
		},
		"calls by turns, the first one without a word at first": {
			&Request{}, []Piece{begin, calls(0, "f"), calls(1, "g"), args(1, `{}`), args(0, `{"a":1}`), finish, end},
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1}}},{"functionCall":{"id":"idg","name":"g","args":{}}}`, "") + last,
			event(`{"functionCall":{"id":"idf","name":"f","args":{"a":1}}},{"functionCall":{"id":"idg","name":"g","args":{}}}`, stop),
		},
		"a call that goes on when it was whole": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `{}`), says("a"), args(0, `}`), finish, end},
			event(`{"functionCall":{"id":"idf","name":"f","args":{}}},{"text":"a"}`, "") + event(`{"text":""}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`),
			event(`{"text":"a"}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`),
		},
		"a proof of no thought": {
			shown, []Piece{begin, says("a"), proves(ByGoogle), finish, end},
			event(`{"text":"a"}`, "") + event(`{"text":"","thoughtSignature":"s"}`, "") + last, event(`{"text":"a"},{"text":"","thoughtSignature":"s"}`, stop),
		},
		"a call before words": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `{}`), says("a"), finish, end},
			event(`{"functionCall":{"id":"idf","name":"f","args":{}}},{"text":"a"}`, "") + last, event(`{"functionCall":{"id":"idf","name":"f","args":{}}},{"text":"a"}`, stop),
		},
		"a call without its end": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `{"a":`), {Kind: Finish, Reason: ToCalls}, end},
			event(`{"text":""}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`), event(`{"text":""}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`),
		},
		"a call that was cut for its length": {
			&Request{}, []Piece{begin, says("a"), calls(0, "f"), args(0, `{"a":`), {Kind: Finish, Reason: Length}, end},
			event(`{"text":"a"}`, "") + event(`{"text":""}`, `,"finishReason":"MAX_TOKENS"`), event(`{"text":"a"}`, `,"finishReason":"MAX_TOKENS"`),
		},
		"arguments that are no object": {
			&Request{}, []Piece{begin, calls(0, "f"), args(0, `[1]`), finish, end},
			event(`{"text":""}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`), event(`{"text":""}`, `,"finishReason":"MALFORMED_FUNCTION_CALL"`),
		},
		"a name that was made": {
			&Request{Tools: []Tool{{Name: "a_b", Said: "a.b"}}}, []Piece{begin, calls(0, "a_b"), finish, end},
			event(`{"functionCall":{"id":"ida_b","name":"a.b","args":{}}}`, "") + last, event(`{"functionCall":{"id":"ida_b","name":"a.b","args":{}}}`, stop),
		},
		"filtered": {&Request{}, []Piece{begin, {Kind: Finish, Reason: Filtered}, end}, event(`{"text":""}`, `,"finishReason":"SAFETY"`), event(`{"text":""}`, `,"finishReason":"SAFETY"`)},
		"figures": {
			&Request{}, []Piece{begin, says("a"), {Kind: Figures, Usage: Usage{Input: 1}}, finish, {Kind: Figures, Usage: Usage{Input: 20, CacheRead: 5, Output: 9, Reasoning: 4}}, end},
			event(`{"text":"a"}`, "") + strings.Replace(last, `],"modelVersion"`, `],"usageMetadata":{"promptTokenCount":20,"cachedContentTokenCount":5,"candidatesTokenCount":5,"thoughtsTokenCount":4,"totalTokenCount":29},"modelVersion"`, 1),
			strings.Replace(event(`{"text":"a"}`, stop), `],"modelVersion"`, `],"usageMetadata":{"promptTokenCount":20,"cachedContentTokenCount":5,"candidatesTokenCount":5,"thoughtsTokenCount":4,"totalTokenCount":29},"modelVersion"`, 1),
		},
		"no id": {&Request{}, []Piece{{Kind: Begin, Model: "m"}, says("a"), finish, end},
			strings.ReplaceAll(event(`{"text":"a"}`, "")+last, `"r"`, `"ours"`), strings.ReplaceAll(event(`{"text":"a"}`, stop), `"r"`, `"ours"`)},
		"several replies": {
			&Request{}, []Piece{begin, {Kind: Says, Choice: 1, Text: "b"}, says("a"), {Kind: Finish, Choice: 1, Reason: Length}, finish, end},
			strings.Replace(event(`{"text":"b"}`, ""), `"index":0`, `"index":1`, 1) + event(`{"text":"a"}`, "") +
				strings.Replace(last, `"index":0}`, `"index":0},{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"MAX_TOKENS","index":1}`, 1),
			strings.Replace(event(`{"text":"a"}`, stop), `"index":0}`, `"index":0},{"content":{"role":"model","parts":[{"text":"b"}]},"finishReason":"MAX_TOKENS","index":1}`, 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			stream, body := toldToGemini(t, c.q, c.list)
			if stream != c.stream {
				t.Errorf("as a stream, got\n%swant\n%s", stream, c.stream)
			}
			if body+"\n" != c.body {
				t.Errorf("whole, got\n%s\nwant\n%s", body, c.body)
			}
		})
	}
}

func TestGooglesCallersAreToldErrorsInTheirShape(t *testing.T) {
	got := string(gemini.encoder(&Request{}, ReplyOptions{}).piece(nil, Piece{Kind: Fails, Failure: wire.Failure{Message: "Full", Status: 503}}))
	if want := "data: {\"error\":{\"code\":503,\"message\":\"Full\",\"status\":\"UNAVAILABLE\"}}\n\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// Anthropic's thoughts come back with the call behind them, though the caller drops thoughts as Gemini CLI does, or was
// never told them; and once only, where the caller keeps them.
func TestThoughtsComeBackWithTheCallsBehindThem(t *testing.T) {
	thought := Part{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, "s"}}
	hidden := Part{Kind: Thought, Proof: Proof{HiddenByAnthropic, "x"}}
	call := func(id string) Part { return Part{Kind: Call, ID: id, Name: "f", Arguments: "{}"} }
	list := []Piece{
		{Kind: Begin}, {Kind: Thinks, Text: "h"}, {Kind: Thinks, Text: "m"}, {Kind: Proves, Proof: thought.Proof}, {Kind: Thinks}, {Kind: Proves, Proof: hidden.Proof},
		{Kind: Says, Text: "a"}, {Kind: Calls, ID: "1", Name: "f"}, {Kind: Calls, Call: 1, ID: "2", Name: "f"}, {Kind: Finish, Reason: ToCalls}, {Kind: End},
	}
	want := []Part{thought, hidden, {Text: "a"}, call("1"), call("2")}
	for _, q := range []*Request{{}, shown} {
		_, body := toldToGemini(t, q, list)
		for _, keeps := range []bool{true, false} {
			var kept []string
			for _, p := range gjson.Get(body, "candidates.0.content.parts").Array() {
				if keeps || !p.Get("thought").Bool() {
					kept = append(kept, p.Raw)
				}
			}
			got, r := readAsGemini(t, `{"contents":[{"role":"model","parts":[`+strings.Join(kept, ",")+`]}]}`)
			if r.err != nil || len(got.Messages) != 1 || !reflect.DeepEqual(got.Messages[0].Parts, want) {
				t.Errorf("keeps %v: got %v, %+v", keeps, r.err, got.Messages)
			}
		}
		stream, _ := toldToGemini(t, q, list)
		signature := gjson.Get(body, "candidates.0.content.parts.#(functionCall.id==1).thoughtSignature").Str
		if signature == "" || strings.Count(stream, signature) != 1 || strings.Count(body, signature) != 1 {
			t.Errorf("it is told not just once:\n%s\n%s", stream, body)
		}
	}
}
