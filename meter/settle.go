package meter

import (
	"context"
	"fmt"
)

// maxTokens is above any request that ever was; a larger figure is a fault, not usage.
const maxTokens = 1 << 40

// Settle ends a hold with the true count, even where that is above what was held. A hold that had
// expired meanwhile is corrected by the difference. Settling again, or after a release, changes
// nothing and is no error.
func (m *Meter) Settle(ctx context.Context, holdID string, u Usage, p Provenance) error {
	return m.SettleWith(ctx, holdID, u, p, nil)
}

// SettleWith is Settle that also keeps what was answered for a retry with the same idempotency key,
// in one transaction. Without an answer, the key is free again.
func (m *Meter) SettleWith(ctx context.Context, holdID string, u Usage, p Provenance, a *Answer) error {
	for _, n := range [...]int64{u.Input, u.Cached, u.Written, u.Output} {
		if n < 0 || n > maxTokens {
			return fmt.Errorf("settle %+v: %w", u, ErrInvalid)
		}
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		h, ok, err := m.endOpen(ctx, tx, holdID, "settled")
		if err != nil {
			return err
		}
		if ok {
			if err := completeKey(ctx, tx, h, a); err != nil {
				return err
			}
			return m.book(ctx, tx, h.entry(verbSettle, u, p, h.book(u)))
		}
		h, ok, err = m.end(ctx, tx, holdID, "expired", "corrected")
		if err != nil {
			return err
		}
		if ok {
			return m.book(ctx, tx, h.correction(u, p))
		}
		_, err = stateOf(ctx, tx, holdID)
		return err
	})
	if err == nil {
		m.open.Delete(holdID)
	}
	return err
}

// Release ends a hold that cost nothing. Why is a short word for the ledger. Releasing again, or
// after any other end, changes nothing and is no error.
func (m *Meter) Release(ctx context.Context, holdID, why string) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		h, ok, err := m.endOpen(ctx, tx, holdID, "released")
		if err != nil {
			return err
		}
		if ok {
			if err := freeKey(ctx, tx, h); err != nil {
				return err
			}
			e := h.entry(verbRelease, Usage{}, "", h.giveBack())
			e.note = why
			return m.book(ctx, tx, e)
		}
		_, err = stateOf(ctx, tx, holdID)
		return err
	})
	if err == nil {
		m.open.Delete(holdID)
	}
	return err
}

// stateOf reads a hold's state.
func stateOf(ctx context.Context, tx Tx, holdID string) (string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT state FROM holds WHERE id = $1`, holdID)
	found, err := collect(rows, err, column[string])
	if err != nil {
		return "", fmt.Errorf("look for the hold: %w", err)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("hold %q: %w", holdID, ErrNotFound)
	}
	return found[0], nil
}
