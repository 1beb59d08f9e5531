package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"perdiem/providers/catalog"
	"perdiem/providers/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a real SDK on a running provider.
func client(t *testing.T, o Options, key string) *openai.Client {
	t.Helper()
	server := httptest.NewServer(New(o))
	t.Cleanup(server.Close)
	config := openai.DefaultConfig(key)
	config.BaseURL = server.URL + "/v1"
	config.HTTPClient = server.Client()
	return openai.NewClientWithConfig(config)
}

func ask(model, question string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: model, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: question}}}
}

// streamed is what an SDK gathers from a stream.
type streamed struct {
	text   map[int]string
	finish map[int]string
	chunks int
	usage  *openai.Usage
}

func gather(t *testing.T, c *openai.Client, q openai.ChatCompletionRequest) streamed {
	t.Helper()
	s, err := c.CreateChatCompletionStream(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	got := streamed{text: map[int]string{}, finish: map[int]string{}}
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			got.text[choice.Index] += choice.Delta.Content
			got.finish[choice.Index] += string(choice.FinishReason)
			if choice.Delta.Content != "" {
				got.chunks++
			}
		}
		if chunk.Usage != nil {
			got.usage = chunk.Usage
		}
	}
}

func TestAStreamAndAWholeAnswerAreTheSame(t *testing.T) {
	c := client(t, Options{}, "any")
	for _, m := range Models {
		whole, err := c.CreateChatCompletion(t.Context(), ask(m.ID, "How do I plan a birthday dinner for twelve people?"))
		if err != nil {
			t.Fatal(err)
		}
		q := ask(m.ID, "How do I plan a birthday dinner for twelve people?")
		q.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
		got := gather(t, c, q)
		if text := whole.Choices[0].Message.Content; got.text[0] != text || len(text) < 80 || got.finish[0] != "stop" || whole.Choices[0].FinishReason != "stop" {
			t.Errorf("%s: streamed %q\nwhole %q", m.ID, got.text[0], text)
		}
		if got.usage == nil || *got.usage != whole.Usage || got.usage.CompletionTokens != got.chunks || got.usage.TotalTokens != got.usage.PromptTokens+got.chunks {
			t.Errorf("%s: usage %+v, whole %+v, %d chunks", m.ID, got.usage, whole.Usage, got.chunks)
		}
		if p := whole.Usage.PromptTokens; p < 12 || p > 25 {
			t.Errorf("%s: %d prompt tokens", m.ID, p)
		}
	}
}

func TestUsageIsStreamedOnlyWhenAsked(t *testing.T) {
	if got := gather(t, client(t, Options{}, "any"), ask("sim-swift", "hello")); got.usage != nil {
		t.Errorf("got %+v", got.usage)
	}
}

func TestARepliesLimitIsKeptInEitherField(t *testing.T) {
	c := client(t, Options{}, "any")
	for name, set := range map[string]func(*openai.ChatCompletionRequest){
		"max_tokens":            func(q *openai.ChatCompletionRequest) { q.MaxTokens = 7 }, //nolint:staticcheck // callers still send it
		"max_completion_tokens": func(q *openai.ChatCompletionRequest) { q.MaxCompletionTokens = 7 },
	} {
		q := ask("sim-sage", "Tell me everything about lighthouses")
		set(&q)
		if got := gather(t, c, q); got.chunks != 7 || got.finish[0] != "length" {
			t.Errorf("%s: %d tokens, finish %q", name, got.chunks, got.finish[0])
		}
		if whole, err := c.CreateChatCompletion(t.Context(), q); err != nil || whole.Usage.CompletionTokens != 7 || whole.Choices[0].FinishReason != "length" {
			t.Errorf("%s: whole %+v, %v", name, whole, err)
		}
	}
}

func TestSeveralRepliesComeSideBySide(t *testing.T) {
	q := ask("sim-swift", "Which colour suits a kitchen?")
	q.N = 3
	q.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	got := gather(t, client(t, Options{}, "any"), q)
	if len(got.text) != 3 || got.text[0] == got.text[1] || got.finish[2] != "stop" || got.usage.CompletionTokens != got.chunks {
		t.Errorf("got %+v", got)
	}
}

