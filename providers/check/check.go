// Package check asks a provider whether a key works and which models it has, by go-openai; a provider that does not speak
// OpenAI's dialect is asked in its own.
//
// Invariants: an answer takes 15 seconds at most; redirects are not followed, so that a key goes to no address but the
// owner's; no error holds the key, and each says in plain words what to do.
package check

import (
	"cmp"
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

// Key tests a key of a provider, by listing its models and by a request for one that does not exist: some vendors list
// their models to anyone (OpenRouter), but all look at the key before the request. Where the provider speaks no OpenAI,
// the list alone is asked for. The error is a *Problem, or the context's.
func Key(ctx context.Context, p providers.Provider, secret string) error {
	at := placeOf(p)
	if at.dialect != providers.OpenAI {
		_, err := list(ctx, at, secret, limit)
		return err
	}
	return ask(ctx, at, secret, limit, func(ctx context.Context, c *openai.Client) error {
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

// place is where a provider is asked, and in which dialect.
type place struct {
	dialect providers.Dialect
	baseURL string
}

// placeOf is OpenAI's dialect where the provider speaks it, or is not known to speak any; else the first of its own.
func placeOf(p providers.Provider) place {
	if base, ok := p.Base(providers.OpenAI); ok || len(p.Dialects) == 0 {
		return place{providers.OpenAI, cmp.Or(base, p.BaseURL)}
	}
	d := p.Dialects[0]
	base, _ := p.Base(d)
	if d == providers.Responses { // it lists its models as OpenAI does
		d = providers.OpenAI
	}
	return place{d, base}
}

// list are the models that a provider offers, by its own names, in order.
func list(ctx context.Context, at place, secret string, limit time.Duration) (names []string, err error) {
	var answer openai.ModelsList
	err = ask(ctx, at, secret, limit, func(ctx context.Context, c *openai.Client) error {
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
func ask(ctx context.Context, at place, secret string, limit time.Duration, do func(context.Context, *openai.Client) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if secret == "" {
		secret = noSecret
	}
	config := openai.DefaultConfig(secret)
	config.BaseURL = strings.TrimRight(at.baseURL, "/")
	client, done := newClient(at.dialect, secret)
	defer done()
	config.HTTPClient = client
	err := do(bounded, openai.NewClientWithConfig(config))
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return problem(err, config.BaseURL, secret)
}

// Import lists a provider's models with what the catalogue knows of each: limits, price, title. They are ready to be
// stored, or to refresh those that are (registry.Refresh); the owner picks among them.
func Import(ctx context.Context, p providers.Provider, secret string) ([]providers.Model, error) {
	names, err := list(ctx, placeOf(p), secret, limit)
	if err != nil {
		return nil, fmt.Errorf("listing the models of %s: %w", p.Name, err)
	}
	models := make([]providers.Model, 0, len(names))
	for _, name := range names {
		models = append(models, catalog.Describe(p, name))
	}
	return models, nil
}
