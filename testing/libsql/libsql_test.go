package libsql

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/migrations"
)

func TestTheMeterOnLibSQL(t *testing.T) {
	e := start(t)
	// In a group, so that the cases, which run side by side, end before the engine does.
	t.Run("all", func(t *testing.T) {
		metertest.Run(t, func(t metertest.T) meter.Store { return open(t, e) })
	})
}

// store is the simplest that can be: one connection that writes, in its turn, and others that read.
type store struct {
	mu    sync.Mutex
	write *sql.DB
	read  *sql.DB
}

func open(t metertest.T, e *engine) meter.Store {
	t.Helper()
	dir, err := os.MkdirTemp("", "perdiem-")
	if err != nil {
		t.Fatal(err)
	}
	f := file{e, filepath.Join(dir, "perdiem.db")}
	s := &store{write: f.open(), read: f.open()}
	s.write.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := errors.Join(s.write.Close(), s.read.Close(), os.RemoveAll(dir)); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	scripts := migrations.Engine{Script: func(ctx context.Context, tx *sql.Tx, text string) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	}}
	err = migrations.Run(context.Background(), s.write, scripts, []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *store) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := do(ctx, conn); err != nil {
		_, undo := conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, undo)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

func (s *store) Read() meter.Tx { return s.read }

func (s *store) Figure(ctx context.Context, query string) (n int64, err error) {
	err = s.Read().QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

func (s *store) Snapshot(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, tx), tx.Rollback())
}

func (s *store) Changed(ctx context.Context) (version uint64, err error) {
	err = s.read.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

func (s *store) Alone() bool { return false }

func (s *store) Gone(context.Context, meter.Tx, string) (bool, error) { return true, nil }

func TestTheEngineIsLibSQLs(t *testing.T) {
	s := open(t, start(t))
	// SQLite cannot change what a column is.
	err := s.Write(t.Context(), func(ctx context.Context, tx meter.Tx) error {
		_, err := tx.ExecContext(ctx, `ALTER TABLE limits ALTER COLUMN max_cost TO max_cost BIGINT CHECK (max_cost <> 7)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seven := int64(7)
	purse := meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: &seven}
	if err := meter.New(s, meter.Options{}).SetPurse(t.Context(), purse); err == nil {
		t.Error("the changed column takes what it must not")
	}
}
