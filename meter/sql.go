package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// millis is how the database keeps a time: Unix milliseconds.
func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func fromNullMillis(ms sql.NullInt64) *time.Time {
	if !ms.Valid {
		return nil
	}
	t := fromMillis(ms.Int64)
	return &t
}

func nullMillis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return millis(*t)
}

// flag is how the database keeps a yes or no.
func flag(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// forEach steps a query to its end. The end must be reached even where one row is expected: an
// unread RETURNING keeps SQLite's write-ahead log from being checkpointed.
func forEach(rows *sql.Rows, err error, do func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// collect scans every row of a query.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	var all []T
	err = forEach(rows, err, func(r *sql.Rows) error {
		one, err := scan(r)
		all = append(all, one)
		return err
	})
	return all, err
}

// column scans a row of one column.
func column[T any](r *sql.Rows) (T, error) {
	var v T
	err := r.Scan(&v)
	return v, err
}

// changeOne runs a change that must meet exactly one row, named for the error.
func (m *Meter) changeOne(ctx context.Context, doing, name string, do func(context.Context, Tx) (sql.Result, error)) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		res, err := do(ctx, tx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return fmt.Errorf("%q: %w", name, ErrNotFound)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func count(ctx context.Context, tx Tx, query string, args ...any) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}
