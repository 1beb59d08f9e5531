package translate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perdiem/providers/sse"
	"perdiem/providers/wire"
)

// toldResponse is what a stream of responses told: the items as its events told them, piece by piece, and its last event.
type toldResponse struct {
	kinds []string
	items []toldItem
	last  string
	end   map[string]any
}

type toldItem struct {
	kind, id, texts string // texts: what the deltas of its parts said, joined
	done            map[string]any
}

// follow reads a stream as strictly as any client: every event must be one that can come there, and the whole values must
// be what the pieces said.
func follow(t rapid.TB, stream []byte) (r toldResponse) {
	var part string
	partOpen := false
	each(t, bytes.NewReader(stream), func(raw sse.Event) {
		var ev map[string]any
		if err := json.Unmarshal(raw.Data, &ev); err != nil {
			t.Fatalf("%v: %s", err, raw.Data)
		}
		kind := ev["type"].(string)
		if raw.Name != kind || ev["sequence_number"] != float64(len(r.kinds)) {
			t.Fatalf("event %q is %q with number %v, want %d", raw.Name, kind, ev["sequence_number"], len(r.kinds))
		}
		r.kinds = append(r.kinds, kind)
		if n := len(r.kinds); n <= 2 {
			if want := []string{"response.created", "response.in_progress"}[n-1]; kind != want {
				t.Fatalf("event %d is %s", n, kind)
			}
			return
		}
		if r.last != "" {
			t.Fatalf("%s comes behind the end", kind)
		}
		if response, ok := ev["response"].(map[string]any); ok {
			r.last, r.end = kind, response
			return
		}
		if kind == "response.output_item.added" {
			item := ev["item"].(map[string]any)
			r.items = append(r.items, toldItem{kind: item["type"].(string), id: item["id"].(string)})
		}
		item := &r.items[len(r.items)-1]
		if ev["output_index"] != float64(len(r.items)-1) || item.done != nil || ev["item_id"] != nil && ev["item_id"] != item.id {
			t.Fatalf("%s is about another item than the one that is open: %v", kind, ev)
		}
		switch {
		case strings.HasSuffix(kind, "part.added"):
			part, partOpen = "", true
		case strings.HasSuffix(kind, "part.done"):
			if p := ev["part"].(map[string]any); p["text"] != part && p["refusal"] != part {
				t.Fatalf("the part is %v, its deltas said %q", p, part)
			}
			partOpen = false
		case strings.HasSuffix(kind, ".delta"):
			if isCall := strings.Contains(kind, "call"); isCall == partOpen {
				t.Fatalf("%s outside of its part", kind)
			}
			part += ev["delta"].(string)
			item.texts += ev["delta"].(string)
		case kind == "response.function_call_arguments.done":
			if got := ev["arguments"]; got != item.texts && (got != "{}" || item.texts != "") {
				t.Fatalf("the arguments are %q, the deltas said %q", got, item.texts)
			}
		case kind == "response.custom_tool_call_input.done":
			if ev["input"] != item.texts {
				t.Fatalf("the input is %q, the deltas said %q", ev["input"], item.texts)
			}
		case kind == "response.output_item.done":
			item.done = ev["item"].(map[string]any)
		}
	})
	if r.last == "" {
		t.Fatalf("the stream has no end: %q", r.kinds)
	}
	if r.last == "response.failed" {
		return r
	}
	output := r.end["output"].([]any)
	if len(output) != len(r.items) {
		t.Fatalf("%d items were told, %d are in the response", len(r.items), len(output))
	}
	for i, item := range r.items {
		if !reflect.DeepEqual(output[i], any(item.done)) {
			t.Fatalf("item %d was %v, and is %v in the response", i, item.done, output[i])
		}
	}
	return r
}

func asked(fields string) *Request {
	return &Request{Model: "m", Asked: []byte(`{"model":"m","input":"Hi"` + fields + `}`),
		Tools: []Tool{{Name: "g__f", Said: "f", Space: "g"}, {Name: "patch", Free: true}}}
}

const withProofs = `,"include":["reasoning.encrypted_content"]`

func ofResponses(fields string) encoder {
	return responses.encoder(asked(fields), ReplyOptions{ID: "x", Now: 5})
}

