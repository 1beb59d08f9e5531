package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Idempotency is a caller's key for one request, and a hash of its parameters.
type Idempotency struct {
	Key  string
	Hash string
}

// Answer is what was answered to a request, to answer its retry with.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Replay is the error of a Reserve whose request was answered before: nothing was held.
type Replay struct{ Answer Answer }

func (*Replay) Error() string { return "this request was answered before" }

// The reasons around idempotency keys.
const (
	InProgress    Reason = "IN_PROGRESS"     // the same request runs at this moment
	KeyReused     Reason = "KEY_REUSED"      // the key came with other parameters before
	AnswerNotKept Reason = "ANSWER_NOT_KEPT" // it was answered before, at too great a length to keep
)

const (
	keyLifetime = 24 * time.Hour
	// MaxAnswer bounds the answer that is kept for a retry, in bytes. A retry of a longer one is
	// refused rather than charged again.
	MaxAnswer     = 1 << 20
	inProgressFor = 2 * time.Second // how long the retry of a running request is told to wait
)

// keyed tells whether a request's key counts: only a person's does.
func (r Request) keyed() bool { return r.Idempotency != nil && r.PersonID != "" }

// claimKey makes the hold the owner of its request's key, or tells why it cannot be. It is a part of
// the hold's transaction, so that no two requests with one key ever hold anything.
func (m *Meter) claimKey(ctx context.Context, tx Tx, r Request, holdID string, now time.Time) error {
	if !r.keyed() {
		return nil
	}
	rows, err := tx.QueryContext(ctx, `
		INSERT INTO idempotency (person, request_key, hash, hold, done, created_at) VALUES ($1, $2, $3, $4, 0, $5)
		ON CONFLICT (person, request_key) DO UPDATE SET
			hash = excluded.hash, hold = excluded.hold, done = 0, created_at = excluded.created_at,
			status = 0, content_type = '', body = NULL
		WHERE idempotency.created_at <= $6
		RETURNING hold`,
		r.PersonID, r.Idempotency.Key, r.Idempotency.Hash, holdID, millis(now), millis(now.Add(-keyLifetime)))
	claimed, err := collect(rows, err, column[string])
	if err != nil {
		return fmt.Errorf("claim the idempotency key: %w", err)
	}
	if len(claimed) == 1 {
		return nil
	}
	return m.earlier(ctx, tx, r, now)
}

// earlier tells what became of the request that has the key.
func (m *Meter) earlier(ctx context.Context, tx Tx, r Request, now time.Time) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT hash, done, status, content_type, body FROM idempotency WHERE person = $1 AND request_key = $2`,
		r.PersonID, r.Idempotency.Key)
	var hash string
	var done bool
	var a Answer
	err = forEach(rows, err, func(r *sql.Rows) error {
		return r.Scan(&hash, &done, &a.Status, &a.ContentType, &a.Body)
	})
	switch {
	case err != nil:
		return fmt.Errorf("read the idempotency key: %w", err)
	case hash != r.Idempotency.Hash:
		return m.refuse(KeyReused, now)
	case !done:
		no := m.refuse(InProgress, now)
		no.Figures.RetryAfterMSec = inProgressFor.Milliseconds()
		return no
	case a.Status == 0:
		return m.refuse(AnswerNotKept, now)
	default:
		return &Replay{a}
	}
}

// completeKey stores the answer with the key of a hold that ends; only the hold that has the key can.
func completeKey(ctx context.Context, tx Tx, h ended, a *Answer) error {
	var err error
	switch {
	case !h.terms.Keyed:
	case a == nil:
		return freeKey(ctx, tx, h)
	case len(a.Body) > MaxAnswer:
		_, err = tx.ExecContext(ctx, `UPDATE idempotency SET done = 1 WHERE hold = $1`, h.id)
	default:
		_, err = tx.ExecContext(ctx, `
			UPDATE idempotency SET done = 1, status = $1, content_type = $2, body = $3 WHERE hold = $4`,
			a.Status, a.ContentType, a.Body, h.id)
	}
	if err != nil {
		return fmt.Errorf("keep the answer for a retry: %w", err)
	}
	return nil
}

// freeKey lets a key be used anew: nothing came of its request.
func freeKey(ctx context.Context, tx Tx, h ended) error {
	if !h.terms.Keyed {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM idempotency WHERE hold = $1`, h.id); err != nil {
		return fmt.Errorf("free the idempotency key: %w", err)
	}
	return nil
}
