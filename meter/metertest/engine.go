package metertest

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
)

// Engine is a store that is looked into while several callers write to it.
type Engine struct {
	Open Open
	// Again is the same database as another gateway has it: on SQLite, which one gateway serves, the
	// same store.
	Again func(t T, s meter.Store) meter.Store
	// Waiting counts the writes that wait for another to end.
	Waiting func(t T, s meter.Store) int
}

// patience is how long a test waits for what must come; only a failure takes so long.
const patience = 20 * time.Second

// await waits until so many writes wait for another to end.
func (e Engine) await(t *testing.T, s meter.Store, writes int) {
	t.Helper()
	e.awaitOr(t, s, writes, nil)
}

// awaitOr is await that something else may end, too.
func (e Engine) awaitOr(t *testing.T, s meter.Store, writes int, other <-chan struct{}) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	late := time.After(patience)
	for e.Waiting(t, s) < writes {
		select {
		case <-look.C:
		case <-other:
			return
		case <-late:
			t.Fatalf("%d writes wait, want %d", e.Waiting(t, s), writes)
		}
	}
}

// stop is a store that keeps its first write from going on, at a statement or before its commit,
// until it is told to.
type stop struct {
	meter.Store
	at      string // a part of the statement's text; empty is before the commit
	once    sync.Once
	reached chan struct{}
	free    chan struct{}
	runs    atomic.Int64 // how often a write was begun
}

const beforeCommit = ""

func (e Engine) stop(t *testing.T, s meter.Store, at string) *stop {
	st := &stop{Store: e.Again(t, s), at: at, reached: make(chan struct{}), free: make(chan struct{})}
	t.Cleanup(st.letGo) // whatever happens, nobody is left waiting
	return st
}

func (s *stop) letGo() {
	select {
	case <-s.free:
	default:
		close(s.free)
	}
}

func (s *stop) wait() {
	s.once.Do(func() {
		close(s.reached)
		<-s.free
	})
}

func (s *stop) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
		s.runs.Add(1)
		err := do(ctx, stopTx{tx, s})
		if s.at == beforeCommit {
			s.wait()
		}
		return err
	})
}

type stopTx struct {
	meter.Tx
	stop *stop
}

func (tx stopTx) look(query string) {
	if tx.stop.at != beforeCommit && strings.Contains(query, tx.stop.at) {
		tx.stop.wait()
	}
}

func (tx stopTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	tx.look(query)
	return tx.Tx.ExecContext(ctx, query, args...)
}

func (tx stopTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	tx.look(query)
	return tx.Tx.QueryContext(ctx, query, args...)
}
