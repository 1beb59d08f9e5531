// Package check asks a provider whether a key works and which models it has, by go-openai.
//
// Invariants: an answer takes 15 seconds at most; redirects are not followed, so that a key goes to no address but the
// owner's; no error holds the key, and each says in plain words what to do.
package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"perdiem/providers"
	"perdiem/providers/catalog"
)

// limit is how long a provider may take to answer.
const limit = 15 * time.Second

// noSecret is sent to servers that want no key: some demand the header all the same.
const noSecret = "none"

// noModel is asked for to test a key: it exists nowhere, so that nothing is generated or billed.
const noModel = "perdiem-key-test"

// Key tests a key, by listing the provider's models and by a request for a model that does not exist: some vendors list
// their models to anyone (OpenRouter), but all look at the key before the request. The error is a *Problem, or the
// context's.
func Key(ctx context.Context, baseURL, secret string) error {
	return ask(ctx, baseURL, secret, limit, func(ctx context.Context, c *openai.Client) error {
		if _, err := c.ListModels(ctx); err != nil {
			return err
		}
		_, err := c.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
			Model: noModel, MaxCompletionTokens: 1, Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: "."}},
		})
		if status(err) == http.StatusUnauthorized {
			return err
		}
		return nil
	})
}

// Models lists what the provider offers, by its own names, in order. The error is a *Problem, or the context's.
func Models(ctx context.Context, baseURL, secret string) ([]string, error) {
	return list(ctx, baseURL, secret, limit)
}

func list(ctx context.Context, baseURL, secret string, limit time.Duration) (names []string, err error) {
	var answer openai.ModelsList
	err = ask(ctx, baseURL, secret, limit, func(ctx context.Context, c *openai.Client) error {
		answer, err = c.ListModels(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, m := range answer.Models {
		if m.ID != "" {
			names = append(names, m.ID)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ask lets do talk to the provider, in bounded time, and puts its error into words.
func ask(ctx context.Context, baseURL, secret string, limit time.Duration, do func(context.Context, *openai.Client) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if secret == "" {
		secret = noSecret
	}
	config := openai.DefaultConfig(secret)
	config.BaseURL = strings.TrimRight(baseURL, "/")
	client, done := newClient()
	defer done()
	config.HTTPClient = client
	err := do(bounded, openai.NewClientWithConfig(config))
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return problem(err, config.BaseURL, secret)
}

// Import lists a provider's models with what the catalogue knows of each: limits, price, title. They are ready to be
// stored; the owner picks among them.
func Import(ctx context.Context, p providers.Provider, secret string) ([]providers.Model, error) {
	names, err := Models(ctx, p.BaseURL, secret)
	if err != nil {
		return nil, fmt.Errorf("listing the models of %s: %w", p.Name, err)
	}
	models := make([]providers.Model, 0, len(names))
	for _, name := range names {
		models = append(models, catalog.Describe(p, name))
	}
	return models, nil
}
