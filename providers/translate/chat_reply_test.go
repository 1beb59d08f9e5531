package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sashabaranov "github.com/sashabaranov/go-openai"

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

// talk is a reply with all that a chat caller can be told.
func talk() []Piece {
	return []Piece{
		{Kind: Begin, ID: "chatcmpl-1", Model: "provider-m"},
		{Kind: Thinks, Text: "hm"}, {Kind: Thinks, Text: "!"}, {Kind: Proves, Proof: Proof{ByAnthropic, "s"}},
		{Kind: Says, Text: "Hel"}, {Kind: Says, Text: "lo"},
		{Kind: Calls, Call: 0, ID: "a", Name: "fs_read"}, {Kind: Arguments, Call: 0, Text: `{"pa`}, {Kind: Arguments, Call: 0, Text: `th":1}`},
		{Kind: Calls, Call: 1, ID: "b", Name: "patch"}, {Kind: Arguments, Call: 1, Text: `{"input":"a\n`}, {Kind: Arguments, Call: 1, Text: `b"}`},
		{Kind: Proves, Call: 1, Proof: Proof{ByGoogle, "sig"}},
		{Kind: Finish, Reason: ToCalls},
		{Kind: Figures, Usage: Usage{Input: 10, CacheRead: 4, Output: 5, Reasoning: 2}},
		{Kind: End},
	}
}

// talkRequest is what it answers.
func talkRequest() *Request {
	return &Request{Model: "m", UsageAsked: true, Tools: []Tool{{Name: "fs_read", Said: "fs.read"}, {Name: "patch", Free: true}}}
}

// serve answers every request with bytes of a kind.
func serve(t *testing.T, kind string, answer []byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestSDKsReadATranslatedChatStream(t *testing.T) {
	url := serve(t, "text/event-stream", told(chat.encoder(talkRequest(), ReplyOptions{ID: "x", Now: 5}), talk()))

	client := openai.NewClient(option.WithAPIKey("none"), option.WithBaseURL(url), option.WithMaxRetries(0))
	stream := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{Model: "m"})
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Fatal("openai-go cannot join the chunks")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	c := all.Choices[0]
	if c.Message.Content != "Hello" || c.FinishReason != "tool_calls" || c.Message.ToolCalls[0].Function.Name != "fs.read" ||
		c.Message.ToolCalls[0].Function.Arguments != `{"path":1}` || all.Usage.TotalTokens != 15 || all.Usage.PromptTokensDetails.CachedTokens != 4 || all.Created != 5 {
		t.Errorf("openai-go: got %+v", all.ChatCompletion)
	}

	config := sashabaranov.DefaultConfig("none")
	config.BaseURL = url
	other, err := sashabaranov.NewClientWithConfig(config).CreateChatCompletionStream(t.Context(), sashabaranov.ChatCompletionRequest{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	var text, thought, finish string
	for {
		chunk, err := other.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			text, thought, finish = text+c.Delta.Content, thought+c.Delta.ReasoningContent, finish+string(c.FinishReason)
		}
	}
	if text != "Hello" || thought != "hm!" || finish != "tool_calls" {
		t.Errorf("go-openai: got %q, %q, %q", text, thought, finish)
	}
}

func TestAnSDKReadsATranslatedChatReply(t *testing.T) {
	url := serve(t, "application/json", whole(t, chat.encoder(talkRequest(), ReplyOptions{ID: "x", Now: 5}), talk()))
	client := openai.NewClient(option.WithAPIKey("none"), option.WithBaseURL(url), option.WithMaxRetries(0))
	got, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	m := got.Choices[0].Message
	if m.Content != "Hello" || got.Choices[0].FinishReason != "tool_calls" || m.ToolCalls[0].Function.Arguments != `{"path":1}` ||
		m.ToolCalls[1].Custom.Input != "a\nb" || got.Usage.CompletionTokensDetails.ReasoningTokens != 2 || got.ID != "chatcmpl-1" {
		t.Errorf("got %+v", got)
	}
}

// joined are the tool calls of a stream, put together by hand: kind, id, name, text and signature.
func joined(t *testing.T, stream []byte) (calls [][5]string) {
	t.Helper()
	for _, line := range bytes.Split(stream, []byte("\n")) {
		data, ok := bytes.CutPrefix(line, []byte("data: {"))
		if !ok {
			continue
		}
		var chunk chatChunk
		if err := json.Unmarshal(append([]byte("{"), data...), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			for _, c := range choice.Delta.Calls {
				for len(calls) <= *c.Index {
					calls = append(calls, [5]string{})
				}
				to := &calls[*c.Index]
				to[0], to[1] = to[0]+c.Type, to[1]+c.ID
				if c.Function != nil {
					to[2], to[3] = to[2]+c.Function.Name, to[3]+c.Function.Arguments
				}
				if c.Custom != nil {
					to[2], to[3] = to[2]+c.Custom.Name, to[3]+c.Custom.Input
				}
				if c.Extra != nil {
					to[4] += c.Extra.Google.Signature
				}
			}
		}
	}
	return calls
}

func TestChatTellsCallsAsTheCallerKnowsThem(t *testing.T) {
	want := [][5]string{{"function", "a", "fs.read", `{"path":1}`, ""}, {"custom", "b", "patch", "a\nb", "sig"}}
	if got := joined(t, told(chat.encoder(talkRequest(), ReplyOptions{}), talk())); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	list := []Piece{{Kind: Begin}, {Kind: Calls, ID: "a", Name: "f"}, {Kind: Proves, Proof: Proof{ByGoogle, "sig"}}}
	if got := told(chat.encoder(&Request{}, ReplyOptions{}), list); !bytes.Contains(got, []byte(`{"index":0,"function":{"arguments":""},"extra_content"`)) {
		t.Errorf("a proof that the AI SDK does not take: %s", got)
	}
	list[1].Proof = list[2].Proof
	got := told(chat.encoder(&Request{}, ReplyOptions{}), list)
	if !bytes.Contains(got, []byte(`"function":{"name":"f","arguments":""},"extra_content"`)) || bytes.Count(got, []byte(`"sig"`)) != 1 {
		t.Errorf("a proof that is not told once, where its call begins: %s", got)
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

func TestChatTellsAReplyThatSaysNothing(t *testing.T) {
	r := recording{Body: whole(t, chat.encoder(&Request{Model: "m"}, ReplyOptions{ID: "x"}), []Piece{{Kind: Begin}, {Kind: End}})}
	if got := gather(r.pieces(t, chat)).Choices; len(got) != 1 || got[0].Reason != Stopped {
		t.Errorf("got %+v", got)
	}
}

func TestChatEndsAStreamWithAFailure(t *testing.T) {
	stream := told(chat.encoder(&Request{}, ReplyOptions{}), []Piece{{Kind: Begin}, {Kind: Says, Text: "a"}, {Kind: Fails, Failure: wire.Failure{Message: "Gone", Type: "server_error", Code: "x"}}})
	if !bytes.HasSuffix(stream, wire.Chat.ErrorEvent(wire.Failure{Message: "Gone", Type: "server_error", Code: "x"})) {
		t.Errorf("got %s", stream)
	}
}

func TestChatTellsUsageOnlyToWhoAsked(t *testing.T) {
	stream := told(chat.encoder(&Request{}, ReplyOptions{}), talk())
	if bytes.Contains(stream, []byte("usage")) || !bytes.HasSuffix(stream, []byte("data: [DONE]\n\n")) {
		t.Errorf("got %s", stream)
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
