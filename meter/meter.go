// Package meter decides who may spend what today, and remembers what was spent.
//
// It knows people, passes, allowances, budgets, holds, the ledger and refusals. It knows no
// provider, no HTTP and no database driver: it runs its SQL over a [Store].
//
// Invariants, each checked by tests:
//
//   - Counted plus held never rises above a limit through a hold: one statement checks and holds
//     every budget of a request, or none.
//   - A hold ends in exactly one of settle, release, expire. A settle after an expire books only
//     the difference to the true count.
//   - usage_daily equals the fold of the ledger, which is only ever appended to.
//   - A hold settles on the day it was made.
package meter

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// HoldTTL is how long a hold lives after its last touch before it expires by itself.
const HoldTTL = 15 * time.Minute

// What was wrong with a request to the meter's books; test with [errors.Is].
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrInvalid  = errors.New("not valid")
)

// Tx is what the meter asks of a transaction, in the shapes of database/sql.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Store is one database. Write runs do in a transaction of its own that is durable when Write
// returns nil; do may run more than once, so it must only set what it returns. The context that
// do gets does not end with the caller's.
type Store interface {
	Write(ctx context.Context, do func(context.Context, Tx) error) error
	Read() Tx
	// Figure reads the one number that a query without arguments gives: what every call asks for goes by it.
	Figure(ctx context.Context, query string) (int64, error)
	// Snapshot runs do on one unchanging view of the database, which others may go on writing to.
	Snapshot(ctx context.Context, do func(context.Context, Tx) error) error
	// Changed is a figure that differs after any commit, of this process or another.
	Changed(ctx context.Context) (uint64, error)
	// Alone tells whether writes run one after the other, so that what one reads stands until it ends.
	Alone() bool
	// Gone tells whether the gateway process of that id has ended, so that its holds are nobody's;
	// it cannot come back before tx ends.
	Gone(ctx context.Context, tx Tx, gateway string) (bool, error)
}

// Options are the meter's surroundings; zero values mean the real ones.
type Options struct {
	Now     func() time.Time // the clock; time.Now by default
	Gateway string           // this process's id, fresh at every start
	// SharedRates counts rates in the store, where several gateways serve one.
	SharedRates bool
}

// Meter holds, settles and reports. Its methods are safe for concurrent use.
type Meter struct {
	store   Store
	now     func() time.Time
	gateway string
	rates   guard
	uses    passUses
	nextDue atomic.Int64 // Unix milliseconds, before which no hold expires

	open sync.Map // of this meter's own holds that are open, by id: what they were made on, as *ended

	ends daySums // of the day that was last asked for

	team     atomic.Pointer[Team] // the latest edition that was read
	teamRead sync.Mutex

	sharedRates bool
}

// New returns a meter over store.
func New(store Store, o Options) *Meter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Gateway == "" {
		o.Gateway = uuid.NewString()
	}
	return &Meter{store: store, now: o.Now, gateway: o.Gateway, sharedRates: o.SharedRates}
}

// Changed is a figure that differs after any change to the books, also one that another process
// made; faces poll it instead of reading everything again.
func (m *Meter) Changed(ctx context.Context) (uint64, error) { return m.store.Changed(ctx) }

// Now is the meter's clock.
func (m *Meter) Now() time.Time { return m.now() }

// Day names the UTC day of t, as it stands in the database.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// ResetsAt is the first 00:00 UTC after t, when daily budgets start afresh.
func ResetsAt(t time.Time) time.Time {
	y, mon, d := t.UTC().Date()
	return time.Date(y, mon, d+1, 0, 0, 0, 0, time.UTC)
}
