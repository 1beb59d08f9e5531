package registry

import (
	"errors"
	"reflect"
	"testing"

	_ "modernc.org/sqlite"

	"perdiem/providers"
)

func TestKeysAreAddedDisabledEnabledAndRemoved(t *testing.T) {
	r := withProvider(t, "a", "b")
	one, err := r.AddKey(t.Context(), "a", " main ", providers.Keychain)
	if err != nil || one.ID == "" || one.Label != "main" || one.CreatedAt != noon {
		t.Fatalf("got %+v, %v", one, err)
	}
	two, err := r.AddKey(t.Context(), "b", "", providers.Environment)
	if err != nil || two.ID == one.ID {
		t.Fatalf("got %+v, %v", two, err)
	}
	if err := r.DisableKey(t.Context(), one.ID, "the provider does not accept it"); err != nil {
		t.Fatal(err)
	}
	got, err := r.Keys(t.Context(), "a")
	if err != nil || len(got) != 1 || !got[0].Disabled || got[0].Reason != "the provider does not accept it" {
		t.Errorf("disabled: got %+v, %v", got, err)
	}
	if err := r.EnableKey(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	all, err := r.Keys(t.Context(), "")
	if err != nil || !reflect.DeepEqual(all, []providers.Key{one, two}) {
		t.Errorf("got %+v, %v", all, err)
	}
	requests, cost := int64(50), int64(0)
	one.Caps = providers.Caps{Requests: &requests, CostMicroUSD: &cost}
	if err := r.CapKey(t.Context(), one.ID, one.Caps); err != nil {
		t.Fatal(err)
	}
	if all, err = r.Keys(t.Context(), ""); err != nil || !reflect.DeepEqual(all, []providers.Key{one, two}) {
		t.Errorf("capped: got %+v, %v", all, err)
	}
	negative := int64(-1)
	if err := r.CapKey(t.Context(), one.ID, providers.Caps{Tokens: &negative}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a negative cap: got %v", err)
	}
	if err := r.CapKey(t.Context(), "none", providers.Caps{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such key: got %v", err)
	}
	if err := r.RemoveKey(t.Context(), one.ID); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Providers(t.Context()); err != nil || !p[0].Keyed {
		t.Errorf("that it had a key is forgotten: %+v, %v", p, err)
	}
	if left, err := r.Keys(t.Context(), ""); err != nil || len(left) != 1 || left[0].ID != two.ID {
		t.Errorf("got %+v, %v", left, err)
	}
}
