package bench

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

// BenchmarkReports reads what the faces show from books of a million requests: forty people on twelve
// models over ninety days, and a hundred thousand refusals.
func BenchmarkReports(b *testing.B) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Options{
		Path:       filepath.Join(b.TempDir(), "perdiem.db"),
		Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	m := meter.New(store, meter.Options{Now: func() time.Time { return now }})
	crowd := history{people: 40, models: 12, days: 90, requests: 1_000_000}
	crowd.fill(b, store, now)
	today, monthAgo := meter.Day(now), meter.Day(now.AddDate(0, 0, -30))
	people, err := m.People(ctx)
	if err != nil {
		b.Fatal(err)
	}
	models := crowd.modelIDs()
	for name, read := range map[string]func() error{
		"totals":       func() error { _, err := m.Totals(ctx, today); return err },
		"hours":        func() error { _, err := m.Hours(ctx, today); return err },
		"standings":    func() error { _, err := m.Standings(ctx, people, models); return err },
		"history":      func() error { _, err := m.History(ctx, monthAgo, today); return err },
		"spenders":     func() error { _, err := m.Spenders(ctx, monthAgo, today); return err },
		"models":       func() error { _, err := m.ModelsUsed(ctx, monthAgo, today); return err },
		"refusals":     func() error { _, err := m.Refusals(ctx, meter.RefusalFilter{PersonID: people[0].ID}); return err },
		"worst cases":  func() error { _, err := m.WorstCases(ctx, today); return err },
		"one standing": func() error { _, err := m.Standings(ctx, people[:1], models[:1]); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
