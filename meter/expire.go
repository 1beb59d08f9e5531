package meter

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Observed is what a running request has seen so far.
type Observed struct {
	Accepted bool  // the provider has accepted the request and will bill its prompt
	Input    int64 // tokens of the prompt, as best known
	Output   int64 // tokens delivered so far
}

// Touch keeps a running request's hold alive and notes what was observed, so that a crash books
// just that. It reports whether the hold was still open.
func (m *Meter) Touch(ctx context.Context, holdID string, o Observed) (bool, error) {
	var alive bool
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE holds SET expires_at = $1, accepted = $2, observed_input = $3, observed_output = $4
			WHERE id = $5 AND state = 'open'`,
			millis(m.now().Add(HoldTTL)), flag(o.Accepted), o.Input, o.Output, holdID)
		if err != nil {
			return fmt.Errorf("touch the hold: %w", err)
		}
		n, err := res.RowsAffected()
		alive = n == 1
		return err
	})
	return alive, err
}

// Expire ends every hold whose time is over and reports how many there were. Reserve does the same
// first, so that this is needed only for the figures of a quiet team to be right.
func (m *Meter) Expire(ctx context.Context) (int, error) {
	return m.inBatches(ctx, expireBatch, func(ctx context.Context, tx Tx) (int, error) {
		return m.expireSome(ctx, tx, `expires_at <= $1`, millis(m.now()))
	})
}

// Recover ends the holds that gateways which are gone left behind, and reports how many there were.
// On a store for one gateway, only that one may call it.
func (m *Meter) Recover(ctx context.Context) (int, error) {
	rows, err := m.store.Read().QueryContext(ctx, `SELECT DISTINCT gateway FROM holds WHERE state = 'open' AND gateway <> $1`, m.gateway)
	others, err := collect(rows, err, column[string])
	if err != nil {
		return 0, fmt.Errorf("look for holds of other gateways: %w", err)
	}
	total := 0
	for _, gateway := range others {
		n, err := m.inBatches(ctx, expireBatch, func(ctx context.Context, tx Tx) (int, error) {
			if gone, err := m.store.Gone(ctx, tx, gateway); err != nil || !gone {
				return 0, err
			}
			return m.expireSome(ctx, tx, `gateway = $1`, gateway)
		})
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// inBatches writes until there is no whole batch left to do.
func (m *Meter) inBatches(ctx context.Context, batch int, do func(context.Context, Tx) (int, error)) (int, error) {
	for total := 0; ; {
		var n int
		err := m.store.Write(ctx, func(ctx context.Context, tx Tx) (err error) {
			n, err = do(ctx, tx)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n < batch {
			return total, nil
		}
	}
}

// expireBatch bounds how long one transaction that ends holds can last.
const expireBatch = 100

// expireDue ends what is due, as a part of a hold's transaction. Once nothing is, nothing can be before
// the first open hold is, or before new ones could be: until then it asks nothing.
func (m *Meter) expireDue(ctx context.Context, tx Tx, now time.Time) error {
	if millis(now) < m.nextDue.Load() {
		return nil
	}
	n, err := m.expireSome(ctx, tx, `expires_at <= $1`, millis(now))
	if err != nil || n > 0 { // what was ended may be rolled back yet
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT COALESCE(MIN(expires_at), $1) FROM holds WHERE state = 'open'`, millis(now.Add(HoldTTL)))
	first, err := collect(rows, err, column[int64])
	if err != nil {
		return fmt.Errorf("look for the next hold to expire: %w", err)
	}
	// Half of a hold's life, since another gateway's clock may be behind.
	m.nextDue.Store(min(first[0], millis(now.Add(HoldTTL/2))))
	return nil
}

// expireSome ends open holds. What was observed moves to counted: the prompt once the provider had
// accepted it, and the output so far. Where the provider was never reached, all is given back. All
// the holds are locked, in the order of their ids, before any usage: a Settle that holds one of
// them then waits for usage rows that nobody keeps from it meanwhile.
func (m *Meter) expireSome(ctx context.Context, tx Tx, which string, arg any) (int, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT id FROM holds WHERE state = 'open' AND `+which+` ORDER BY expires_at LIMIT `+strconv.Itoa(expireBatch), arg)
	ids, err := collect(rows, err, column[string])
	if err != nil {
		return 0, fmt.Errorf("look for expired holds: %w", err)
	}
	// Sorted here and not there: by id, SQLite would walk through all holds that ever were.
	slices.Sort(ids)
	expired := make([]ended, 0, len(ids))
	for _, id := range ids {
		h, ok, err := m.end(ctx, tx, id, "open", "expired")
		if err != nil {
			return 0, err
		}
		if ok { // else ended meanwhile by its own request
			expired = append(expired, h)
			m.open.Delete(id) // should this be undone, its end asks the books
		}
	}
	for _, h := range expired {
		if err := freeKey(ctx, tx, h); err != nil {
			return 0, err
		}
		changes, provenance := h.giveBack(), Provenance("")
		if h.accepted {
			changes, provenance = h.book(h.observed), Counted
		}
		if err := m.book(ctx, tx, h.entry(verbExpire, h.bookedAtExpiry(), provenance, changes)); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
