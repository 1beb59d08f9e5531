// Package postgres is the store for teams that outgrow one machine: several gateways on one
// PostgreSQL database, 13 or newer, with the same statements that run on SQLite.
//
// Invariants:
//
//   - A Write is one READ COMMITTED transaction that does not end with its caller's context. It is
//     run again where the database says that nothing of it stands and that a new try may succeed.
//   - A gateway is present for as long as its session holds its advisory lock; only the holds of
//     gateways that are gone may be ended for them.
//   - The meter's time is the database's, not the machine's; a machine whose clock is more than
//     5 seconds off is refused: [ErrDrift].
//   - A lost connection is an error at once and mends itself: the next Write connects anew.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"perdiem/meter"
	"perdiem/meter/migrations"
)

// Options name the database and the tables that must be in it.
type Options struct {
	URL        string // postgres://user:password@host/database, with libpq's parameters
	Migrations []migrations.Set
	Now        func() time.Time // this machine's clock; time.Now by default
}

const (
	// The team's own budget is a row that every request locks. More writers would only queue for it
	// in the database, which costs more than here: four do twice what sixteen do (testing/bench).
	writers        = 4
	readers        = 8
	connectTimeout = 3 * time.Second
	idleTimeout    = time.Minute
)

// Store is a database that several gateways share.
type Store struct {
	config *pgx.ConnConfig
	write  *sql.DB
	turns  chan struct{} // a writer each; who came first is next, which database/sql does not promise
	read   *sql.DB
	clock  *clock
}

var _ meter.Store = (*Store)(nil)

// Open connects, compares the clocks, and brings the tables up to date.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", err)
	}
	s, err := open(ctx, o, config)
	if err != nil {
		return nil, fmt.Errorf("open the database %s on %s: %w", config.Database, config.Host, err)
	}
	return s, nil
}

func open(ctx context.Context, o Options, config *pgx.ConnConfig) (_ *Store, err error) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	// A gateway that stands still, as a sleeping machine does, must not keep rows from the others.
	preset(config, "lock_timeout", writeWithin)
	preset(config, "idle_in_transaction_session_timeout", 2*writeWithin)
	reading := config.Copy()
	reading.RuntimeParams["default_transaction_read_only"] = "on"
	s := &Store{
		config: config, clock: &clock{machine: o.Now},
		write: pool(config, writers), turns: make(chan struct{}, writers), read: pool(reading, readers),
	}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	if err := s.clock.compare(ctx, s.read); err != nil {
		return nil, err
	}
	if err := s.clock.check(); err != nil {
		return nil, err
	}
	return s, migrations.Run(ctx, s.write, engine, o.Migrations, s.Now)
}

func preset(config *pgx.ConnConfig, name string, d time.Duration) {
	if config.RuntimeParams[name] == "" {
		config.RuntimeParams[name] = fmt.Sprint(d.Milliseconds())
	}
}

func pool(config *pgx.ConnConfig, size int) *sql.DB {
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	db.SetConnMaxIdleTime(idleTimeout)
	return db
}

// migrationLock is any number that nothing else locks by.
const migrationLock = 7427_0001

var engine = migrations.Engine{
	Lock: fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock),
	Script: func(ctx context.Context, tx *sql.Tx, text string) error {
		// The extended protocol takes one statement at a time.
		_, err := tx.ExecContext(ctx, text, pgx.QueryExecModeSimpleProtocol)
		return err
	},
}

// Now is the database's time.
func (s *Store) Now() time.Time { return s.clock.now() }

// Read is the pool for reading.
func (s *Store) Read() meter.Tx { return s.read }

// Figure reads one number.
func (s *Store) Figure(ctx context.Context, query string) (n int64, err error) {
	err = s.Read().QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

// Snapshot runs do on one view of the database.
func (s *Store) Snapshot(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return do(ctx, tx)
}

// Changed is a digest of which transactions are over. Every commit, of any gateway, takes its
// transaction off the running ones, so that no two moments with a commit between them look alike;
// it costs no write, and misses none as a sequence would, whose new value shows before its commit
// does. It also changes with what others do in the same server: a face then reads in vain.
func (s *Store) Changed(ctx context.Context) (uint64, error) {
	var snapshot string
	if err := s.read.QueryRowContext(ctx, `SELECT CAST(pg_current_snapshot() AS TEXT)`).Scan(&snapshot); err != nil {
		return 0, fmt.Errorf("look for changes: %w", err)
	}
	digest := fnv.New64a()
	_, _ = io.WriteString(digest, snapshot) // a hash never fails
	return digest.Sum64(), nil
}

// Close closes the connections. Writes that run are waited for.
func (s *Store) Close() error {
	return errors.Join(s.write.Close(), s.read.Close())
}
