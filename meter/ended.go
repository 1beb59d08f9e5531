package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// ended is a hold as its end found it.
type ended struct {
	id, request, person, model, day string
	accepted                        bool
	observed                        Usage
	terms                           terms
}

const endedColumns = `id, request, person, model, day, accepted, observed_input, observed_output, terms`

func scanEnded(r *sql.Rows) (ended, error) {
	var h ended
	var text string
	err := r.Scan(&h.id, &h.request, &h.person, &h.model, &h.day,
		&h.accepted, &h.observed.Input, &h.observed.Output, &text)
	if err != nil {
		return h, err
	}
	if h.terms, err = decodeTerms(text); err != nil {
		return h, fmt.Errorf("decode the hold %s: %w", h.id, err)
	}
	return h, nil
}

// end moves a hold from one state to another and locks it; ok is false if it was not in that state.
func (m *Meter) end(ctx context.Context, tx Tx, id, from, to string) (h ended, ok bool, err error) {
	rows, err := tx.QueryContext(ctx, `
		UPDATE holds SET state = $1 WHERE id = $2 AND state = $3
		RETURNING `+endedColumns, to, id, from)
	got, err := collect(rows, err, scanEnded)
	if err != nil {
		return h, false, fmt.Errorf("end the hold: %w", err)
	}
	if len(got) == 0 {
		return h, false, nil
	}
	return got[0], true, nil
}

// endOpen is end for an open hold. The meter that made it remembers on what: to read it back costs more
// than to end it.
func (m *Meter) endOpen(ctx context.Context, tx Tx, id, to string) (h ended, ok bool, err error) {
	made, known := m.open.Load(id)
	if !known {
		return m.end(ctx, tx, id, "open", to)
	}
	res, err := tx.ExecContext(ctx, `UPDATE holds SET state = $1 WHERE id = $2 AND state = 'open'`, to, id)
	if err != nil {
		return h, false, fmt.Errorf("end the hold: %w", err)
	}
	n, err := res.RowsAffected()
	return *made.(*ended), n == 1, err
}

func (h ended) entry(v verb, u Usage, p Provenance, changes []change) entry {
	return entry{verb: v, hold: h.id, request: h.request, person: h.person, model: h.model, day: h.day,
		provenance: p, usage: u, cost: h.terms.Price.Cost(u), changes: changes}
}

// book turns held into counted.
func (h ended) book(u Usage) []change {
	changes := h.giveBack()
	for i, p := range h.terms.Parts {
		changes[i].Used = p.Counts.amount(u, h.terms.Price)
		changes[i].Input, changes[i].Output = u.Input, u.Output
	}
	return changes
}

// giveBack turns held into nothing.
func (h ended) giveBack() []change {
	changes := make([]change, len(h.terms.Parts))
	for i, p := range h.terms.Parts {
		changes[i] = change{budget: p.budget, Held: Amount{}.minus(p.Amount)}
	}
	return changes
}

// correction is the ledger entry of what usage is beyond what was booked when the hold expired.
func (h ended) correction(u Usage, p Provenance) entry {
	booked := h.bookedAtExpiry()
	beyond := Usage{Input: u.Input - booked.Input, Cached: u.Cached, Written: u.Written, Output: u.Output - booked.Output}
	e := h.entry(verbCorrect, beyond, p, h.book(u))
	e.cost = h.terms.Price.Cost(u) - h.terms.Price.Cost(booked)
	for i, p := range h.terms.Parts {
		c := &e.changes[i]
		c.Held = Amount{} // given back when the hold expired
		c.Input, c.Output = beyond.Input, beyond.Output
		if h.accepted {
			c.Used = c.Used.minus(p.Counts.amount(booked, h.terms.Price))
		}
	}
	return e
}

// bookedAtExpiry is what a hold was booked with when it expired: what was observed, once the
// provider had accepted the request.
func (h ended) bookedAtExpiry() Usage {
	if h.accepted {
		return h.observed
	}
	return Usage{}
}