// somePieces draws a reply as decoders tell them.
func somePieces(t *rapid.T) []Piece {
	list := []Piece{{Kind: Begin, ID: "x", Model: "p"}}
	for call := 0; len(list) < 20 && rapid.IntRange(0, 5).Draw(t, "more") > 0; {
		text := func() string { return rapid.StringMatching(`[a-z "\n<é]{1,5}`).Draw(t, "text") }
		switch kind := rapid.SampledFrom([]PieceKind{Says, Thinks, Declines, Calls, Proves}).Draw(t, "kind"); kind {
		case Calls:
			name := rapid.SampledFrom([]string{"g__f", "patch", "other"}).Draw(t, "name")
			list = append(list, Piece{Kind: Calls, Call: call, ID: fmt.Sprint("c", call), Name: name})
			arguments := rapid.SampledFrom([]string{"", "{}", `{"input":"a\n\"b\u00e9"}`, `{"x":1}`}).Draw(t, "arguments")
			for arguments != "" {
				n := rapid.IntRange(1, len(arguments)).Draw(t, "cut")
				list = append(list, Piece{Kind: Arguments, Call: call, Text: arguments[:n]})
				arguments = arguments[n:]
			}
			call++
		case Proves:
			list = append(list, Piece{Kind: Proves, Call: max(call-1, 0), Proof: Proof{ByGoogle, "s"}})
		default:
			list = append(list, Piece{Kind: kind, Text: text()})
		}
	}
	reason := rapid.SampledFrom([]Reason{Stopped, ToCalls, Length, Filtered}).Draw(t, "reason")
	return append(list, Piece{Kind: Finish, Reason: reason}, Piece{Kind: Figures, Usage: Usage{Input: 10, CacheRead: 4, Output: 5, Reasoning: 2}}, Piece{Kind: End})
}

// itemsOf are the items of a response without what a stream and a whole one may differ in.
func itemsOf(t rapid.TB, response any) (status any, items []any) {
	data, err := marshal(response)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v", err)
	}
	for _, item := range v["output"].([]any) {
		delete(item.(map[string]any), "status") // of the last one alone where a stream was cut
		items = append(items, item)
	}
	return v["status"], items
}

func TestResponsesTellsTheSameWholeAndAsAStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := somePieces(t)
		fields := rapid.SampledFrom([]string{"", withProofs}).Draw(t, "fields")
		stream := told(ofResponses(fields), list)
		status, items := itemsOf(t, follow(t, stream).end)
		wantStatus, want := itemsOf(t, ofResponses(fields).whole(gather(list)))
		if status != wantStatus || !reflect.DeepEqual(items, want) {
			t.Fatalf("%+v\nas a stream %v: %v\nwhole       %v: %v", list, status, items, wantStatus, want)
		}
	})
}

func TestResponsesTellsEventsInTheOrderOfTheAPI(t *testing.T) {
	r := follow(t, told(ofResponses(withProofs), []Piece{
		{Kind: Begin, ID: "chatcmpl-1", Model: "p"}, {Kind: Thinks, Text: "hm"}, {Kind: Proves, Proof: Proof{ByChat, chatThinking}},
		{Kind: Says, Text: "a"}, {Kind: Says, Text: "b"},
		{Kind: Calls, ID: "c0", Name: "g__f"}, {Kind: Arguments, Text: "{}"},
		{Kind: Calls, Call: 1, ID: "c1", Name: "patch"}, {Kind: Arguments, Call: 1, Text: `{"input":"x"}`},
		{Kind: Finish, Reason: ToCalls}, {Kind: Figures, Usage: Usage{Input: 10, CacheRead: 4, Output: 5, Reasoning: 2}}, {Kind: End},
	}))
	want := []string{
		"created", "in_progress",
		"output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
		"output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
		"output_item.added", "custom_tool_call_input.delta", "custom_tool_call_input.done", "output_item.done",
		"completed",
	}
	for i, kind := range r.kinds {
		if i >= len(want) || kind != "response."+want[i] {
			t.Fatalf("event %d is %s: %q", i, kind, r.kinds)
		}
	}
	wantItems := []string{
		`{"encrypted_content":"` + Proof{ByChat, chatThinking}.seal(ByOpenAI) + `","id":"rs_1_0","summary":[{"text":"hm","type":"summary_text"}],"type":"reasoning"}`,
		`{"content":[{"annotations":[],"logprobs":[],"text":"ab","type":"output_text"}],"id":"msg_1_1","role":"assistant","status":"completed","type":"message"}`,
		`{"arguments":"{}","call_id":"c0","id":"fc_1_2","name":"f","namespace":"g","status":"completed","type":"function_call"}`,
		`{"call_id":"c1","id":"ctc_1_3","input":"x","name":"patch","status":"completed","type":"custom_tool_call"}`,
	}
	for i, item := range r.items {
		if got, _ := json.Marshal(item.done); string(got) != wantItems[i] {
			t.Errorf("got  %s\nwant %s", got, wantItems[i])
		}
	}
}

