package registry

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	_ "modernc.org/sqlite"

	"perdiem/providers"
)

func TestAModelComesBackAsItWasStored(t *testing.T) {
	r := withProvider(t, "openai")
	full := providers.Model{
		ID: "openai/org/gpt-5:latest", Provider: "openai", Upstream: "gpt-5", Title: "GPT-5", Aliases: []string{"big", "gpt-5"},
		Context: 400_000, MaxReply: 128_000, DefaultReply: 16_000, Counts: providers.CountWeighted, Guests: true, CapField: "max_completion_tokens",
		Price:   &providers.Price{Input: 1_250_000, CacheRead: 125_000, CacheWrite: 1_250_000, Output: 10_000_000, Source: "list", Date: "2026-08-19"},
		Reasons: true, SeesImages: true, AtZero: providers.Ladder, Fallback: "openai/tiny", MayDropTurns: true,
	}
	least, err := r.AddModel(t.Context(), providers.Model{Provider: "openai", Upstream: "tiny", MaxReply: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Model{
		ID: "openai/tiny", Provider: "openai", Upstream: "tiny", Title: "tiny", MaxReply: 100, DefaultReply: 100,
		Counts: providers.CountTotal, CapField: "max_tokens", AtZero: providers.Refuse,
	}
	if _, err := r.AddModel(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(least, want) {
		t.Errorf("defaults: got %+v, want %+v", least, want)
	}
	if all, err := r.Models(t.Context()); err != nil || !reflect.DeepEqual(all, []providers.Model{full, want}) {
		t.Errorf("got  %+v, %v\nwant %+v", all, err, []providers.Model{full, want})
	}
}

func TestAReplyIsHeldWithinTheModelsContext(t *testing.T) {
	r := withProvider(t, "a")
	for id, c := range map[string]struct {
		model providers.Model
		want  int64
	}{
		"a/default": {providers.Model{Context: 2_000}, 2_000},
		"a/wide":    {providers.Model{Context: 200_000}, DefaultReply},
		"a/given":   {providers.Model{Context: 8_000, DefaultReply: 9_000}, 8_000},
		"a/unknown": {providers.Model{DefaultReply: 9_000}, 9_000},
		"a/reply":   {providers.Model{Context: 8_000, MaxReply: 1_000, DefaultReply: 9_000}, 1_000},
	} {
		c.model.ID = id
		if m, err := r.AddModel(t.Context(), c.model); err != nil || m.DefaultReply != c.want {
			t.Errorf("%s: holds %d, %v; want %d", id, m.DefaultReply, err, c.want)
		}
	}
}

func TestResolveFindsIdAndAliasExactly(t *testing.T) {
	r := withProvider(t, "openai")
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "openai/gpt-5", Aliases: []string{"Smart"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"openai/gpt-5", "Smart"} {
		got, err := r.Resolve(t.Context(), name)
		if err != nil || got.Model.ID != "openai/gpt-5" || got.Model.Upstream != "gpt-5" ||
			got.Provider.Name != "openai" || got.Provider.BaseURL != "https://api.openai.com/v1" || len(got.Provider.Dialects) != 2 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"smart", "SMART", " Smart", "Smart ", "OpenAI/gpt-5", "gpt-5", "openai/gpt-5/", "openai//gpt-5", "", "*", "%", "Sm_rt"} {
		if got, err := r.Resolve(t.Context(), name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: got %+v, %v", name, got, err)
		}
	}
}

func TestANameMeansOneModel(t *testing.T) {
	r := withProvider(t, "a", "b")
	add := func(id string, aliases ...string) error {
		_, err := r.AddModel(t.Context(), providers.Model{ID: id, Aliases: aliases})
		return err
	}
	if err := add("a/m", "fast", "b/taken"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"an id twice":            add("a/m"),
		"an alias twice":         add("b/m", "fast"),
		"an alias that is an id": add("b/m", "a/m"),
		"an id that is an alias": add("b/taken"),
		"AddAlias, taken":        r.AddAlias(t.Context(), "a/m", "fast"),
		"AddAlias, an id":        r.AddAlias(t.Context(), "a/m", "a/m"),
	} {
		if !errors.Is(err, ErrExists) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if all, err := r.Models(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("a refused model was stored in part: %+v, %v", all, err)
	}
}

func TestUpdateChangesFieldsAndAliasesAndNothingElse(t *testing.T) {
	r := withProvider(t, "a")
	for _, m := range []providers.Model{{ID: "a/m", Aliases: []string{"old", "kept"}}, {ID: "a/n", Aliases: []string{"other"}}} {
		if _, err := r.AddModel(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	changed := providers.Model{ID: "a/m", Title: "M", Aliases: []string{"kept", "new"}, Guests: true, Price: &providers.Price{Output: 7}}
	if err := r.UpdateModel(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	changed.Aliases = []string{"other"}
	if err := r.UpdateModel(t.Context(), changed); !errors.Is(err, ErrExists) {
		t.Errorf("taking another's alias: got %v", err)
	}
	if err := r.UpdateModel(t.Context(), providers.Model{ID: "a/none"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("changing no model: got %v", err)
	}
	all, err := r.Models(t.Context())
	if err != nil || len(all) != 2 || all[0].Title != "M" || !all[0].Guests || all[0].Price.Output != 7 ||
		!reflect.DeepEqual(all[0].Aliases, []string{"kept", "new"}) || !reflect.DeepEqual(all[1].Aliases, []string{"other"}) {
		t.Errorf("got %+v, %v", all, err)
	}
	if _, err := r.Resolve(t.Context(), "old"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a dropped alias still resolves: %v", err)
	}
}

func TestAliasesComeAndGo(t *testing.T) {
	r := withProvider(t, "a")
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "a/m"}); err != nil {
		t.Fatal(err)
	}
	if err := r.AddAlias(t.Context(), "a/m", "fast"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), "fast"); err != nil {
		t.Error(err)
	}
	if err := r.RemoveAlias(t.Context(), "a/m"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an id was taken from its model: %v", err)
	}
	if err := r.RemoveAlias(t.Context(), "fast"); err != nil {
		t.Error(err)
	}
	if _, err := r.Resolve(t.Context(), "fast"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestRemovingAModelFreesItsNames(t *testing.T) {
	r := withProvider(t, "a")
	for range 2 {
		if _, err := r.AddModel(t.Context(), providers.Model{ID: "a/m", Aliases: []string{"fast"}}); err != nil {
			t.Fatal(err)
		}
		if err := r.RemoveModel(t.Context(), "a/m"); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	r := withProvider(b, "a")
	for i := range 300 {
		if _, err := r.AddModel(b.Context(), providers.Model{ID: fmt.Sprintf("a/m%d", i), Aliases: []string{fmt.Sprintf("m%d", i)}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := r.Resolve(b.Context(), "m150"); err != nil {
			b.Fatal(err)
		}
	}
}
