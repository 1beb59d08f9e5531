package meter

import (
	"context"
	"errors"
	"fmt"
)

// ErrEnded means that a hold has ended already.
var ErrEnded = errors.New("the hold has ended")

// Move swaps what an open hold reserved for what r needs, in one transaction: another key after a
// failure, or another model with its own estimate and price. The hold keeps its day and its id. The
// error is a [*Refusal] where the new budgets have no room; then the hold is as it was.
func (m *Meter) Move(ctx context.Context, holdID string, r Request) (Hold, error) {
	var moved Hold
	var now ended
	m.open.Delete(holdID) // where the answer to the commit is lost, the books alone know what is held
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		at := m.now()
		old, err := m.lockOpen(ctx, tx, holdID)
		if err != nil {
			return err
		}
		r.PersonID, r.ID = old.person, old.request
		back := old.giveBack()
		if err := apply(ctx, tx, back); err != nil {
			return err
		}
		f, err := m.findRoom(ctx, tx, r, old.day, at)
		if err != nil {
			return err
		}
		moved = f.asHold(holdID, old.day, r)
		now = old
		now.model, now.terms = r.Model, f.terms(old.terms.Keyed, r)
		_, err = tx.ExecContext(ctx, `UPDATE holds SET model = $1, input = $2, output = $3, terms = $4, expires_at = $5 WHERE id = $6`,
			r.Model, moved.Input, moved.Output, now.terms.encode(), millis(at.Add(HoldTTL)), holdID)
		if err != nil {
			return fmt.Errorf("write the moved hold: %w", err)
		}
		usage := Usage{Input: moved.Input, Output: moved.Output}
		return m.append(ctx, tx, entry{
			verb: verbMove, hold: holdID, request: old.request, person: old.person, model: r.Model, day: old.day,
			usage: usage, cost: r.Price.Cost(usage), changes: append(back, holdChanges(f.parts)...),
		})
	})
	if err != nil {
		return Hold{}, m.addressed(err, r)
	}
	m.open.Store(holdID, &now)
	return moved, nil
}

// lockOpen reads an open hold and locks it for the transaction.
func (m *Meter) lockOpen(ctx context.Context, tx Tx, holdID string) (ended, error) {
	rows, err := tx.QueryContext(ctx, `
		UPDATE holds SET state = 'open' WHERE id = $1 AND state = 'open' RETURNING `+endedColumns, holdID)
	got, err := collect(rows, err, scanEnded)
	if err != nil {
		return ended{}, fmt.Errorf("lock the hold: %w", err)
	}
	if len(got) == 0 {
		return ended{}, fmt.Errorf("hold %q: %w", holdID, ErrEnded)
	}
	return got[0], nil
}
