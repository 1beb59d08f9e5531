package meter

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// verb is what a ledger entry tells.
type verb string

const (
	verbReserve verb = "reserve"
	verbSettle  verb = "settle"
	verbRelease verb = "release"
	verbExpire  verb = "expire"
	verbCorrect verb = "correct" // a settle that came after its hold had expired
	verbMove    verb = "move"    // an open hold's parts were swapped for others
	verbReturn  verb = "return"  // what was booked at the worst case was given back
	verbGrant   verb = "grant"
	verbCredit  verb = "credit"
)

// change is what one ledger entry adds to one row of usage_daily.
type change struct {
	budget
	Used    Amount `json:"used,omitzero"`
	Held    Amount `json:"held,omitzero"`
	Granted Amount `json:"granted,omitzero"`
	Input   int64  `json:"in,omitempty"`
	Output  int64  `json:"out,omitempty"`
}

// entry is a ledger line to be.
type entry struct {
	verb       verb
	hold       string
	request    string
	person     string
	model      string
	day        string
	provenance Provenance
	usage      Usage
	cost       int64
	note       string
	changes    []change
}

// book adds the entry's changes to usage_daily and appends it to the ledger.
func (m *Meter) book(ctx context.Context, tx Tx, e entry) error {
	if err := m.apply(ctx, tx, e.changes); err != nil {
		return err
	}
	return m.append(ctx, tx, e)
}

// append writes an entry whose changes already stand. It is the only writer of the ledger.
func (m *Meter) append(ctx context.Context, tx Tx, e entry) error {
	changes, err := json.Marshal(e.changes)
	if err != nil {
		return fmt.Errorf("encode ledger entry: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO ledger (at, verb, hold, request, person, model, day, provenance, requests, input, cached, output, cost, note, changes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		millis(m.now()), e.verb, e.hold, e.request, e.person, e.model, e.day, e.provenance,
		e.requests(), e.usage.Input, e.usage.Cached, e.usage.Output, e.cost, e.note, string(changes))
	if err != nil {
		return fmt.Errorf("append to the ledger: %w", err)
	}
	return nil
}

// requests is how many requests an entry books: the same in each of the team's budgets.
func (e entry) requests() int64 {
	for _, c := range e.changes {
		if c.Scope == ScopeCeiling {
			return c.Used.Requests
		}
	}
	return 0
}

// apply adds to rows of usage_daily, in the changes' order, which is the locking order, and raises
// the alerts of limits that are crossed so.
func (m *Meter) apply(ctx context.Context, tx Tx, changes []change) error {
	args := make([]any, 0, len(changes)*changeColumns)
	for _, c := range changes {
		args = append(args, c.Scope, c.Subject, c.Model, c.Day,
			c.Used.Requests, c.Held.Requests, c.Granted.Requests,
			c.Used.Tokens, c.Held.Tokens, c.Granted.Tokens,
			c.Used.Cost, c.Held.Cost, c.Granted.Cost, c.Input, c.Output)
	}
	type standing struct {
		used Amount
		caps Caps
	}
	stands := make(map[budget]standing, len(changes))
	rows, err := tx.QueryContext(ctx, applySQL(len(changes)), args...)
	err = forEach(rows, err, func(r *sql.Rows) error {
		var b budget
		var s standing
		err := r.Scan(&b.Scope, &b.Subject, &b.Model, &b.Day, &s.used.Requests, &s.used.Tokens, &s.used.Cost,
			&s.caps.Requests, &s.caps.Tokens, &s.caps.CostMicroUSD)
		stands[b] = s
		return err
	})
	if err != nil {
		return fmt.Errorf("add to the day's usage: %w", err)
	}
	for _, c := range changes {
		s := stands[c.budget]
		if err := m.raiseAlerts(ctx, tx, c, s.used, s.caps); err != nil {
			return err
		}
	}
	return nil
}

const changeColumns = 15

// applySQL is the additive upsert for n rows of changeColumns each.
var applySQL = perRowCount(func(n int) string {
	return `
	INSERT INTO usage_daily (scope, subject, model, day, requests, held_requests, granted_requests,
		tokens, held_tokens, granted_tokens, cost, held_cost, granted_cost, input, output)
	SELECT w.column1, w.column2, w.column3, w.column4, w.column5, w.column6, w.column7,
		w.column8, w.column9, w.column10, w.column11, w.column12, w.column13, w.column14, w.column15
	FROM (VALUES ` + valuesList(n, changeColumns, budgetColumns) + `) AS w
	WHERE TRUE
	ON CONFLICT (scope, subject, model, day) DO UPDATE SET
		requests = usage_daily.requests + excluded.requests,
		held_requests = usage_daily.held_requests + excluded.held_requests,
		granted_requests = usage_daily.granted_requests + excluded.granted_requests,
		tokens = usage_daily.tokens + excluded.tokens,
		held_tokens = usage_daily.held_tokens + excluded.held_tokens,
		granted_tokens = usage_daily.granted_tokens + excluded.granted_tokens,
		cost = usage_daily.cost + excluded.cost,
		held_cost = usage_daily.held_cost + excluded.held_cost,
		granted_cost = usage_daily.granted_cost + excluded.granted_cost,
		input = usage_daily.input + excluded.input,
		output = usage_daily.output + excluded.output
	RETURNING scope, subject, model, day, requests, tokens, cost, max_requests, max_tokens, max_cost`
})

// budgetColumns are the columns that name a row of usage_daily.
const budgetColumns = 4

// maxRows is above the budgets that one request can be limited by: four ceilings (all or guests,
// model or everything), or two with the person's own and a purse or credit, and one key.
const maxRows = 8

// perRowCount keeps the text of a multi-row statement for each number of rows, so that the store
// can keep it prepared.
func perRowCount(build func(n int) string) func(int) string {
	var texts [maxRows + 1]string
	for n := 1; n <= maxRows; n++ {
		texts[n] = build(n)
	}
	return func(n int) string { return texts[n] }
}

// valuesList writes rows of numbered parameters; the leading texts columns
// are cast to text and the others to numbers, which PostgreSQL cannot guess in a VALUES list.
func valuesList(rows, columns, texts int) string {
	var b strings.Builder
	p := 1
	for r := range rows {
		if r > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('(')
		for c := range columns {
			if c > 0 {
				b.WriteString(", ")
			}
			kind := "BIGINT"
			if c < texts {
				kind = "TEXT"
			}
			b.WriteString("CAST($" + strconv.Itoa(p) + " AS " + kind + ")")
			p++
		}
		b.WriteByte(')')
	}
	return b.String()
}
