package registry

import (
	"errors"
	"reflect"
	"testing"

	"perdiem/providers"
	"perdiem/providers/catalog"
)

const luna = "gpt-5.6-luna"

// newList is what a later list says of a model.
func newList(t *testing.T, r *Registry) providers.Model {
	t.Helper()
	all, err := r.Providers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := catalog.Describe(all[0], luna)
	m.Context, m.MaxReply, m.Title = 2_000_000, 200_000, "GPT-5.6 Luna (new)"
	m.Price = &providers.Price{Input: 7, CacheRead: 1, CacheWrite: 7, Output: 9, Source: "list", Date: "2027-01-01"}
	return m
}

func stored(t *testing.T, r *Registry) providers.Model {
	t.Helper()
	got, err := r.Resolve(t.Context(), "openai/"+luna)
	if err != nil {
		t.Fatal(err)
	}
	return got.Model
}

func TestRefreshBringsWhatIsListedNow(t *testing.T) {
	r := withProvider(t, "openai")
	list := newList(t, r)
	all, _ := r.Providers(t.Context())
	if _, err := r.AddModel(t.Context(), catalog.Describe(all[0], luna)); err != nil {
		t.Fatal(err)
	}
	changed, err := r.Refresh(t.Context(), []providers.Model{list, {ID: "openai/unknown"}})
	if err != nil || !reflect.DeepEqual(changed, []string{"openai/" + luna}) {
		t.Fatalf("got %q, %v", changed, err)
	}
	if got := stored(t, r); got.Context != 2_000_000 || got.MaxReply != 200_000 || got.Title != list.Title || !reflect.DeepEqual(got.Price, list.Price) {
		t.Errorf("got %+v, price %+v", got, got.Price)
	}
	if changed, err := r.Refresh(t.Context(), []providers.Model{list}); err != nil || len(changed) != 0 {
		t.Errorf("again: got %q, %v", changed, err)
	}
}

func TestRefreshKeepsTheOwnersEdits(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, r *Registry, m providers.Model){
		"made when it was added": func(t *testing.T, r *Registry, m providers.Model) {
			if _, err := r.AddModel(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		},
		"made later": func(t *testing.T, r *Registry, m providers.Model) {
			if _, err := r.AddModel(t.Context(), catalog.Describe(providers.Provider{Name: "openai", Vendor: "openai"}, luna)); err != nil {
				t.Fatal(err)
			}
			if err := r.UpdateModel(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := withProvider(t, "openai")
			own := catalog.Describe(providers.Provider{Name: "openai", Vendor: "openai"}, luna)
			own.Context, own.Guests, own.AtZero, own.Price = 9_000, true, providers.Ladder, &providers.Price{Input: 5, Output: 5}
			edit(t, r, own)
			for range 2 { // an edit outlives more than one list
				if _, err := r.Refresh(t.Context(), []providers.Model{newList(t, r)}); err != nil {
					t.Fatal(err)
				}
			}
			got := stored(t, r)
			if got.Context != 9_000 || !got.Guests || got.AtZero != providers.Ladder || got.Price.Input != 5 || got.Price.Source != OwnersPrice {
				t.Errorf("lost an edit: %+v, price %+v", got, got.Price)
			}
			if got.MaxReply != 200_000 || got.Title != "GPT-5.6 Luna (new)" {
				t.Errorf("what the owner left alone was not refreshed: %+v", got)
			}
		})
	}
}

func TestRefreshTakesBackAPriceThatIsNoLongerListed(t *testing.T) {
	r := withProvider(t, "openai")
	if _, err := r.AddModel(t.Context(), catalog.Describe(providers.Provider{Name: "openai", Vendor: "openai"}, luna)); err != nil {
		t.Fatal(err)
	}
	list := newList(t, r)
	list.Price = nil
	if _, err := r.Refresh(t.Context(), []providers.Model{list}); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, r); got.Price != nil {
		t.Errorf("got %+v", got.Price)
	}
}

func TestAFallbackIsAnotherModelThatExists(t *testing.T) {
	r := withProvider(t, "openai")
	for _, m := range []providers.Model{{ID: "openai/a"}, {ID: "openai/b", Fallback: "openai/a"}} {
		if _, err := r.AddModel(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for fallback, want := range map[string]error{"openai/none": ErrNotFound, "openai/a": ErrInvalid} {
		if err := r.UpdateModel(t.Context(), providers.Model{ID: "openai/a", Fallback: fallback}); !errors.Is(err, want) {
			t.Errorf("%s: got %v", fallback, err)
		}
	}
	if err := r.UpdateModel(t.Context(), providers.Model{ID: "openai/a", AtZero: "maybe"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("an unknown way: got %v", err)
	}
}
