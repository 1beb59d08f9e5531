package meter

import (
	"context"
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
	if err := apply(ctx, tx, e.changes); err != nil {
		return err
	}
	return m.append(ctx, tx, e)
}

// append writes an entry whose changes already stand. It is the only writer of the ledger.
func (m *Meter) append(ctx context.Context, tx Tx, e entry) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO ledger (at, verb, hold, request, person, model, day, provenance, requests, input, cached, output, cost, note, changes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		millis(m.now()), string(e.verb), e.hold, e.request, e.person, e.model, e.day, string(e.provenance),
		e.requests(), e.usage.Input, e.usage.Cached, e.usage.Output, e.cost, e.note, encodeChanges(e.changes))
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

// apply adds to rows of usage_daily, in the changes' order, which is the locking order.
func apply(ctx context.Context, tx Tx, changes []change) error {
	statement, args := usageSQL, make([]any, 0, len(changes)*(budgetColumns+len(usageColumns)))
	for _, c := range changes {
		args = append(args, string(c.Scope), c.Subject, c.Model, c.Day)
		if c.Granted != (Amount{}) { // never together with usage
			statement, args = grantSQL, append(args, c.Granted.Requests, c.Granted.Tokens, c.Granted.Cost)
			continue
		}
		args = append(args, c.Used.Requests, c.Held.Requests, c.Used.Tokens, c.Held.Tokens, c.Used.Cost, c.Held.Cost, c.Input, c.Output)
	}
	if _, err := tx.ExecContext(ctx, statement(len(changes)), args...); err != nil {
		return fmt.Errorf("add to the day's usage: %w", err)
	}
	return nil
}

// usageSQL and grantSQL are the additive upserts. Grants go by one of their own: three columns less in
// each settle's.
var (
	usageColumns = []string{"requests", "held_requests", "tokens", "held_tokens", "cost", "held_cost", "input", "output"}
	usageSQL     = addSQL(usageColumns)
	grantSQL     = addSQL([]string{"granted_requests", "granted_tokens", "granted_cost"})
)

func addSQL(columns []string) func(n int) string {
	sums := make([]string, len(columns))
	for i, c := range columns {
		sums[i] = c + " = usage_daily." + c + " + excluded." + c
	}
	picked := make([]string, budgetColumns+len(columns))
	for i := range picked {
		picked[i] = "w.column" + strconv.Itoa(i+1)
	}
	return perRowCount(func(n int) string {
		return `
		INSERT INTO usage_daily (scope, subject, model, day, ` + strings.Join(columns, ", ") + `)
		SELECT ` + strings.Join(picked, ", ") + ` FROM (VALUES ` + valuesList(n, len(picked), budgetColumns) + `) AS w
		WHERE TRUE
		ON CONFLICT (scope, subject, model, day) DO UPDATE SET ` + strings.Join(sums, ", ")
	})
}

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
