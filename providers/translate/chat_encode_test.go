package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	sashabaranov "github.com/sashabaranov/go-openai"

	"perdiem/providers/wire"
)

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
