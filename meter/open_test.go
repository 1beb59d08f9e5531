package meter_test

import (
	"path/filepath"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

// A gateway runs for months: what it remembers of a hold goes with the hold, however that ends.
func TestNothingIsRememberedOfAHoldThatEnded(t *testing.T) {
	ctx, now := t.Context(), time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	store, err := sqlite.Open(ctx, sqlite.Options{
		Path:       filepath.Join(t.TempDir(), "perdiem.db"),
		Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	m := meter.New(store, meter.Options{Now: func() time.Time { return now }})
	p, err := m.AddPerson(ctx, "Ada", "")
	if err == nil {
		err = m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel})
	}
	if err != nil {
		t.Fatal(err)
	}
	request := meter.Request{ID: "r", PersonID: p.ID, Model: "acme/gauge", Input: 5, Output: 5, MinOutput: 5}
	settle := func(id string) error { return m.Settle(ctx, id, meter.Usage{Input: 3, Output: 4}, meter.Reported) }
	expire := func(string) error {
		now = now.Add(meter.HoldTTL)
		_, err := m.Expire(ctx)
		return err
	}
	for name, ends := range map[string][]func(id string) error{
		"settled":  {settle},
		"released": {func(id string) error { return m.Release(ctx, id, "test") }},
		"moved": {func(id string) error {
			_, err := m.Move(ctx, id, request)
			return err
		}, settle},
		"expired":      {expire},
		"settled late": {expire, settle},
		"expired by another, and settled": {func(string) error {
			_, err := meter.New(store, meter.Options{Gateway: "other"}).Recover(ctx)
			return err
		}, settle},
	} {
		h, err := m.Reserve(ctx, request)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := meter.Remembered(m); got != 1 {
			t.Errorf("%s: %d holds are remembered while it is open", name, got)
		}
		for _, end := range ends {
			if err := end(h.ID); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := meter.Remembered(m); got != 0 {
			t.Errorf("%s: %d holds are remembered", name, got)
		}
	}
}
