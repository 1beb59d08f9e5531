// Package registry keeps what the owner has set up: providers, the names of their keys, models and aliases.
//
// It runs its SQL over a Store that it does not know more of; the same text runs on SQLite and PostgreSQL.
//
// Invariants:
//   - No secret is stored: a key is an id, under which a keychain has the secret.
//   - A name, id or alias, means one model; it is compared exactly, so that no spelling slips past an allowance.
//   - What is stored was validated: names, base URLs and figures can be used as they are read.
package registry

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"
)

// Migrations make the tables; their set is called MigrationsName.
//
//go:embed migrations/*.sql
var Migrations embed.FS

// MigrationsName is under which name a store remembers which of the migrations ran.
const MigrationsName = "providers"

// What was wrong with a request; test with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("already exists")
	ErrInvalid  = errors.New("not valid")
)

// Tx is what the registry asks of a transaction, in the shapes of database/sql.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Store is one database. Write runs do in a transaction that is durable when Write returns nil; do may run twice.
type Store interface {
	Write(ctx context.Context, do func(context.Context, Tx) error) error
	Read() Tx
	// Figure reads the one number that a query without arguments gives: what every call asks for goes by it.
	Figure(ctx context.Context, query string) (int64, error)
}

// Registry reads and writes what the owner has set up. Its methods are safe for concurrent use.
type Registry struct {
	store  Store
	now    func() time.Time
	recent recent
}

// New returns a registry over store, in which Migrations have run. The clock stamps what is added; nil means time.Now.
func New(store Store, now func() time.Time) *Registry {
	if now == nil {
		now = time.Now
	}
	return &Registry{store: store, now: now}
}

// write runs do in one transaction, which makes a new edition of the tables, and says what was being done if it fails.
func (r *Registry) write(ctx context.Context, doing string, do func(context.Context, Tx) error) error {
	err := r.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		_, err := exec(ctx, tx, `UPDATE providers_edition SET n = n + 1`)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// insert runs an INSERT … ON CONFLICT DO NOTHING, and tells by ErrExists that something of that name is there.
func insert(ctx context.Context, tx Tx, what string, query string, args ...any) error {
	n, err := exec(ctx, tx, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", what, ErrExists)
	}
	return err
}

// change runs an UPDATE or DELETE, and tells by ErrNotFound that it met no row.
func change(ctx context.Context, tx Tx, what string, query string, args ...any) error {
	n, err := exec(ctx, tx, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return err
}

func exec(ctx context.Context, tx Tx, query string, args ...any) (int64, error) {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// scanner is a row, or the current one of many.
type scanner interface{ Scan(...any) error }

// list reads all rows of a query.
func list[T any](ctx context.Context, tx Tx, scan func(scanner) (T, error), query string, args ...any) (all []T, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Flags and times are written as whole numbers, which both databases read back alike.

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
