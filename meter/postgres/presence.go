package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"perdiem/meter"
)

const (
	compareEvery   = 30 * time.Second // how often a present gateway compares the clocks
	reconnectEvery = time.Second
	enterWithin    = 10 * time.Second
)

// Enter makes this process a gateway of that id: present, until leave is called or the process
// ends in whatever way. The id must be fresh. While the connection is lost the gateway counts as
// gone, and others may end its holds; they are corrected when it settles them.
func (s *Store) Enter(ctx context.Context, gateway string) (leave func() error, err error) {
	conn, err := s.beginPresence(ctx, gateway)
	if err != nil {
		return nil, fmt.Errorf("enter the database as a gateway: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.stayPresent(ctx, conn, gateway)
	}()
	return func() error {
		cancel()
		<-done
		return nil
	}, nil
}

func (s *Store) beginPresence(ctx context.Context, gateway string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, enterWithin)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	// This waits for a Recover that ends what this gateway had before it lost its connection.
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, presenceLock(gateway)); err != nil {
		closePresence(ctx, conn)
		return nil, err
	}
	return conn, nil
}

// stayPresent keeps the lock's connection, and makes another when it breaks.
func (s *Store) stayPresent(ctx context.Context, conn *pgx.Conn, gateway string) {
	for {
		s.watch(ctx, conn)
		closePresence(ctx, conn)
		for {
			if ctx.Err() != nil {
				return
			}
			var err error
			if conn, err = s.beginPresence(ctx, gateway); err == nil {
				break
			}
			select {
			case <-ctx.Done():
			case <-time.After(reconnectEvery):
			}
		}
	}
}

// watch returns when the connection is lost or ctx ends. It listens for what never comes: so a
// connection that the server closes is noticed at once.
func (s *Store) watch(ctx context.Context, conn *pgx.Conn) {
	for ctx.Err() == nil {
		listening, stop := context.WithTimeout(ctx, compareEvery)
		_, err := conn.WaitForNotification(listening)
		timedOut := listening.Err() != nil
		stop()
		if err != nil && !timedOut {
			return
		}
		asking, stop := context.WithTimeout(ctx, enterWithin)
		err = s.clock.measure(func(micros *int64) error { return conn.QueryRow(asking, clockSQL).Scan(micros) })
		stop()
		if err != nil {
			return
		}
	}
}

// closePresence gives the lock back, which ends with its session.
func closePresence(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // broken or not, it is no longer used
}

// Alone is false: a row may change until it is locked.
func (s *Store) Alone() bool { return false }

// Gone tells whether no gateway of that id is present; none can come back until tx ends.
func (s *Store) Gone(ctx context.Context, tx meter.Tx, gateway string) (bool, error) {
	var gone bool
	// Shared, so that two that look at the same time do not take each other for the gateway.
	err := tx.QueryRowContext(ctx, `SELECT pg_try_advisory_xact_lock_shared($1)`, presenceLock(gateway)).Scan(&gone)
	if err != nil {
		return false, fmt.Errorf("look whether a gateway is present: %w", err)
	}
	return gone, nil
}

// presenceLock is the advisory lock of a gateway's id.
func presenceLock(gateway string) int64 {
	sum := sha256.Sum256([]byte("gateway " + gateway))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
