package live

import (
	"context"
	"strings"

	"perdiem/meter"
	"perdiem/providers"
)

// FoundKind is what a search over everything found.
type FoundKind int

// What there is to find.
const (
	FoundPage FoundKind = iota
	FoundPerson
	FoundProvider
	FoundModel
)

// Found is one thing that a search can lead to.
type Found struct {
	Kind FoundKind
	Name string // as it is shown and looked for
	Key  string // what the page knows it by: a person's id, a model's provider
	Note string
}

// ReadFindable reads what there is to find, beside the pages.
func ReadFindable(ctx context.Context, books interface {
	People(ctx context.Context) ([]meter.Person, error)
}, shelf interface {
	Providers(ctx context.Context) ([]providers.Provider, error)
	Models(ctx context.Context) ([]providers.Model, error)
}) ([]Found, error) {
	people, err := books.People(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := shelf.Providers(ctx)
	if err != nil {
		return nil, err
	}
	models, err := shelf.Models(ctx)
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, p := range people {
		note := "person"
		if p.Tier != "" {
			note += " of " + p.Tier
		}
		all = append(all, Found{FoundPerson, p.Name, p.ID, note})
	}
	for _, p := range sources {
		all = append(all, Found{FoundProvider, p.Name, p.Name, "provider"})
	}
	for _, m := range models {
		note := "model"
		if len(m.Aliases) > 0 {
			note += ", also " + strings.Join(m.Aliases, ", ")
		}
		all = append(all, Found{FoundModel, m.ID, m.Provider, note})
	}
	return all, nil
}

// MatchingFound are those whose name or note has every word looked for, in any case; those that begin with it come first.
func MatchingFound(all []Found, words string) []Found {
	wanted := strings.Fields(strings.ToLower(words))
	var first, rest []Found
	for _, f := range all {
		text, every := strings.ToLower(f.Name+" "+f.Note), true
		for _, w := range wanted {
			every = every && strings.Contains(text, w)
		}
		switch {
		case !every:
		case len(wanted) > 0 && strings.HasPrefix(text, wanted[0]):
			first = append(first, f)
		default:
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}
