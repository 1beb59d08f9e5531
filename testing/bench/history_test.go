package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/testing/harness"
)

// history is what a team left in the books: requests spread evenly over people, models and days.
type history struct{ people, models, days, requests int }

func (h history) modelIDs() []string {
	ids := make([]string, h.models)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s/m%d", harness.Provider, i)
	}
	return ids
}

// fill writes the books' rows as the verbs would have, but all at once, up to now.
func (h history) fill(b *testing.B, store meter.Store, now time.Time) {
	b.Helper()
	numbers := func(n int) string {
		return fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) `, n)
	}
	// A request's time, person and model follow from its number; ids sort by time, as the meter's do.
	at := fmt.Sprintf(`($1 - (%d - i) * %d)`, h.requests, int64(h.days)*24*time.Hour.Milliseconds()/int64(h.requests))
	day := `strftime('%Y-%m-%d', ` + at + ` / 1000, 'unixepoch')`
	who, model := fmt.Sprintf(`printf('p%%03d', i %% %d)`, h.people), fmt.Sprintf(`printf('%s/m%%d', (i / %d) %% %d)`, harness.Provider, h.people, h.models)
	id := `printf('%08x-%04x-7%010d', ` + at + ` >> 16, ` + at + ` & 65535, i)`
	statements := []string{
		numbers(h.people) + `INSERT INTO people (id, name, created_at) SELECT printf('p%03d', i), printf('Person %03d', i), $1 FROM n`,
		`INSERT INTO limits (scope, holder_kind, holder, model, max_tokens) SELECT 'person', 'everyone', '', '*', $1`,
		`INSERT INTO limits (scope, holder_kind, holder, model, max_cost) SELECT 'purse', 'everyone', '', '*', $1`,
		numbers(h.requests) + `INSERT INTO holds (id, request, person, model, day, gateway, state, created_at, expires_at, input, output, terms)
			SELECT ` + id + `, printf('r%07d', i), ` + who + `, ` + model + `, ` + day + `, 'g', 'settled', ` + at + `, ` + at + `, 900, 100, '{}' FROM n`,
		numbers(h.requests) + `INSERT INTO ledger (at, verb, hold, request, person, model, day, provenance, requests, input, output, cost, changes)
			SELECT ` + at + `, v.verb, ` + id + `, printf('r%07d', i), ` + who + `, ` + model + `, ` + day + `, v.provenance, v.requests, 900, 100, 500, ''
			FROM n, (SELECT 'reserve' AS verb, '' AS provenance, 0 AS requests UNION ALL SELECT 'settle', 'reported', 1) AS v`,
		usage(`'person', person, model`, `COUNT(*), SUM(input + output), SUM(cost)`, `ledger WHERE verb = 'settle'`),
		usage(`'purse', subject, '*'`, `SUM(requests), SUM(tokens), SUM(cost)`, `usage_daily WHERE scope = 'person'`),
		usage(`'ceiling', '*', model`, `SUM(requests), SUM(tokens), SUM(cost)`, `usage_daily WHERE scope = 'person'`),
		usage(`'ceiling', '*', '*'`, `SUM(requests), SUM(tokens), SUM(cost)`, `usage_daily WHERE scope = 'purse'`),
		numbers(h.requests/10) + `INSERT INTO refusals (at, day, reason, person, person_name, model, tool, request, figures)
			SELECT ` + at + `, ` + day + `, CASE i % 3 WHEN 0 THEN 'RATE_LIMIT' ELSE 'DAILY_TOKEN_LIMIT' END, ` + who + `, 'x', ` + model + `, 'curl', 'r', '{}'
			FROM (SELECT i * 10 + 9 AS i FROM n)`,
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

// usage folds rows into those of a budget's days.
func usage(budget, sums, from string) string {
	return `INSERT INTO usage_daily (scope, subject, model, day, requests, tokens, cost, input, output)
		SELECT ` + budget + `, day, ` + sums + `, SUM(input), SUM(output) FROM ` + from + ` AND $1 > 0 GROUP BY 2, 3, 4`
}
