package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// WorstCase is a request that was booked at what its hold had reserved, since nobody saw its end.
type WorstCase struct {
	HoldID    string
	RequestID string
	At        time.Time
	PersonID  string // empty for a guest
	Model     string
	Usage     Usage
	CostMicro int64 // micro-dollars
}

// WorstCases lists a day's requests that were booked at the worst case and not given back, the
// newest first: their owner may know better.
func (m *Meter) WorstCases(ctx context.Context, day string) ([]WorstCase, error) {
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT l.hold, l.request, l.at, l.person, l.model, l.input, l.cached, l.output, l.cost
		FROM ledger l JOIN holds h ON h.id = l.hold
		WHERE l.day = $1 AND l.verb = 'settle' AND l.provenance = 'held' AND h.state = 'settled'
		ORDER BY l.seq DESC`, day)
	all, err := collect(rows, err, func(r *sql.Rows) (WorstCase, error) {
		var w WorstCase
		var at int64
		err := r.Scan(&w.HoldID, &w.RequestID, &at, &w.PersonID, &w.Model, &w.Usage.Input, &w.Usage.Cached, &w.Usage.Output, &w.CostMicro)
		w.At = fromMillis(at)
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("list what was booked at the worst case: %w", err)
	}
	return all, nil
}

// GiveBack takes a request that was booked at the worst case off its budgets again, wholly. Doing so
// twice changes nothing. The error is [ErrInvalid] for a request whose count is known.
func (m *Meter) GiveBack(ctx context.Context, holdID string) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		h, ok, err := m.end(ctx, tx, holdID, "settled", "returned")
		if err != nil {
			return err
		}
		if !ok {
			return mustBe(ctx, tx, holdID, "returned")
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT input, cached, output, changes FROM ledger
			WHERE day = $1 AND hold = $2 AND verb = 'settle' AND provenance = 'held'`, h.day, holdID)
		var booked Usage
		var changes []change
		err = forEach(rows, err, func(r *sql.Rows) error {
			var text string
			err := r.Scan(&booked.Input, &booked.Cached, &booked.Output, &text)
			if err == nil {
				changes, err = decodeChanges(text)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("read what was booked: %w", err)
		}
		if len(changes) == 0 {
			return fmt.Errorf("the count of this request is known: %w", ErrInvalid)
		}
		for i := range changes {
			c := &changes[i]
			c.Used, c.Held = Amount{}.minus(c.Used), Amount{}
			c.Input, c.Output = -c.Input, -c.Output
		}
		e := h.entry(verbReturn, Usage{Input: -booked.Input, Cached: -booked.Cached, Output: -booked.Output}, "", changes)
		e.cost = -h.terms.Price.Cost(booked)
		return m.book(ctx, tx, e)
	})
	if err != nil {
		return fmt.Errorf("give back: %w", err)
	}
	return nil
}

// mustBe is for a hold that was not in the state looked for: no error if what was asked is done.
func mustBe(ctx context.Context, tx Tx, holdID, done string) error {
	state, err := stateOf(ctx, tx, holdID)
	if err == nil && state != done {
		return fmt.Errorf("the request is %s: %w", state, ErrInvalid)
	}
	return err
}
