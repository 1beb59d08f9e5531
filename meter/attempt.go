package meter

import (
	"context"
	"fmt"
)

// attempt is one try to find room in a set of budgets for a request.
type attempt struct {
	r     Request
	wants []want
}

// found is the room that an attempt held.
type found struct {
	output  int64 // tokens of output
	parts   []part
	own     Amount // what stands in the person's own budget now
	limited bool   // tokens or money are limited by some budget
	key     string // the provider key whose budget is a part
	team    *Team  // as it stood

	notedPass, savedRate bool // what the hold wrote besides
	credit               bool // credit pays, not the allowance

	allowance Caps // the person's own limits, grants included
}

// hold runs the one statement with the whole reply's room and, where that does not fit but a
// useful reply does, again with less. The room only shrinks, so this ends. The error is a
// *shortfall where there is no room; then nothing is held.
func (a attempt) hold(ctx context.Context, tx Tx) (found, error) {
	sortWants(a.wants)
	for output := a.r.Output; ; {
		f := a.parts(output)
		if err := exec(ctx, tx, "SAVEPOINT budgets"); err != nil {
			return found{}, err
		}
		all, err := a.try(ctx, tx, f.parts)
		if err != nil {
			return found{}, err
		}
		if all {
			return f, nil // the mark goes with the transaction; to take it off would keep the rows locked longer
		}
		if err := exec(ctx, tx, "ROLLBACK TO SAVEPOINT budgets"); err != nil {
			return found{}, err
		}
		had, err := a.tryTelling(ctx, tx, f.parts)
		if err != nil {
			return found{}, err
		}
		if len(had) == len(a.wants) {
			return f, nil // another gateway gave some back meanwhile
		}
		// The figures are read before the rollback, while the rows are locked.
		short, err := readShortfall(ctx, tx, a.wants, f.parts, had, a.r)
		if err != nil {
			return found{}, err
		}
		if err := exec(ctx, tx, "ROLLBACK TO SAVEPOINT budgets"); err != nil {
			return found{}, err
		}
		if err := exec(ctx, tx, "RELEASE SAVEPOINT budgets"); err != nil {
			return found{}, err
		}
		if short.outputRoom < a.r.MinOutput || short.outputRoom >= output {
			return found{}, short
		}
		output = short.outputRoom
	}
}

// parts is what each budget is asked for.
func (a attempt) parts(output int64) found {
	f := found{output: output, parts: make([]part, len(a.wants))}
	usage := Usage{Input: a.r.Input, Output: output}
	for i, w := range a.wants {
		f.parts[i] = part{w.budget, w.counts.amount(usage, a.r.Price), w.counts}
		f.limited = f.limited || w.caps.tokensOrCost()
		if w.Scope == ScopeKey {
			f.key = w.Subject
		}
	}
	return f
}

const holdColumns = 10

// holdSQL is the one statement that checks and holds n budgets. It reads columns of usage_daily
// alone: a subquery on another table would see an older snapshot than the locked row on
// PostgreSQL's READ COMMITTED, and overspend. Credit is limited by what was paid in, which stands
// in the row itself.
var holdSQL = perRowCount(func(n int) string {
	return `
	INSERT INTO usage_daily (scope, subject, model, day, held_requests, held_tokens, held_cost,
		max_requests, max_tokens, max_cost)
	SELECT w.column1, w.column2, w.column3, w.column4, w.column5, w.column6, w.column7, w.column8, w.column9, w.column10
	FROM (VALUES ` + valuesList(n, holdColumns, budgetColumns) + `) AS w
	WHERE (w.column8 IS NULL OR w.column5 <= w.column8)
		AND (w.column9 IS NULL OR w.column6 <= w.column9)
		AND (w.column10 IS NULL OR w.column7 <= w.column10)
	ON CONFLICT (scope, subject, model, day) DO UPDATE SET
		held_requests = usage_daily.held_requests + excluded.held_requests,
		held_tokens = usage_daily.held_tokens + excluded.held_tokens,
		held_cost = usage_daily.held_cost + excluded.held_cost,
		max_requests = excluded.max_requests,
		max_tokens = excluded.max_tokens,
		max_cost = excluded.max_cost
	WHERE (excluded.max_requests IS NULL
			OR usage_daily.requests + usage_daily.held_requests + excluded.held_requests <= excluded.max_requests)
		AND (excluded.max_tokens IS NULL
			OR usage_daily.tokens + usage_daily.held_tokens + excluded.held_tokens <= excluded.max_tokens)
		AND (excluded.max_cost IS NULL
			OR usage_daily.cost + usage_daily.held_cost + excluded.held_cost <= excluded.max_cost)
		AND (usage_daily.scope <> 'credit'
			OR usage_daily.cost + usage_daily.held_cost + excluded.held_cost <= usage_daily.granted_cost)`
})

// holdTellingSQL is holdSQL that tells which budgets had room. To return rows costs half of what it
// costs to write them, so it is asked only where some had none.
var holdTellingSQL = perRowCount(func(n int) string { return holdSQL(n) + ` RETURNING ` + keyColumn })

// try runs the one statement and tells whether every budget had room.
func (a attempt) try(ctx context.Context, tx Tx, parts []part) (bool, error) {
	res, err := tx.ExecContext(ctx, holdSQL(len(a.wants)), a.args(parts)...)
	if err != nil {
		return false, fmt.Errorf("check and hold the day's budgets: %w", err)
	}
	n, err := res.RowsAffected()
	return n == int64(len(a.wants)), err
}

// tryTelling runs the one statement and tells which budgets had room, by their keys.
func (a attempt) tryTelling(ctx context.Context, tx Tx, parts []part) (map[string]bool, error) {
	rows, err := tx.QueryContext(ctx, holdTellingSQL(len(a.wants)), a.args(parts)...)
	keys, err := collect(rows, err, column[string])
	if err != nil {
		return nil, fmt.Errorf("check and hold the day's budgets: %w", err)
	}
	had := make(map[string]bool, len(keys))
	for _, k := range keys {
		had[k] = true
	}
	return had, nil
}

func (a attempt) args(parts []part) []any {
	args := make([]any, 0, len(a.wants)*holdColumns)
	for i, w := range a.wants {
		args = append(args, string(w.Scope), w.Subject, w.Model, w.Day,
			parts[i].Requests, parts[i].Tokens, parts[i].Cost,
			orNull(w.caps.Requests), orNull(w.caps.Tokens), orNull(w.caps.CostMicroUSD))
	}
	return args
}

// orNull is a limit as drivers take it: what they do not have to look into is cheaper to hand over.
func orNull(limit *int64) any {
	if limit == nil {
		return nil
	}
	return *limit
}

// exec runs a statement that marks or undoes a part of a transaction.
func exec(ctx context.Context, tx Tx, statement string) error {
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("hold budgets together (%s): %w", statement, err)
	}
	return nil
}