func TestRepliesSpeakOfTheQuestionAndVaryWithIt(t *testing.T) {
	c := client(t, Options{}, "any")
	one := gather(t, c, ask("sim-sage", "Explain lighthouses")).text[0]
	again := gather(t, c, ask("sim-sage", "Explain lighthouses")).text[0]
	other := gather(t, c, ask("sim-sage", "Explain submarines")).text[0]
	if one != again || one == other || !strings.Contains(one, "lighthouses") || !strings.Contains(other, "submarines") || strings.Contains(one, "%s") {
		t.Errorf("one %q\nagain %q\nother %q", one, again, other)
	}
}

func TestWhatIsWrongIsRefusedAsOpenAIDoes(t *testing.T) {
	long := ask("sim-swift", strings.Repeat("word ", 40_000))
	many := ask("sim-swift", "hello")
	many.N = 17
	for name, c := range map[string]struct {
		key    string
		q      openai.ChatCompletionRequest
		status int
		code   string
	}{
		"a wrong key":      {"sk-wrong", ask("sim-swift", "hello"), 401, "invalid_api_key"},
		"no key":           {"", ask("sim-swift", "hello"), 401, "invalid_api_key"},
		"no such model":    {"sk-right", ask("sim-none", "hello"), 404, "model_not_found"},
		"no messages":      {"sk-right", openai.ChatCompletionRequest{Model: "sim-swift"}, 400, "invalid_request"},
		"too many replies": {"sk-right", many, 400, "invalid_request"},
		"too long":         {"sk-right", long, 400, "context_length_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client(t, Options{Secret: "sk-right"}, c.key).CreateChatCompletion(t.Context(), c.q)
			var api *openai.APIError
			if !errors.As(err, &api) || api.HTTPStatusCode != c.status || api.Code != c.code || api.Message == "" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheCatalogueKnowsEveryModelThatIsListed(t *testing.T) {
	list, err := client(t, Options{}, "any").ListModels(t.Context())
	vendor, _ := catalog.Vendor(catalog.Simulated)
	if err != nil || len(list.Models) != len(Models) || len(vendor.Models) != len(Models) {
		t.Fatalf("got %+v, %v", list, err)
	}
	for i, m := range Models {
		if known := vendor.Models[i]; list.Models[i].ID != m.ID || known.Upstream != m.ID || known.Context != m.context {
			t.Errorf("%s: listed %q, known as %+v", m.ID, list.Models[i].ID, known)
		}
	}
}

func TestACallerWhoLeavesEndsTheStream(t *testing.T) {
	done := make(chan struct{})
	provider := New(Options{Delay: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"sim-long","stream":true,"messages":[{"role":"user","content":"hi"}]}`)).WithContext(ctx)
	r.Header.Set("Authorization", "Bearer x")
	go func() {
		defer close(done)
		provider.ServeHTTP(recorder, r)
	}()
	leave()
	<-done
	if body := recorder.Body.String(); strings.Contains(body, "[DONE]") || strings.Contains(body, "finish_reason\":\"stop") {
		t.Errorf("the stream went on: %q", body)
	}
}

func TestItsBytesAreThoseOfTheWire(t *testing.T) {
	recorder := httptest.NewRecorder()
	body := `{"model":"sim-swift","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":[{"type":"text","text":"A question in parts"}]}]}`
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer x")
	New(Options{}).ServeHTTP(recorder, r)
	reader := wire.Chat.NewReader(wire.Facts{Stream: true, Replies: 1})
	for _, event := range strings.Split(recorder.Body.String(), "\n\n") {
		reader.Event([]byte(strings.TrimPrefix(event, "data: ")))
	}
	if u, ok := reader.Usage(); !ok || u.Input < 8 || u.Output < 20 || !reader.Finished() {
		t.Errorf("usage %+v, %v, finished %v", u, ok, reader.Finished())
	}
}
