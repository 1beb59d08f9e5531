// Package catalog knows vendors and models without asking anyone: what is embedded from catwalk, and what that lacks.
//
// Vendors are data. Adding one is a line here, not code. What a vendor's own list or the owner says comes on top of what
// this package says, and wins.
//
// Invariants: no price is invented (unknown is nil); a price is never below what the list says.
package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"perdiem/providers"
	"perdiem/providers/wire"
)

// Source and Date say where the embedded figures come from, and of which day they are.
const (
	Source = "catwalk v0.52.1"
	Date   = "2026-08-19"
)

// Ids of vendors that other packages name.
const (
	Custom    = "custom"    // any OpenAI-compatible address
	Simulated = "simulated" // the demo's own provider
)

type index struct {
	vendors []providers.Vendor
	byID    map[string]int
}

// load reads the embedded data, some 1,500 models, at its first use.
var load = sync.OnceValue(func() index {
	var all []providers.Vendor
	for _, p := range embedded.GetAll() {
		if v, ok := fromCatwalk(p); ok {
			all = append(all, v)
		}
	}
	all = append(all, more...)
	slices.SortFunc(all, func(a, b providers.Vendor) int {
		return cmp.Or(cmp.Compare(rank(a.ID), rank(b.ID)), cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)))
	})
	byID := make(map[string]int, len(all))
	for i, v := range all {
		byID[v.ID] = i
	}
	return index{all, byID}
})

// first are the vendors that stand at the top of a list, as most owners look for one of them; last come those at the end.
var (
	first = []string{"openai", "anthropic", "gemini", "mistral", "groq", "deepseek", "xai", "openrouter", "together", "ollama", "lmstudio"}
	last  = []string{Custom, Simulated}
)

func rank(id string) int {
	if i := slices.Index(first, id); i >= 0 {
		return i
	}
	return len(first) + 1 + slices.Index(last, id) // the others, not found, are all the same
}

// Vendors returns all vendors: the best known first, then by title, then "any other address". Read it, do not write to it.
func Vendors() []providers.Vendor { return load().vendors }

// Vendor returns a vendor by its id.
func Vendor(id string) (providers.Vendor, bool) {
	i, ok := load().byID[id]
	if !ok {
		return providers.Vendor{}, false
	}
	return load().vendors[i], true
}

// Complete adds to a provider at its vendor's own address the further dialects that the vendor speaks, each with its base
// URL. Others are returned as they are.
func Complete(p providers.Provider) providers.Provider {
	v, ok := atHome(p)
	if !ok {
		return p
	}
	p.Dialects, p.Bases = slices.Clone(p.Dialects), maps.Clone(p.Bases)
	for _, d := range slices.Sorted(maps.Keys(v.Bases)) {
		if slices.Contains(p.Dialects, d) {
			continue
		}
		p.Dialects = append(p.Dialects, d)
		if p.Bases == nil {
			p.Bases = map[providers.Dialect]string{}
		}
		p.Bases[d] = v.Bases[d]
	}
	return p
}

// atHome finds the vendor of a provider that is at the vendor's own OpenAI-compatible address.
func atHome(p providers.Provider) (providers.Vendor, bool) {
	v, ok := Vendor(p.Vendor)
	return v, ok && v.BaseURL != "" && strings.TrimRight(v.BaseURL, "/") == strings.TrimRight(p.BaseURL, "/")
}

// KeyEnv is the environment variable that usually holds the key of a provider; "" if it has none, and if the provider is
// not at its vendor's own address, to which alone such a key may be sent.
func KeyEnv(p providers.Provider) string {
	v, ok := atHome(p)
	if !ok {
		return ""
	}
	return v.KeyEnv
}

// Describe returns what is known of a model that a provider calls upstream, ready to be stored: id, title, limits, price
// and where its replies are capped. What is unknown is left unset.
func Describe(p providers.Provider, upstream string) providers.Model {
	upstream = strings.TrimPrefix(upstream, "models/") // Gemini lists its models so, and answers to both
	m := providers.Model{Upstream: upstream, CapField: capField(p.Vendor, upstream)}
	if v, ok := Vendor(p.Vendor); ok {
		for _, known := range v.Models {
			if known.Upstream == upstream {
				m = known
				break
			}
		}
	}
	m.Provider, m.ID = p.Name, p.Name+"/"+upstream
	if m.Price != nil {
		own := *m.Price // the caller's to change
		m.Price = &own
	}
	return m
}

// capField is where a vendor's model takes a reply cap that its caller did not set. OpenAI's reasoning models refuse
// max_tokens; what other vendors serve under their names takes it.
// https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_completion_tokens
func capField(vendor, upstream string) string {
	old := strings.HasPrefix(upstream, "gpt-3.5") || strings.HasPrefix(upstream, "gpt-4") || strings.HasPrefix(upstream, "chatgpt-4")
	if (vendor == string(catwalk.InferenceProviderOpenAI) || vendor == string(catwalk.InferenceProviderAzure)) && !old {
		return wire.MaxCompletionTokens
	}
	return wire.MaxTokensField
}
