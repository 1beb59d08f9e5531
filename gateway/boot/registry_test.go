package boot_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/testing/scratchpg"
)

// TestTheRegistrySaysTheSameOnBothEngines runs one script of the owner's on each.
func TestTheRegistrySaysTheSameOnBothEngines(t *testing.T) {
	scratchpg.Need(t)
	file, shared := setUp(t, open(t, "").Providers), setUp(t, open(t, scratchpg.Schema(t)).Providers)
	if len(file) != len(shared) {
		t.Fatalf("%d answers from one, %d from the other", len(file), len(shared))
	}
	for i := range file {
		if file[i] != shared[i] {
			t.Errorf("SQLite:     %s\nPostgreSQL: %s", file[i], shared[i])
		}
	}
}

// setUp does all that an owner can, and gives what was answered, but for times and random ids.
func setUp(t *testing.T, r *registry.Registry) (answers []string) {
	ctx := t.Context()
	var key providers.Key
	say := func(what string, value any, err error) {
		kind := "no error"
		for _, known := range []error{registry.ErrExists, registry.ErrInvalid, registry.ErrNotFound} {
			if errors.Is(err, known) {
				kind = known.Error()
			}
		}
		if err != nil && kind == "no error" {
			t.Errorf("%s: %v", what, err)
		}
		text := fmt.Sprintf("%s: %+v, %s", what, value, kind)
		if key.ID != "" {
			text = strings.ReplaceAll(text, key.ID, "KEY")
		}
		answers = append(answers, text)
	}
	state := func(what string, err error) {
		all, readErr := r.Providers(ctx)
		for i := range all {
			all[i].CreatedAt = time.Time{}
		}
		ks, keysErr := r.Keys(ctx, "")
		for i, k := range ks {
			ks[i].CreatedAt = time.Time{}
			ks[i].Label += " with " + words(k.Caps) // not its pointers
			ks[i].Caps = providers.Caps{}
		}
		models, modelsErr := r.Models(ctx)
		for i, m := range models {
			if m.Price != nil {
				models[i].Title += fmt.Sprintf(" at %+v", *m.Price) // not its pointer
				models[i].Price = nil
			}
		}
		say(what, fmt.Sprintf("%+v %+v %+v", all, ks, models), errors.Join(err, readErr, keysErr, modelsErr))
	}
	resolve := func(name string) {
		target, err := r.Resolve(ctx, name)
		say("resolve "+name, fmt.Sprint(target.Provider.Name, target.Model.ID, target.Model.Guests, target.Model.Counts), err)
	}
	acme := providers.Provider{Name: "acme", BaseURL: "https://acme.example/v1/"}
	_, err := r.AddProvider(ctx, acme)
	state("add a provider", err)
	_, err = r.AddProvider(ctx, acme)
	state("add it again", err)
	key, err = r.AddKey(ctx, "acme", "first", providers.Environment)
	state("add a key", err)
	_, err = r.AddKey(ctx, "nobody", "", providers.Environment)
	state("add a key of nobody", err)
	state("disable it", r.DisableKey(ctx, key.ID, "spent"))
	state("disable another", r.DisableKey(ctx, "other", "spent"))
	state("enable it", r.EnableKey(ctx, key.ID))
	fifty, none := int64(50), int64(0)
	state("cap it", r.CapKey(ctx, key.ID, providers.Caps{Requests: &fifty, CostMicroUSD: &none}))
	state("cap another", r.CapKey(ctx, "other", providers.Caps{Requests: &fifty}))
	gauge := providers.Model{Provider: "acme", Upstream: "gauge", Title: "Gauge 张", Context: 1000, Guests: true, Aliases: []string{"fast", "small"}}
	gauge, err = r.AddModel(ctx, gauge)
	state("add a model", err)
	_, err = r.AddModel(ctx, providers.Model{Provider: "acme", Upstream: "dial", Aliases: []string{"fast"}})
	state("add one under a name that is taken", err)
	_, err = r.AddModel(ctx, providers.Model{Provider: "nobody", Upstream: "dial"})
	state("add one of nobody", err)
	gauge.Price = &providers.Price{Input: 3_000_000, Output: 15_000_000, Source: "by hand", Date: "2026-11-29"}
	gauge.Aliases = []string{"small", "cheap"}
	state("change it", r.UpdateModel(ctx, gauge))
	dial, err := r.AddModel(ctx, providers.Model{Provider: "acme", Upstream: "dial", AtZero: providers.Ladder, Fallback: gauge.ID, MayDropTurns: true})
	state("add one with a fallback", err)
	dial.Fallback = dial.ID
	state("make it its own fallback", r.UpdateModel(ctx, dial))
	listed := providers.Model{Provider: "acme", Upstream: "dial", Title: "Dial", Context: 2000, Price: &providers.Price{Input: 1, Output: 2, Source: "list"}}
	refresh := func(what string) {
		changed, err := r.Refresh(ctx, []providers.Model{listed, {Provider: "acme", Upstream: "unknown"}})
		say(what, changed, nil)
		state(what, err)
	}
	refresh("refresh from a list")
	refresh("refresh again")
	state("remove the fallback", r.RemoveModel(ctx, gauge.ID))
	_, err = r.AddModel(ctx, gauge)
	state("add it again", err)
	for _, name := range []string{"fast", "cheap", gauge.ID, "CHEAP"} {
		resolve(name)
	}
	state("add an alias", r.AddAlias(ctx, gauge.ID, "tiny"))
	state("add it again", r.AddAlias(ctx, gauge.ID, "tiny"))
	state("take the alias", r.RemoveAlias(ctx, "tiny"))
	state("take the id", r.RemoveAlias(ctx, gauge.ID))
	state("remove the key", r.RemoveKey(ctx, key.ID))
	state("remove the model", r.RemoveModel(ctx, gauge.ID))
	_, err = r.AddModel(ctx, gauge)
	state("add it again", err)
	state("remove the provider with its model", r.RemoveProvider(ctx, "acme"))
	resolve("cheap")
	return answers
}

func words(c providers.Caps) string {
	text := ""
	for _, n := range []*int64{c.Requests, c.Tokens, c.CostMicroUSD} {
		if n == nil {
			text += "no limit, "
		} else {
			text += fmt.Sprint(*n, ", ")
		}
	}
	return text
}
