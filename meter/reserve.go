package meter

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Request is what a caller is about to ask of a provider.
type Request struct {
	ID        string // the request's id, for the books
	PersonID  string // empty for a guest
	PassID    string // the pass it came with; its last use is noted
	Model     string // the model's own id, never an alias
	Input     int64  // tokens of the prompt, estimated
	Output    int64  // tokens of room wanted for all replies together
	MinOutput int64  // the least room that is still useful; equal to Output if it must not be cut
	Counts    Counts // how tokens count against the person's allowance
	Price     *Price // nil if unknown
}

// Hold is what a running request has reserved.
type Hold struct {
	ID     string
	Day    string // the UTC day it counts on, whenever it ends
	Input  int64
	Output int64 // room held for all replies together; less than asked where Cut
	// Limited tells that a token or money budget applies, so the reply's cap must be written.
	Limited bool
	Cut     bool
	// Budget is the person's own budget on the model just after this hold; zero for a guest.
	Budget Left
}

// Left is how much of a budget is used or held, and its limits; nil is no limit.
type Left struct {
	Requests, Tokens       int64
	MaxRequests, MaxTokens *int64
}

// terms are what a hold was made on; its end is computed from them and from nothing newer.
type terms struct {
	Parts []part `json:"parts"`
	Price *Price `json:"price,omitempty"`
}

// part is what a hold took of one budget, and how that budget counts.
type part struct {
	budget
	Amount
	Counts Counts `json:"counts"`
}

// Reserve checks and holds every budget of the request in one statement, or nothing at all. The
// error is a [*Refusal] where a budget has no room, the person may not use the model or is
// suspended; any other error means that the books could not be written and the provider must not
// be called.
func (m *Meter) Reserve(ctx context.Context, r Request) (Hold, error) {
	if r.Input < 0 || r.Output < 0 || r.MinOutput < 0 || r.MinOutput > r.Output {
		return Hold{}, fmt.Errorf("hold of %d+%d tokens, at least %d: %w", r.Input, r.Output, r.MinOutput, ErrInvalid)
	}
	var hold Hold
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		now := m.now()
		if err := m.expireDue(ctx, tx, now); err != nil {
			return err
		}
		var err error
		hold, err = m.reserve(ctx, tx, r, now)
		return err
	})
	if err != nil {
		return Hold{}, m.addressed(err, r)
	}
	return hold, nil
}

func (m *Meter) reserve(ctx context.Context, tx Tx, r Request, now time.Time) (Hold, error) {
	day := Day(now)
	who, err := readCaller(ctx, tx, r.PersonID)
	if err != nil {
		return Hold{}, err
	}
	if who.suspended {
		return Hold{}, m.refuse(PersonSuspended, now)
	}
	limits, err := resolve(ctx, tx, who, r.Model, day)
	if err != nil {
		return Hold{}, err
	}
	if who.guest() && !limits.open(r.Model) || !who.guest() && !limits.allowed() {
		return Hold{}, m.refuse(ModelNotAllowed, now)
	}
	wants := limits.wants(who, r.Model, r.Counts)
	if r.Price == nil {
		for _, w := range wants {
			if w.caps.CostMicroUSD != nil {
				return Hold{}, m.refuse(PriceUnknown, now)
			}
		}
	}
	output, parts, own, err := holdRoom(ctx, tx, wants, r, day)
	if short := (*shortfall)(nil); errors.As(err, &short) {
		return Hold{}, m.refuseShort(short, now)
	}
	if err != nil {
		return Hold{}, err
	}
	hold := Hold{ID: newID(), Day: day, Input: r.Input, Output: output, Cut: output < r.Output}
	hold.Budget = Left{own.Requests, own.Tokens, limits.allowance.Requests, limits.allowance.Tokens}
	for _, w := range wants {
		hold.Limited = hold.Limited || w.caps.tokensOrCost()
	}
	return hold, m.writeHold(ctx, tx, hold, r, parts, now)
}

