package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/sqlite"
)

// BenchmarkReports reads what the faces show from books of a million requests: forty people on twelve
// models over ninety days, and a hundred thousand refusals.
func BenchmarkReports(b *testing.B) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Options{
		Path:       filepath.Join(b.TempDir(), "perdiem.db"),
		Migrations: []sqlite.Migrations{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	m := meter.New(store, meter.Options{Now: func() time.Time { return now }})
	fill(b, store, now)
	today, monthAgo := meter.Day(now), meter.Day(now.AddDate(0, 0, -30))
	people, err := m.People(ctx)
	if err != nil {
		b.Fatal(err)
	}
	models := make([]string, 12)
	for i := range models {
		models[i] = fmt.Sprintf("acme/model-%d", i)
	}
	for name, read := range map[string]func() error{
		"totals":       func() error { _, err := m.Totals(ctx, today); return err },
		"hours":        func() error { _, err := m.Hours(ctx, today); return err },
		"standings":    func() error { _, err := m.Standings(ctx, people, models); return err },
		"history":      func() error { _, err := m.History(ctx, monthAgo, today); return err },
		"spenders":     func() error { _, err := m.Spenders(ctx, monthAgo, today); return err },
		"models":       func() error { _, err := m.ModelsUsed(ctx, monthAgo, today); return err },
		"reasons":      func() error { _, err := m.RefusalReasons(ctx, monthAgo, today); return err },
		"refusals":     func() error { _, err := m.Refusals(ctx, meter.RefusalFilter{PersonID: people[0].ID}); return err },
		"worst cases":  func() error { _, err := m.WorstCases(ctx, today); return err },
		"one standing": func() error { _, err := m.Access(ctx, people[0], models[0]); return err },
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

// fill writes the books' rows as the verbs would have, but all at once.
func fill(b *testing.B, store *sqlite.Store, now time.Time) {
	b.Helper()
	const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) `
	// A request's day, person and model follow from its number i; day 0 is today.
	const day = `strftime('%Y-%m-%d', ($1 - (i % 90) * 86400000) / 1000, 'unixepoch')`
	const who, model = `printf('p%02d', (i / 90) % 40)`, `printf('acme/model-%d', (i / 3600) % 12)`
	const at = `($1 - (i % 90) * 86400000 - i % 60000000)`
	statements := []string{
		fmt.Sprintf(numbers, 40) + `INSERT INTO people (id, name, created_at) SELECT printf('p%02d', i), printf('Person %02d', i), $1 FROM n`,
		`INSERT INTO limits (scope, holder_kind, holder, model, max_tokens) SELECT 'person', 'everyone', '', '*', $1`,
		fmt.Sprintf(numbers, 1_000_000) + `INSERT INTO holds (id, request, person, model, day, gateway, state, created_at, expires_at, input, output, terms)
			SELECT printf('h%07d', i), printf('r%07d', i), ` + who + `, ` + model + `, ` + day + `, 'g', 'settled', ` + at + `, ` + at + `, 900, 100, '{}' FROM n`,
		fmt.Sprintf(numbers, 1_000_000) + `INSERT INTO ledger (at, verb, hold, request, person, model, day, provenance, requests, input, output, cost, changes)
			SELECT ` + at + `, v.verb, printf('h%07d', i), printf('r%07d', i), ` + who + `, ` + model + `, ` + day + `, v.provenance, v.requests, 900, 100, 500, ''
			FROM n, (SELECT 'reserve' AS verb, '' AS provenance, 0 AS requests UNION ALL SELECT 'settle', 'reported', 1) AS v`,
		`INSERT INTO usage_daily (scope, subject, model, day, requests, tokens, cost, input, output)
			SELECT 'person', person, model, day, COUNT(*), SUM(input + output), SUM(cost), SUM(input), SUM(output) FROM ledger WHERE verb = 'settle' AND $1 > 0 GROUP BY 2, 3, 4`,
		`INSERT INTO usage_daily (scope, subject, model, day, requests, tokens, cost, input, output)
			SELECT 'ceiling', '*', model, day, SUM(requests), SUM(tokens), SUM(cost), SUM(input), SUM(output) FROM usage_daily WHERE scope = 'person' AND $1 > 0 GROUP BY 3, 4`,
		`INSERT INTO usage_daily (scope, subject, model, day, requests, tokens, cost, input, output)
			SELECT 'ceiling', '*', '*', day, SUM(requests), SUM(tokens), SUM(cost), SUM(input), SUM(output) FROM usage_daily WHERE scope = 'person' AND $1 > 0 GROUP BY 4`,
		fmt.Sprintf(numbers, 100_000) + `INSERT INTO refusals (at, day, reason, person, person_name, model, tool, request, figures)
			SELECT ` + at + `, ` + day + `, CASE i % 3 WHEN 0 THEN 'RATE_LIMIT' ELSE 'DAILY_TOKEN_LIMIT' END, ` + who + `, 'x', ` + model + `, 'curl', 'r', '{}' FROM n`,
	}
	for _, s := range statements {
		err := store.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, s, now.UnixMilli())
			return err
		})
		if err != nil {
			b.Fatalf("%.60s …: %v", s, err)
		}
	}
}
