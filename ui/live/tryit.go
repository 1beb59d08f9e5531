package live

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Tried is what came of a call through the gateway.
type Tried struct {
	InputTokens, OutputTokens int64 // as the answer itself says; 0 if it does not
	Took                      time.Duration
}

// Try makes one streamed call through the gateway as a teammate's tool would, and hands each piece of the answer to said.
// The error is what the tool would show: the gateway's own words where it refused. Trust is how the gateway's certificate
// is known; nil where it speaks plain HTTP.
func Try(ctx context.Context, trust *tls.Config, base, pass, model, prompt string, said func(piece string)) (Tried, error) {
	config := openai.DefaultConfig(pass)
	config.BaseURL = base
	// The gateway is on this machine: no proxy stands in between, whatever the environment says.
	transport := &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	config.HTTPClient = &http.Client{Transport: transport}
	began := time.Now()
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model: model, Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: prompt}},
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		return Tried{}, inWords(err)
	}
	defer stream.Close()
	var t Tried
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			t.Took = time.Since(began)
			return t, nil
		case err != nil:
			return t, inWords(err)
		}
		if chunk.Usage != nil {
			t.InputTokens, t.OutputTokens = int64(chunk.Usage.PromptTokens), int64(chunk.Usage.CompletionTokens)
		}
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != "" {
				said(choice.Delta.Content)
			}
		}
	}
}

// inWords takes the client's wrapping off an error.
func inWords(err error) error {
	var api *openai.APIError
	var request *openai.RequestError
	var dial *net.OpError
	switch {
	case errors.As(err, &api):
		return errors.New(api.Message)
	case errors.As(err, &request):
		return fmt.Errorf("the gateway answered with the status %d", request.HTTPStatusCode)
	case errors.As(err, &dial):
		return errors.New("the gateway does not answer; is it paused?")
	}
	return err
}

// Nearest is which of the gateway's base URLs this machine itself had best use: loopback, where no firewall stands.
func Nearest(urls []string) string {
	for _, one := range urls {
		if u, err := url.Parse(one); err == nil && loopback(u.Hostname()) {
			return one
		}
	}
	if len(urls) == 0 {
		return ""
	}
	return urls[0]
}
