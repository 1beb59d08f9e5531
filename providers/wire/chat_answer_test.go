package wire

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"perdiem/providers/sse"
)

// answer serves one event stream to a real SDK, and returns the SDK's stream.
func answer(t *testing.T, body []byte) *openai.ChatCompletionStream {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	config := openai.DefaultConfig("none")
	config.BaseURL = server.URL
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

func TestErrorEventFillsInAnSDKsError(t *testing.T) {
	ev := Chat.ErrorEvent(Failure{Message: "The provider hung up.\n\"Sorry\" <b>", Type: "server_error", Code: "upstream_cut"})
	if !strings.HasPrefix(string(ev), `data: {"error":{`) || !strings.HasSuffix(string(ev), "}\n\n") || strings.Count(string(ev), "\n") != 2 {
		t.Errorf("shape: %q", ev)
	}
	_, err := answer(t, ev).Recv()
	var api *openai.APIError
	if !errors.As(err, &api) || api.Message != "The provider hung up.\n\"Sorry\" <b>" || api.Type != "server_error" || api.Code != "upstream_cut" {
		t.Errorf("got %#v", err)
	}
}

func TestLengthFinishEndsWhatIsStillOpen(t *testing.T) {
	r, _ := read(3,
		`{"id":"c1","model":"m1","created":7,"choices":[{"index":0,"delta":{"content":"a"}}]}`,
		`{"id":"c1","model":"m1","created":7,"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`)
	stream := answer(t, r.LengthFinish(&Usage{Input: 5, CachedInput: 2, Output: 9}))
	got, err := stream.Recv()
	if err != nil || got.ID != "c1" || got.Model != "m1" || got.Created != 7 || len(got.Choices) != 2 ||
		got.Choices[0].Index != 0 || got.Choices[1].Index != 2 || got.Choices[0].FinishReason != openai.FinishReasonLength {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = stream.Recv()
	if err != nil || got.Usage == nil || got.Usage.PromptTokens != 5 || got.Usage.CompletionTokens != 9 || got.Usage.TotalTokens != 14 ||
		got.Usage.PromptTokensDetails.CachedTokens != 2 || len(got.Choices) != 0 {
		t.Errorf("usage: got %+v, %v", got, err)
	}
	if _, err = stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("end: got %v", err)
	}
}

func TestLengthFinishOfAFinishedStreamOnlyEndsIt(t *testing.T) {
	r, _ := read(1, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	if got := string(r.LengthFinish(nil)); got != "data: [DONE]\n\n" {
		t.Errorf("got %q", got)
	}
}

const wholeReply = `{"id":"c1","object":"chat.completion","created":7,"model":"m1","system_fingerprint":"fp","choices":[
 {"index":0,"message":{"role":"assistant","content":"hi","reasoning_content":"hm","x_new":{"a":1.0},
   "tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"t2","type":"function","function":{"name":"g","arguments":"{}"}}]},
  "finish_reason":"tool_calls"},
 {"index":1,"message":{"role":"assistant","content":"ho"},"finish_reason":"stop"}],
 "usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"x":1.0}}`

func TestAsStreamKeepsTheWholeReply(t *testing.T) {
	events, err := Chat.AsStream([]byte(wholeReply), true)
	if err != nil {
		t.Fatal(err)
	}
	text, finish, calls := map[int]string{}, map[int]openai.FinishReason{}, map[int]string{}
	usage, stream := 0, answer(t, events)
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Choices {
			text[c.Index] += c.Delta.Content
			finish[c.Index] += c.FinishReason
			for _, call := range c.Delta.ToolCalls {
				calls[*call.Index] = call.ID + call.Function.Name + call.Function.Arguments
			}
		}
		if chunk.Usage != nil {
			usage = chunk.Usage.TotalTokens
		}
	}
	if text[0] != "hi" || text[1] != "ho" || finish[0] != "tool_calls" || finish[1] != "stop" || usage != 7 ||
		calls[0] != `t1f{"a":1}` || calls[1] != "t2g{}" {
		t.Errorf("text %v, finish %v, calls %v, usage %d", text, finish, calls, usage)
	}
	if !strings.Contains(string(events), `"x_new":{"a":1.0}`) {
		t.Error("a field that we do not know was lost")
	}
	for s := sse.NewScanner(strings.NewReader(string(events))); ; {
		ev, err := s.Next()
		if err != nil {
			break
		}
		if string(ev.Data) != "[DONE]" && !json.Valid(ev.Data) {
			t.Errorf("not JSON: %q", ev.Data)
		}
	}
}

func TestAsStreamLeavesUsageOutWhenNotAsked(t *testing.T) {
	events, err := Chat.AsStream([]byte(wholeReply), false)
	if err != nil || strings.Contains(string(events), `"usage"`) || !strings.HasSuffix(string(events), "data: [DONE]\n\n") {
		t.Errorf("got %s, %v", events, err)
	}
}

func TestAsStreamGivesAFinishToAReplyWithoutOne(t *testing.T) {
	events, err := Chat.AsStream([]byte(`{"choices":[{"message":{"content":"a"}}]}`), false)
	if err != nil || !strings.Contains(string(events), `"finish_reason":"stop"`) {
		t.Errorf("got %s, %v", events, err)
	}
}