// holdRoom runs the one statement with the whole reply's room and, where that does not fit but a
// useful reply does, again with less. The room only shrinks, so this ends. It gives the room held,
// the parts, and what stands in the person's own budget then.
func holdRoom(ctx context.Context, tx Tx, wants []want, r Request, day string) (int64, []part, Amount, error) {
	for output := r.Output; ; {
		usage := Usage{Input: r.Input, Output: output}
		parts := make([]part, len(wants))
		for i, w := range wants {
			parts[i] = part{w.budget, w.counts.amount(usage, r.Price), w.counts}
		}
		if _, err := tx.ExecContext(ctx, "SAVEPOINT budgets"); err != nil {
			return 0, nil, Amount{}, fmt.Errorf("mark before the hold: %w", err)
		}
		got, err := holdParts(ctx, tx, wants, parts, day)
		if err != nil {
			return 0, nil, Amount{}, err
		}
		if len(got) == len(wants) {
			_, err = tx.ExecContext(ctx, "RELEASE SAVEPOINT budgets")
			return output, parts, got[own(r)], err
		}
		// The figures are read before the rollback, while the rows are locked.
		short, err := readShortfall(ctx, tx, wants, parts, got, r, day)
		if err != nil {
			return 0, nil, Amount{}, err
		}
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT budgets"); err != nil {
			return 0, nil, Amount{}, fmt.Errorf("undo a part of the hold: %w", err)
		}
		if _, err := tx.ExecContext(ctx, "RELEASE SAVEPOINT budgets"); err != nil {
			return 0, nil, Amount{}, fmt.Errorf("undo a part of the hold: %w", err)
		}
		if short.outputRoom < r.MinOutput || short.outputRoom >= output {
			return 0, nil, Amount{}, short
		}
		output = short.outputRoom
	}
}

// own is the budget of a request's person on its model.
func own(r Request) budget { return budget{ScopePerson, r.PersonID, r.Model} }

const holdColumns = 9

// holdSQL is the one statement that checks and holds n budgets. It reads columns of usage_daily
// alone: a subquery on another table would see an older snapshot than the locked row on
// PostgreSQL's READ COMMITTED, and overspend.
var holdSQL = perRowCount(func(n int) string {
	return `
	INSERT INTO usage_daily (scope, subject, model, day, held_requests, held_tokens, held_cost,
		max_requests, max_tokens, max_cost)
	SELECT w.column1, w.column2, w.column3, $1, w.column4, w.column5, w.column6, w.column7, w.column8, w.column9
	FROM (VALUES ` + valuesList(n, 2, holdColumns, 3) + `) AS w
	WHERE (w.column7 IS NULL OR w.column4 <= w.column7)
		AND (w.column8 IS NULL OR w.column5 <= w.column8)
		AND (w.column9 IS NULL OR w.column6 <= w.column9)
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
	RETURNING scope, subject, model, requests + held_requests, tokens + held_tokens, cost + held_cost`
})

// holdParts runs the one statement and tells which budgets had room, and what stands in them now.
func holdParts(ctx context.Context, tx Tx, wants []want, parts []part, day string) (map[budget]Amount, error) {
	args := make([]any, 0, 1+len(wants)*holdColumns)
	args = append(args, day)
	for i, w := range wants {
		args = append(args, w.Scope, w.Subject, w.Model,
			parts[i].Requests, parts[i].Tokens, parts[i].Cost,
			w.caps.Requests, w.caps.Tokens, w.caps.CostMicroUSD)
	}
	rows, err := tx.QueryContext(ctx, holdSQL(len(wants)), args...)
	had := make(map[budget]Amount, len(wants))
	err = forEach(rows, err, func(r *sql.Rows) error {
		var b budget
		var a Amount
		err := r.Scan(&b.Scope, &b.Subject, &b.Model, &a.Requests, &a.Tokens, &a.Cost)
		had[b] = a
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check and hold the day's budgets: %w", err)
	}
	return had, nil
}

// writeHold notes the hold beside what it took, and in the ledger.
func (m *Meter) writeHold(ctx context.Context, tx Tx, h Hold, r Request, parts []part, now time.Time) error {
	text, err := json.Marshal(terms{Parts: parts, Price: r.Price})
	if err != nil {
		return fmt.Errorf("encode the hold: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO holds (id, request, person, model, day, gateway, state, created_at, expires_at, input, output, terms)
		VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11)`,
		h.ID, r.ID, r.PersonID, r.Model, h.Day, m.gateway,
		millis(now), millis(now.Add(HoldTTL)), h.Input, h.Output, string(text))
	if err != nil {
		return fmt.Errorf("write the hold: %w", err)
	}
	if err := notePassUse(ctx, tx, r.PassID, now); err != nil {
		return err
	}
	changes := make([]change, len(parts))
	for i, p := range parts {
		changes[i] = change{budget: p.budget, Held: p.Amount}
	}
	usage := Usage{Input: h.Input, Output: h.Output}
	return m.append(ctx, tx, entry{
		verb: verbReserve, hold: h.ID, request: r.ID, person: r.PersonID, model: r.Model, day: h.Day,
		usage: usage, cost: r.Price.Cost(usage), changes: changes,
	})
}

// newID is a fresh id that sorts by time, so that new rows go to the end of an index.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
