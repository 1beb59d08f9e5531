package e2e

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	goopenai "github.com/sashabaranov/go-openai"
)

// The SDKs for Go use the default client, whose idle connections would look like a leak of ours.
func closeIdle(t *testing.T) { t.Cleanup(http.DefaultClient.CloseIdleConnections) }

const fewWords = "Say a few words."

var parameters = map[string]any{
	"type": "object", "properties": map[string]any{"word": map[string]any{"type": "string"}}, "required": []string{"word"},
}

func askGoOpenAI(t *testing.T, base, pass, model, how string) said {
	closeIdle(t)
	config := goopenai.DefaultConfig(pass)
	config.BaseURL = base
	client := goopenai.NewClientWithConfig(config)
	request := goopenai.ChatCompletionRequest{Model: model, Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: fewWords}}}
	failed := func(s said, err error) said {
		var api *goopenai.APIError
		if !errors.As(err, &api) {
			t.Fatalf("not an API error: %v", err)
		}
		code, _ := api.Code.(string)
		s.Error = &sdkError{api.HTTPStatusCode, api.Message, api.Type, code}
		return s
	}
	if how == "tool" {
		request.Tools = []goopenai.Tool{{Type: "function", Function: &goopenai.FunctionDefinition{Name: "look_up", Parameters: parameters}}}
	}
	if how != "stream" {
		got, err := client.CreateChatCompletion(t.Context(), request)
		if err != nil {
			return failed(said{}, err)
		}
		s := said{Text: got.Choices[0].Message.Content, Finish: string(got.Choices[0].FinishReason)}
		for _, call := range got.Choices[0].Message.ToolCalls {
			s.Tool, s.Args = call.Function.Name, call.Function.Arguments
		}
		return s
	}
	chunks, err := client.CreateChatCompletionStream(t.Context(), request)
	if err != nil {
		return failed(said{}, err)
	}
	defer chunks.Close()
	var s said
	for {
		chunk, err := chunks.Recv()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			return failed(s, err)
		}
		s.Text += chunk.Choices[0].Delta.Content
		s.Finish = string(chunk.Choices[0].FinishReason)
	}
}

func askOpenAIGo(t *testing.T, base, pass, model, how string) said {
	closeIdle(t)
	client := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey(pass))
	params := openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(fewWords)}}
	failed := func(s said, err error) said {
		s.Error = &sdkError{Message: err.Error()}
		if api := new(openai.Error); errors.As(err, &api) {
			s.Error = &sdkError{api.StatusCode, api.Message, api.Type, api.Code}
		}
		return s
	}
	if how == "tool" {
		params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "look_up", Parameters: parameters})}
	}
	if how != "stream" {
		got, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			return failed(said{}, err)
		}
		s := said{Text: got.Choices[0].Message.Content, Finish: got.Choices[0].FinishReason}
		for _, call := range got.Choices[0].Message.ToolCalls {
			s.Tool, s.Args = call.Function.Name, call.Function.Arguments
		}
		return s
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
		return failed(s, err)
	}
	return s
}

func askAnthropicGo(t *testing.T, base, pass, model, how string) said {
	closeIdle(t)
	client := anthropic.NewClient(anthropicoption.WithBaseURL(strings.TrimSuffix(base, "/v1")), anthropicoption.WithAPIKey(pass))
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(fewWords))}
	failed := func(s said, err error) said {
		s.Error = &sdkError{Message: err.Error()}
		if api := new(anthropic.Error); errors.As(err, &api) {
			s.Error = &sdkError{api.StatusCode, api.Message, string(api.Type()), ""}
		}
		return s
	}
	if how == "count" {
		got, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: model, Messages: messages})
		if err != nil {
			return failed(said{}, err)
		}
		return said{Tokens: got.InputTokens}
	}
	params := anthropic.MessageNewParams{Model: model, MaxTokens: 1000, Messages: messages}
	if how == "tool" {
		params.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: parameters["properties"]}, "look_up")}
	}
	if how != "stream" {
		got, err := client.Messages.New(t.Context(), params)
		if err != nil {
			return failed(said{}, err)
		}
		s := said{Text: got.Content[0].Text, Finish: string(got.StopReason)}
		if got.Content[0].Type == "tool_use" {
			s.Tool, s.Args = got.Content[0].Name, string(got.Content[0].Input)
		}
		return s
	}
	events := client.Messages.NewStreaming(t.Context(), params)
	defer events.Close()
	var s said
	for events.Next() {
		switch event := events.Current(); event.Type {
		case "content_block_delta":
			s.Text += event.Delta.Text
		case "message_delta":
			s.Finish = string(event.Delta.StopReason)
		}
	}
	if err := events.Err(); err != nil {
		return failed(s, err)
	}
	return s
}
