package gateway_test

import (
	"context"
	"net/http"
	"testing"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// shelf is a catalogue of a few models, by their ids.
type shelf map[string]registry.Target

func (s shelf) Resolve(_ context.Context, name string) (registry.Target, error) {
	if t, ok := s[name]; ok {
		return t, nil
	}
	return registry.Target{}, registry.ErrNotFound
}

func (s shelf) Models(context.Context) ([]providers.Model, error) { return nil, nil }

func (s shelf) Account(context.Context, string) (registry.Target, error) {
	return registry.Target{}, registry.ErrNotFound
}

// rings are the keys of each provider.
type rings map[string][]gateway.Credential

func (r rings) For(_ context.Context, t registry.Target) ([]gateway.Credential, error) {
	if len(r[t.Provider.Name]) == 0 {
		return nil, gateway.ErrNoKey
	}
	return r[t.Provider.Name], nil
}

func (r rings) Disable(context.Context, string, string) error { return nil }

// A provider that is known to give no answer is passed by, as one is that turns out so.
func TestTheFallbackAnswersWhereItsModelsProviderCannot(t *testing.T) {
	key := func(id string, caps meter.Caps) []gateway.Credential {
		return []gateway.Credential{{KeyID: id, Secret: fakeprovider.Key, Caps: caps}}
	}
	for name, c := range map[string]struct {
		keys       []gateway.Credential
		reply      fakeprovider.Answer
		first      int // how many of 12 calls reach the first provider
		firstServe int64
	}{
		"left alone":             {key("a", meter.Caps{}), fakeprovider.Error(503, "down", "Down for now.").Always(), 10, 0},
		"whose error has no end": {key("a", meter.Caps{}), fakeprovider.Error(503, "down", "Down for now.").HangAt(10).Always(), 10, 0},
		"without a key":          {nil, nil, 0, 0},
		"with its keys spent":    {key("a", meter.Caps{Requests: n(2)}), nil, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b, spare := newBare(t, &keyring{}), fakeprovider.New(t)
			b.Credentials = rings{"fake": c.keys, "spare": key("s", meter.Caps{})}
			target := func(provider, url, fallback string) registry.Target {
				return registry.Target{
					Provider: providers.Provider{Name: provider, BaseURL: url, Dialects: []providers.Dialect{providers.OpenAI}},
					Model:    providers.Model{ID: provider + "/m", Provider: provider, Upstream: "m", Fallback: fallback},
				}
			}
			b.Catalogue = shelf{model: target("fake", b.upstream.URL, "spare/m"), "spare/m": target("spare", spare.URL, model)}
			if c.reply != nil {
				b.upstream.On("", c.reply)
			}
			for range 12 {
				if status := b.call(); status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
			}
			if got := len(b.upstream.Requests()); got != c.first {
				t.Errorf("%d requests reached the first provider, want %d", got, c.first)
			}
			if got := len(spare.Requests()); got != 12-int(c.firstServe) {
				t.Errorf("%d requests reached the other one", got)
			}
			b.wantBooked(c.firstServe, 14*c.firstServe)
		})
	}
}

// What a guest may not ask for, they do not get as a fallback either.
func TestAGuestFallsBackOnlyToWhatIsOpenToGuests(t *testing.T) {
	h, _, _ := ladder(t, func(m *providers.Model) { m.Guests = true })
	h.Ceiling(meter.Ceiling{Guests: true, Model: model, Caps: meter.Caps{Requests: n(1)}})
	h.Ceiling(meter.Ceiling{Guests: true, Model: smaller, Caps: meter.Caps{Requests: n(5)}})
	exchange{}.do(t, h).WantStatus(t, 200)
	wantReason(t, exchange{}.do(t, h), 429, meter.TeamCeiling)
	h.Upstream.Next(fakeprovider.Error(503, "down", "Down for now.").Always())
	h.Clock.Set(harness.Noon.AddDate(0, 0, 1))
	exchange{}.do(t, h).WantStatus(t, 503)
	for _, r := range h.Upstream.Requests() {
		if r.Model != "m" {
			t.Errorf("a guest got %s", r.Model)
		}
	}
	changeModel(t, h, smaller, func(m *providers.Model) { m.Guests = true })
	h.Upstream.Next(fakeprovider.Error(503, "down", "Down for now.").Always())
	if a := (exchange{}).do(t, h); a.Status != 200 || a.Header.Get("X-Perdiem-Notice") == "" {
		t.Errorf("the fallback that is open to guests: %d %v", a.Status, a.Header)
	}
	h.AtRest()
}
