package ui

import (
	"context"
	"errors"

	"perdiem/providers"
)

// street stands in for the vendors of the world: two of them, which accept one key.
type street struct {
	hang bool
	err  error
}

const goodKey = "sk-good"

func (s *street) Vendors() []providers.Vendor {
	return []providers.Vendor{
		{ID: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"},
		{ID: "anthropic", Title: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY"},
		{ID: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY"},
		{ID: "ollama", Title: "Ollama", BaseURL: "http://localhost:11434/v1", NoKey: true},
	}
}

func (s *street) List(ctx context.Context, p providers.Provider, secret string) ([]providers.Model, error) {
	if s.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	if p.Vendor == "openai" && secret != goodKey {
		return nil, errors.New("the provider does not accept this key")
	}
	return []providers.Model{
		{Upstream: "gpt-5", Title: "GPT-5", Context: 400_000, MaxReply: 128_000, Price: &providers.Price{Input: 1_250_000, Output: 10_000_000, Source: "list"}},
		{Upstream: "gpt-5-new"},
	}, nil
}
