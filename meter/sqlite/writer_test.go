package sqlite_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

// counters is a table of one number for each name, to write to.
func counters(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	return openWith(t, path, migrations.Set{Name: "test", Files: fstest.MapFS{
		"0001_counters.sql": {Data: []byte(`CREATE TABLE counters (name TEXT PRIMARY KEY, n BIGINT NOT NULL CHECK (n < 1000), pad TEXT)`)},
	}})
}

func add(name string, n int) func(context.Context, meter.Tx) error {
	return func(ctx context.Context, tx meter.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO counters (name, n) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET n = counters.n + excluded.n`, name, n)
		return err
	}
}

func read(t *testing.T, s *sqlite.Store, name string) int {
	t.Helper()
	var n int
	err := s.Read().QueryRowContext(context.Background(), `SELECT COALESCE(SUM(n), 0) FROM counters WHERE name = $1`, name).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// blockWriter keeps the writer busy, so that what is written meanwhile waits for one batch.
func blockWriter(t *testing.T, s *sqlite.Store) (letGo func()) {
	t.Helper()
	busy, free := make(chan struct{}), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		err := s.Write(context.Background(), func(context.Context, meter.Tx) error {
			close(busy)
			<-free
			return nil
		})
		if err != nil {
			t.Errorf("the write that blocks: %v", err)
		}
	})
	<-busy
	return func() { close(free); done.Wait() }
}

func TestWritesInOneBatchDoNotUndoEachOther(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	fault := errors.New("fault")
	faults := map[string]func(context.Context, meter.Tx) error{
		"its own error": func(ctx context.Context, tx meter.Tx) error {
			return errors.Join(add("gone", 1)(ctx, tx), fault)
		},
		"a broken constraint": func(ctx context.Context, tx meter.Tx) error {
			return errors.Join(add("gone", 1)(ctx, tx), add("x", 5000)(ctx, tx))
		},
		"a panic": func(ctx context.Context, tx meter.Tx) error {
			_ = add("gone", 1)(ctx, tx)
			panic("fault")
		},
		"a panic in a statement": func(ctx context.Context, tx meter.Tx) error {
			_ = add("gone", 1)(ctx, tx)
			_, err := tx.ExecContext(ctx, `UPDATE counters SET pad = $1`, faulty{})
			return err
		},
		"a statement that is none": func(ctx context.Context, tx meter.Tx) error {
			_ = add("gone", 1)(ctx, tx)
			_, err := tx.ExecContext(ctx, "NONSENSE")
			return err
		},
	}
	letGo := blockWriter(t, s)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := s.Write(context.Background(), add("kept", 1)); err != nil {
				t.Errorf("a good write: %v", err)
			}
		})
		for name, do := range faults {
			all.Go(func() {
				if s.Write(context.Background(), do) == nil {
					t.Errorf("%s was not told", name)
				}
			})
		}
	}
	letGo()
	all.Wait()
	if kept, gone := read(t, s, "kept"), read(t, s, "gone"); kept != 20 || gone != 0 {
		t.Errorf("kept %d of 20, and %d of 0", kept, gone)
	}
}

// faulty is an argument that panics when it is looked at.
type faulty struct{}

func (faulty) Value() (driver.Value, error) { panic("fault") }

func TestAFullDiskFailsTheWritesThatDoNotFitAndNoOther(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	// SQLite's own bound stands for the disk's: the error and what it does to the transaction are the same.
	setPages := func(n int) {
		t.Helper()
		err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
			return tx.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n)).Scan(new(int))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	setPages(20)
	large := strings.Repeat("x", 1<<20)
	letGo := blockWriter(t, s)
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if err := s.Write(context.Background(), add("small", 1)); err != nil {
				t.Errorf("a write that fits: %v", err)
			}
		})
		all.Go(func() {
			err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO counters (name, n, pad) VALUES ($1, 1, $2)`, fmt.Sprint("large", i), large)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "full") {
				t.Errorf("a write that does not fit gave %v", err)
			}
		})
	}
	letGo()
	all.Wait()
	if n := read(t, s, "small"); n != 10 {
		t.Errorf("%d small writes stand, want 10", n)
	}
	setPages(10_000)
	if err := s.Write(context.Background(), add("small", 1)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestAWriteWhoseCallerLeftBeforeItBeganIsNotRun(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	letGo := blockWriter(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	var waiter sync.WaitGroup
	waiter.Go(func() {
		if err := s.Write(ctx, add("x", 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	cancel()
	waiter.Wait()
	letGo()
	if err := s.Write(context.Background(), add("y", 1)); err != nil {
		t.Fatal(err)
	}
	if n := read(t, s, "x"); n != 0 {
		t.Errorf("the write of one who left stands %d times", n)
	}
}

func TestACallerWhoLeavesDoesNotHarmTheBatch(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	ctx, cancel := context.WithCancel(context.Background())
	err := s.Write(ctx, func(inner context.Context, tx meter.Tx) error {
		cancel() // in the middle of the write
		return add("x", 1)(inner, tx)
	})
	if err != nil {
		t.Errorf("the write itself: %v", err)
	}
	if n := read(t, s, "x"); n != 1 {
		t.Errorf("it stands %d times", n)
	}
}

func TestTwoProcessesWriteOneFileWithoutBeingLockedOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	stores := []*sqlite.Store{counters(t, path), counters(t, path)}
	before, err := stores[0].Changed(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if err := stores[i%2].Write(context.Background(), add("x", 1)); err != nil {
				t.Errorf("write: %v", err)
			}
		})
	}
	all.Wait()
	if n := read(t, stores[0], "x"); n != 50 {
		t.Errorf("%d of 50 writes stand", n)
	}
	if after, err := stores[0].Changed(context.Background()); err != nil || after == before {
		t.Errorf("the change was not seen: %d, %v", after, err)
	}
}

// However many wait for another process that does not let go, each waits once.
func TestALockedDatabaseIsWaitedForOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s, other := counters(t, path), counters(t, path)
	letGo := blockWriter(t, other)
	const comers = 20
	pace := time.NewTicker(sqlite.BusyTimeout * 4 / 5 / comers)
	defer pace.Stop()
	began := time.Now()
	var all sync.WaitGroup
	for range comers { // the first begin to wait, the others queue up behind them
		for range 2 {
			all.Go(func() {
				if err := s.Write(context.Background(), add("x", 1)); err == nil || !strings.Contains(err.Error(), "locked") {
					t.Errorf("got %v", err)
				}
			})
		}
		<-pace.C
	}
	all.Wait()
	if took := time.Since(began); took > sqlite.BusyTimeout*3/2 {
		t.Errorf("they waited %v, want %v", took, sqlite.BusyTimeout)
	}
	letGo()
	if err := s.Write(context.Background(), add("x", 1)); err != nil {
		t.Errorf("once it is free: %v", err)
	}
	if n := read(t, s, "x"); n != 1 {
		t.Errorf("%d writes stand, want 1", n)
	}
}
