package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"perdiem/meter"
	"perdiem/meter/sqlite"
)

// planned is a store that keeps how SQLite plans each statement that it is given.
type planned struct {
	*sqlite.Store
	mu    sync.Mutex
	plans map[string]string
}

func (p *planned) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	return p.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error { return do(ctx, explaining{tx, p}) })
}

func (p *planned) Read() meter.Tx { return explaining{p.Store.Read(), p} }

// explaining asks for the plan of each statement before it runs.
type explaining struct {
	meter.Tx
	to *planned
}

func (e explaining) explain(ctx context.Context, query string, args []any) {
	verb := strings.ToUpper(strings.Fields(query)[0])
	if verb != "SELECT" && verb != "UPDATE" && verb != "INSERT" && verb != "DELETE" {
		return
	}
	rows, err := e.Tx.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		return // the statement itself will tell
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if rows.Scan(&id, &parent, &unused, &detail) == nil {
			plan = append(plan, detail)
		}
	}
	if rows.Err() != nil {
		return
	}
	e.to.mu.Lock()
	defer e.to.mu.Unlock()
	e.to.plans[query] = strings.Join(plan, "; ")
}

func (e explaining) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	e.explain(ctx, query, args)
	return e.Tx.ExecContext(ctx, query, args...)
}

func (e explaining) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	e.explain(ctx, query, args)
	return e.Tx.QueryContext(ctx, query, args...)
}

// walks finds a walk through a whole table that grows with use. An index of open holds alone is small.
var walks = regexp.MustCompile(`SCAN (\w+ AS )?(holds|h|ledger|l|usage_daily|u|refusals|r|idempotency|objects|alerts|limits|rates|people)\b`)

// What is asked on every request must cost the same after a million of them.
func TestNoVerbWalksThroughATableThatGrows(t *testing.T) {
	ctx := context.Background()
	p := &planned{Store: open(t, filepath.Join(t.TempDir(), "perdiem.db")), plans: map[string]string{}}
	m := meter.New(p, meter.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ada, err := m.AddPerson(ctx, "Ada", "")
	must(err)
	_, pass, err := m.IssuePass(ctx, ada.ID, "", nil)
	must(err)
	one := int64(1)
	must(m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: "*", Limits: meter.Limits{Requests: &one}}))
	must(m.AddCredit(ctx, ada.ID, 1_000_000, "test"))
	p.plans = map[string]string{} // from here on: what requests do

	_, _, err = m.Authenticate(ctx, pass)
	must(err)
	team, err := m.Team(ctx)
	must(err)
	must(m.Guard(ctx, team, ada, "", 1))
	_, err = m.MayUse(ctx, team, ada, "m")
	must(err)
	request := meter.Request{
		ID: "r", PersonID: ada.ID, PassID: pass[4:12], Model: "m", Input: 1, Output: 1, MinOutput: 1, Price: &meter.Price{Input: 1, Output: 1},
		Keys: []meter.KeyBudget{{ID: "a"}, {ID: "b"}}, Idempotency: &meter.Idempotency{Key: "k", Hash: "h"},
	}
	first, err := m.Reserve(ctx, request)
	must(err)
	request.Idempotency = nil
	byCredit, err := m.Reserve(ctx, request)
	must(err)
	_, err = m.Touch(ctx, first.ID, meter.Observed{Accepted: true})
	must(err)
	_, err = m.Move(ctx, byCredit.ID, request)
	must(err)
	must(m.SettleWith(ctx, first.ID, meter.Usage{Input: 1}, meter.Reported, &meter.Answer{Status: 200}))
	must(m.Release(ctx, byCredit.ID, "test"))
	must(m.LogRefusal(ctx, &meter.Refusal{At: m.Now(), Reason: "X"}))
	must(m.KeepObject(ctx, meter.Object{ID: "o", Provider: "p", PersonID: ada.ID}))
	_, err = m.FindObject(ctx, ada.ID, "o")
	must(err)
	_, err = m.Expire(ctx)
	must(err)
	_, err = m.UsedModels(ctx, ada.ID)
	must(err)
	_, err = m.Totals(ctx, meter.Day(m.Now()))
	must(err)
	_, err = m.Hours(ctx, meter.Day(m.Now()))
	must(err)
	_, err = m.Alerts(ctx, 0)
	must(err)

	if len(p.plans) < 20 {
		t.Fatalf("only %d statements were seen", len(p.plans))
	}
	for query, plan := range p.plans {
		if walks.MatchString(plan) && !strings.Contains(plan, "holds_open") {
			t.Errorf("%s\n  walks: %s", query, plan)
		}
	}
}
