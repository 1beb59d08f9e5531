package fakeprovider

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Chat speaks the dialect it is asked in: whole, as a stream, capped, and with a call to a tool.
func TestChatSpeaksEachDialect(t *testing.T) {
	const offers, result = `"tools":[{"name":"look_up"}]`, `"tools":[{"name":"look_up"}],"x":{"type":"tool_result"}`
	chat := Chat{Tool: "look_up", Arguments: []byte(`{"a":1}`)}
	for _, c := range []struct {
		name, path, body string
		has              []string
		words            int
	}{
		{"messages", "/v1/messages", `{"model":"m"}`, []string{`"stop_reason":"end_turn"`, `"input_tokens":9`, `"output_tokens":5`}, 5},
		{"messages, streamed", "/v1/messages", `{"model":"m","stream":true}`, []string{"event: message_start\ndata: {", `"stop_reason":"end_turn"`, "event: message_stop"}, 5},
		{"messages, capped", "/v1/messages", `{"model":"m","stream":true,"max_tokens":2}`, []string{`"stop_reason":"max_tokens"`, `"output_tokens":2`}, 2},
		{"messages, tool", "/v1/messages", `{"model":"m",` + offers + `}`, []string{`"name":"look_up"`, `"input":{"a":1}`, `"tool_use"`}, 0},
		{"messages, tool's result", "/v1/messages", `{"model":"m",` + result + `}`, []string{"end_turn"}, 5},
		{"count", "/v1/messages/count_tokens", `{"model":"m"}`, []string{`{"input_tokens":9}`}, 0},
		{"responses", "/v1/responses", `{"model":"m"}`, []string{`"status":"completed"`, `"total_tokens":14`}, 5},
		{"responses, streamed and capped", "/v1/responses", `{"model":"m","stream":true,"max_output_tokens":2}`, []string{"event: response.created", "event: response.incomplete", `"output_tokens":2`}, 2 + 4*2},
		{"responses, tool", "/v1/responses", `{"model":"m","stream":true,` + offers + `}`, []string{"response.function_call_arguments.done", `"arguments":"{\"a\":1}"`}, 0},
		{"gemini", "/v1beta/models/m:generateContent", `{}`, []string{`"finishReason":"STOP"`, `"totalTokenCount":14`}, 5},
		{"gemini, streamed and capped", "/v1beta/models/m:streamGenerateContent?alt=sse", `{"generationConfig":{"maxOutputTokens":2}}`, []string{"data: {", `"finishReason":"MAX_TOKENS"`}, 2},
		{"gemini, tool", "/v1beta/models/m:generateContent", `{` + offers + `}`, []string{`"functionCall":{"args":{"a":1},"name":"look_up"}`}, 0},
		{"gemini, count", "/v1beta/models/m:countTokens", `{}`, []string{`{"totalTokens":9}`}, 0},
		{"embeddings", "/v1/embeddings", `{"model":"m"}`, []string{`"embedding":[0.5,-0.5]`}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(t)
			s.On("m", chat.Answer)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.TrimSuffix(s.URL, "/v1")+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+Key)
			req.Close = true
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range c.has {
				if !strings.Contains(string(body), text) {
					t.Errorf("no %s in:\n%s", text, body)
				}
			}
			if n := strings.Count(string(body), word); n != c.words {
				t.Errorf("%d words, want %d:\n%s", n, c.words, body)
			}
		})
	}
}
