package meter

import (
	"context"
	"fmt"
	"time"
)

// KeepActivity is how long refusals, alerts and ended holds are kept by default. Usage and the
// ledger are kept for ever.
const KeepActivity = 90 * 24 * time.Hour

// pruneBatch bounds how long one transaction that deletes can last.
const pruneBatch = 500

// Prune deletes activity older than keep, and answers kept for retries beyond their day, in small
// steps, so that requests in between do not wait. It reports how many rows went.
func (m *Meter) Prune(ctx context.Context, keep time.Duration) (int, error) {
	now := m.now()
	old := millis(now.Add(-keep))
	total := 0
	for _, p := range []struct {
		table, key, which string
		arg               any
	}{
		{"refusals", "seq", "at < $1", old},
		{"alerts", "seq", "at < $1", old},
		{"holds", "id", "state <> 'open' AND id < $1", firstID(now.Add(-keep))},
		{"objects", "id", "created_at < $1", old},
		{"idempotency", "hold", "created_at < $1", millis(now.Add(-keyLifetime))},
	} {
		n, err := m.inBatches(ctx, pruneBatch, func(ctx context.Context, tx Tx) (int, error) {
			res, err := tx.ExecContext(ctx, fmt.Sprintf(
				`DELETE FROM %[1]s WHERE %[2]s IN (SELECT %[2]s FROM %[1]s WHERE %[3]s LIMIT %[4]d)`, p.table, p.key, p.which, pruneBatch), p.arg)
			if err != nil {
				return 0, err
			}
			n, err := res.RowsAffected()
			return int(n), err
		})
		total += n
		if err != nil {
			return total, fmt.Errorf("prune %s: %w", p.table, err)
		}
	}
	return total, nil
}