// Items are told whole as soon as they are, as agents call their tools then.
func TestResponsesEndsACallWhereTheNextBegins(t *testing.T) {
	e := ofResponses("")
	told(e, []Piece{{Kind: Begin}, {Kind: Calls, ID: "c0", Name: "other"}, {Kind: Arguments, Text: "{}"}})
	if next := e.piece(nil, Piece{Kind: Calls, Call: 1, ID: "c1", Name: "other"}); !bytes.Contains(next, []byte("event: response.output_item.done")) {
		t.Errorf("got %s", next)
	}
}

func TestResponsesRepeatsTheRequest(t *testing.T) {
	fields := `,"instructions":"Be kind","temperature":0.70,"tools":[{"type":"web_search"}],"tool_choice":"required","parallel_tool_calls":false,` +
		`"reasoning":{"effort":"high"},"text":{"format":{"type":"json_object"}},"max_output_tokens":99,"metadata":{"a":"b"},"store":true,"user":null`
	body, err := marshal(ofResponses(fields).whole(Answer{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"instructions":"Be kind"`, `"temperature":0.70`, `"tools":[{"type":"web_search"}]`, `"tool_choice":"required"`, `"parallel_tool_calls":false`,
		`"reasoning":{"effort":"high"}`, `"text":{"format":{"type":"json_object"}}`, `"max_output_tokens":99`, `"metadata":{"a":"b"}`,
		`"store":false`, `"user":null`, `"previous_response_id":null`, `"top_p":1`, `"truncation":"disabled"`, `"output":[]`, `"usage":null`, `"created_at":5`, `"id":"resp_x"`,
	} {
		if !bytes.Contains(body, []byte(want)) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

func TestResponsesEnds(t *testing.T) {
	begin, says := Piece{Kind: Begin}, Piece{Kind: Says, Text: "a"}
	for name, c := range map[string]struct {
		list []Piece
		want string
	}{
		"well":              {[]Piece{begin, says, {Kind: Finish, Reason: Stopped}, {Kind: End}}, "response.completed <nil> <nil> completed"},
		"for its length":    {[]Piece{begin, says, {Kind: Finish, Reason: Length}, {Kind: End}}, "response.incomplete map[reason:max_output_tokens] <nil> incomplete"},
		"by a filter":       {[]Piece{begin, says, {Kind: Finish, Reason: Filtered}, {Kind: End}}, "response.incomplete map[reason:content_filter] <nil> incomplete"},
		"without a reason":  {[]Piece{begin, says, {Kind: End}}, "response.completed <nil> <nil> completed"},
		"with a failure":    {[]Piece{begin, says, {Kind: Fails, Failure: wire.Failure{Message: "Gone", Code: "overloaded"}}}, "response.failed <nil> map[code:overloaded message:Gone] "},
		"before it began":   {[]Piece{{Kind: Fails, Failure: wire.Failure{Message: "Gone"}}}, "response.failed <nil> map[code:server_error message:Gone] "},
		"with nothing said": {[]Piece{begin, {Kind: Finish, Reason: Stopped}, {Kind: End}}, "response.completed <nil> <nil> "},
	} {
		r := follow(t, told(ofResponses(""), c.list))
		status := ""
		for _, item := range r.items {
			if item.done != nil {
				status = item.done["status"].(string)
			}
		}
		if got := fmt.Sprint(r.last, " ", r.end["incomplete_details"], " ", r.end["error"], " ", status); got != c.want || "response."+r.end["status"].(string) != r.last {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestResponsesKeepsProofsForWhoAskedForThem(t *testing.T) {
	list := []Piece{{Kind: Begin}, {Kind: Thinks, Text: "hm"}, {Kind: Proves, Proof: Proof{ByAnthropic, "s"}},
		{Kind: Calls, ID: "c", Name: "other"}, {Kind: Proves, Proof: Proof{ByGoogle, "t"}}, {Kind: Finish, Reason: ToCalls}, {Kind: End}}
	if got := told(ofResponses(""), list); bytes.Contains(got, []byte("encrypted_content")) {
		t.Errorf("told without being asked: %s", got)
	}
	r := &reading{}
	items, _ := json.Marshal(follow(t, told(ofResponses(withProofs), list)).end["output"])
	got := responses.read(r, []byte(`{"model":"m","input":`+string(items)+`}`)).Messages
	want := []Message{{Assistant, []Part{{Kind: Thought, Text: "hm", Proof: Proof{ByAnthropic, "s"}}, {Kind: Call, ID: "c", Name: "other", Arguments: "{}", Proof: Proof{ByGoogle, "t"}}}}}
	if r.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, r.err)
	}
}
