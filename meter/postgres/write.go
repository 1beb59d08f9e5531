package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"perdiem/meter"
)

const (
	writeWithin = 10 * time.Second // how long one try may take, its waits for rows included
	tries       = 8
	firstPause  = 5 * time.Millisecond // between tries; doubled each time, and drawn at random below that
)

// Write runs do in a transaction of its own. If ctx ends before do was begun, it is not run; once
// begun, Write waits for its end. Where the connection is lost during the commit, the error leaves
// open whether it stands: a verb for the same hold finds out, and a hold that nobody knows of expires.
func (s *Store) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	if err := s.clock.check(); err != nil {
		return err
	}
	pause := firstPause
	for try := 1; ; try++ {
		err := s.transact(ctx, do)
		if !mayRetry(err) || try == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(rand.N(pause)):
			pause *= 2
		}
	}
}

func (s *Store) transact(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done(): // the caller left while it waited
		return ctx.Err()
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeWithin)
	defer cancel()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("begin a write: %w: %w", errStale, err)
	}
	if err != nil {
		return fmt.Errorf("begin a write: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing after a commit; needed even if do panics
	if err := do(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// errStale is a connection of the pool that was lost while it was idle, as all are when the server
// starts anew. Nothing was begun on it, and the pool drops it.
var errStale = errors.New("the connection was lost")

// mayRetry tells whether nothing stands of a transaction, for a reason that a new one may not meet.
func mayRetry(err error) bool {
	if errors.Is(err, errStale) {
		return true
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40P01", // deadlock: one of two has to give way
		"40001", // could not be serialized
		"23505": // another made the same row a moment ago; do looks first, and will see it now
		return true
	}
	return false
}
