package live

import (
	"context"
	"fmt"

	"perdiem/meter"
	"perdiem/providers"
)

// ShelfBooks is what the page of providers reads.
type ShelfBooks interface {
	Providers(ctx context.Context) ([]providers.Provider, error)
	Keys(ctx context.Context, provider string) ([]providers.Key, error) // of all providers for ""
	Models(ctx context.Context) ([]providers.Model, error)
}

// Provider is a provider with its keys and models.
type Provider struct {
	providers.Provider
	Keys   []providers.Key
	Models []providers.Model
}

// ReadShelf reads every provider with its keys and models.
func ReadShelf(ctx context.Context, books ShelfBooks) ([]Provider, error) {
	found, err := books.Providers(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := books.Keys(ctx, "")
	if err != nil {
		return nil, err
	}
	models, err := books.Models(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Provider, len(found))
	at := make(map[string]*Provider, len(found))
	for i, p := range found {
		all[i].Provider = p
		at[p.Name] = &all[i]
	}
	for _, k := range keys {
		if p := at[k.Provider]; p != nil {
			p.Keys = append(p.Keys, k)
		}
	}
	for _, m := range models {
		if p := at[m.Provider]; p != nil {
			p.Models = append(p.Models, m)
		}
	}
	return all, nil
}

// ModelIDs are the ids of all models, in order.
func ModelIDs(ctx context.Context, books interface {
	Models(ctx context.Context) ([]providers.Model, error)
}) ([]string, error) {
	models, err := books.Models(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	return ids, nil
}

// KeyState says in a few words whether a provider can be called with its keys, and why not; ok is false where it cannot.
func (p Provider) KeyState(needsKey bool) (words, why string, ok bool) {
	usable, from := 0, "key stored"
	for _, k := range p.Keys {
		if k.Disabled {
			why = k.Reason
			continue
		}
		usable++
		if k.Source == providers.Environment {
			from = "key: " + k.Label // where it is read from
		}
	}
	switch {
	case usable > 1:
		return fmt.Sprintf("%d keys", usable), why, true
	case usable == 1:
		return from, "", true
	case len(p.Keys) > 0:
		return "key does not work", why, false
	case !needsKey:
		return "no key needed", "", true
	}
	return "no key yet", "", false
}

// PriceWords are dollars a million tokens, as price lists write them: "$3.00 in, $15.00 out"; an unknown price is said to be unknown.
func PriceWords(p *providers.Price) string {
	switch {
	case p == nil:
		return "unknown"
	case p.Input == 0 && p.Output == 0:
		return "free"
	}
	return meter.Dollars(p.Input) + " in, " + meter.Dollars(p.Output) + " out"
}

// TokensOrUnknown writes a limit of a model, of which zero means that nobody said.
func TokensOrUnknown(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return meter.Group(n)
}

// MatchingModels are those whose id, upstream name or title has the words looked for, in any case.
func MatchingModels(all []providers.Model, words string) []providers.Model {
	return Matching(all, words, func(m providers.Model) string { return m.ID + " " + m.Upstream + " " + m.Title })
}
