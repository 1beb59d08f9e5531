package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"

	"perdiem/testing/harness"
)

// said is what an SDK made of an answer: a text, or the error that it shows its user.
type said struct {
	Text, Finish        string
	Status              int
	Message, Type, Code string
}

// sdk asks for a chat completion the way its users do, with nothing set but address and key.
type sdk func(t *testing.T, base, pass, model string, stream bool) said

// The SDKs for Go use the default client, whose idle connections would look like a leak of ours.
func closeIdle(t *testing.T) { t.Cleanup(http.DefaultClient.CloseIdleConnections) }

var sdks = map[string]sdk{"go-openai": askGoOpenAI, "openai-go": askOpenAIGo, "openai for JavaScript": askJavaScript}

func TestSDKsCompleteAndStream(t *testing.T) {
	for name, ask := range sdks {
		t.Run(name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"m"}})
			p, pass := h.Person("alice")
			h.Allow(p, "fake/m", nil, nil)
			for _, stream := range []bool{false, true} {
				got := ask(t, h.URL, pass, "fake/m", stream)
				if strings.TrimSpace(got.Text) != "word word word word word" || got.Finish != "stop" {
					t.Errorf("stream %v: %+v", stream, got)
				}
			}
			h.AtRest()
			if booked := h.Booked(); booked.Requests != 2 || booked.Tokens != 2*14 {
				t.Errorf("booked %+v", booked)
			}
		})
	}
}

// A refusal must end the SDK's call at once, with all that it says: no retry behind its user's back.
func TestSDKsShowARefusalAndAskOnce(t *testing.T) {
	one := int64(1)
	for name, ask := range sdks {
		t.Run(name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"m"}})
			p, pass := h.Person("alice")
			h.Allow(p, "fake/m", &one, nil)
			if got := ask(t, h.URL, pass, "fake/m", false); got.Text == "" {
				t.Fatalf("there was room for one: %+v", got)
			}
			for i, stream := range []bool{false, true} {
				got := ask(t, h.URL, pass, "fake/m", stream)
				if got.Status != 429 || got.Type != "insufficient_quota" || got.Code != "insufficient_quota" {
					t.Errorf("stream %v: %+v", stream, got)
				}
				for _, part := range []string{"out of today's requests", "1 of 1", "resets at 00:00 UTC, in 12 h"} {
					if !strings.Contains(got.Message, part) {
						t.Errorf("stream %v: the message lacks %q: %s", stream, part, got.Message)
					}
				}
				h.AtRest()
				if n := h.Booked().Refusals; n != int64(i+1) {
					t.Errorf("stream %v: %d requests refused in all, want %d", stream, n, i+1)
				}
			}
			if n := len(h.Upstream.Requests()); n != 1 {
				t.Errorf("%d requests reached the provider, want 1", n)
			}
		})
	}
}

func askGoOpenAI(t *testing.T, base, pass, model string, stream bool) said {
	closeIdle(t)
	config := goopenai.DefaultConfig(pass)
	config.BaseURL = base
	client := goopenai.NewClientWithConfig(config)
	request := goopenai.ChatCompletionRequest{Model: model, Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "Say a few words."}}}
	failed := func(err error) said {
		var api *goopenai.APIError
		if !errors.As(err, &api) {
			t.Fatalf("not an API error: %v", err)
		}
		code, _ := api.Code.(string)
		return said{Status: api.HTTPStatusCode, Message: api.Message, Type: api.Type, Code: code}
	}
	if !stream {
		got, err := client.CreateChatCompletion(t.Context(), request)
		if err != nil {
			return failed(err)
		}
		return said{Text: got.Choices[0].Message.Content, Finish: string(got.Choices[0].FinishReason)}
	}
	chunks, err := client.CreateChatCompletionStream(t.Context(), request)
	if err != nil {
		return failed(err)
	}
	defer chunks.Close()
	var s said
	for {
		chunk, err := chunks.Recv()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			return failed(err)
		}
		s.Text += chunk.Choices[0].Delta.Content
		s.Finish = string(chunk.Choices[0].FinishReason)
	}
}

func askOpenAIGo(t *testing.T, base, pass, model string, stream bool) said {
	closeIdle(t)
	client := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey(pass))
	params := openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say a few words.")}}
	failed := func(err error) said {
		var api *openai.Error
		if !errors.As(err, &api) {
			t.Fatalf("not an API error: %v", err)
		}
		return said{Status: api.StatusCode, Message: api.Message, Type: api.Type, Code: api.Code}
	}
	if !stream {
		got, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			return failed(err)
		}
		return said{Text: got.Choices[0].Message.Content, Finish: got.Choices[0].FinishReason}
	}
	chunks := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer chunks.Close()
	var s said
	for chunks.Next() {
		choice := chunks.Current().Choices[0]
		s.Text += choice.Delta.Content
		s.Finish = choice.FinishReason
	}
	if err := chunks.Err(); err != nil {
		return failed(err)
	}
	return s
}

// askJavaScript runs the SDK in the Node.js that is installed beside it; see .ci/check.
func askJavaScript(t *testing.T, base, pass, model string, stream bool) said {
	installed := os.Getenv("PERDIEM_TEST_JS")
	if installed == "" {
		t.Skip("OpenAI's JavaScript SDK is not installed here: make test installs it, and sets PERDIEM_TEST_JS")
	}
	mode := "complete"
	if stream {
		mode = "stream"
	}
	script, err := filepath.Abs("../clients/openai.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(installed, "node_modules", ".bin", "node"), script, mode, base, pass, model)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running the SDK: %v", err)
	}
	var got struct {
		Text, Finish string
		Error        *said
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("reading what the SDK said: %v\n%s", err, out)
	}
	if got.Error != nil {
		return *got.Error
	}
	return said{Text: got.Text, Finish: got.Finish}
}
