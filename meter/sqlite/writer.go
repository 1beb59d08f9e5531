package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"perdiem/meter"
)

// ErrClosed is the answer to a write after Close.
var ErrClosed = errors.New("the database is closed")

// maxBatch bounds how many writes share a commit, and so how long the first of them waits.
const maxBatch = 256

// writer owns the one connection that writes. Writes queue up while a commit is on its way to the
// disk; the next commit takes all that wait.
type writer struct {
	db    *sql.DB
	conn  *preparedConn
	queue chan *op
	quit  chan struct{}
	done  chan struct{}
	once  sync.Once
	marks int // how many batches to come are marked from the start
}

// markedAfter is how many batches are marked after one in which a write failed half-way: refusals
// come in bursts.
const markedAfter = 64

// op is one write that waits. Its waiter may withdraw it until the writer has claimed it.
type op struct {
	ctx     context.Context
	do      func(context.Context, meter.Tx) error
	claimed atomic.Bool
	result  chan error
}

func (o *op) claim() bool { return o.claimed.CompareAndSwap(false, true) }

func startWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := prepare(ctx, db)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, conn: conn, queue: make(chan *op, maxBatch), quit: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w, nil
}

func (w *writer) do(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	o := &op{ctx: ctx, do: do, result: make(chan error, 1)}
	select {
	case <-w.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case w.queue <- o:
	}
	select {
	case err := <-o.result:
		return err
	case <-ctx.Done():
		if o.claim() {
			return ctx.Err()
		}
		return <-o.result
	case <-w.done:
		// The writer answers all that it took; what is still in the queue was never begun.
		if o.claim() {
			return ErrClosed
		}
		return <-o.result
	}
}

func (w *writer) stop() error {
	w.once.Do(func() { close(w.quit) })
	<-w.done
	return w.conn.close()
}

func (w *writer) run() {
	defer close(w.done)
	batch := make([]*op, 0, maxBatch)
	for {
		select {
		case o := <-w.queue:
			runtime.Gosched() // whoever can run now may have a write too
			batch = w.gather(append(batch[:0], o))
		case <-w.quit:
			if batch = w.gather(batch[:0]); len(batch) == 0 {
				return
			}
		}
		w.commit(batch)
	}
}

// gather claims what waits already, without waiting for more.
func (w *writer) gather(batch []*op) []*op {
	claimed := batch[:0]
	for _, o := range batch {
		if o.claim() {
			claimed = append(claimed, o)
		}
	}
	for len(claimed) < maxBatch {
		select {
		case o := <-w.queue:
			if o.claim() {
				claimed = append(claimed, o)
			}
		default:
			return claimed
		}
	}
	return claimed
}

// commit writes a batch in one transaction, and each of its writes in one of its own where the
// shared one could not be kept: a full disk ends it for all. Where none could even begin, say because
// another process keeps the database locked, each would wait as long again, and so would those who
// came meanwhile: all are told at once.
func (w *writer) commit(batch []*op) {
	if len(batch) == 0 {
		return
	}
	results, err := w.transact(batch)
	switch {
	case errors.Is(err, errNotBegun):
		batch = append(batch, w.gather(nil)...)
		results = slices.Repeat([]error{err}, len(batch))
	case err != nil && len(batch) > 1:
		for i, o := range batch {
			results[i] = w.alone(o)
		}
	case err != nil:
		results[0] = err
	}
	for i, o := range batch {
		o.result <- results[i]
	}
}

func (w *writer) alone(o *op) error {
	results, err := w.transact([]*op{o})
	if err != nil {
		return err
	}
	return results[0]
}

// transact runs a batch in one transaction. The results are each write's own; the error is the
// transaction's, and none of the writes stand then.
//
// A mark (a savepoint) to undo a single write by costs a third of the write, since SQLite copies each
// page that changes after it. So a batch goes without marks first; where a write turns out to fail
// half-way, all is rolled back and the batch runs again with them.
func (w *writer) transact(batch []*op) (results []error, err error) {
	results = make([]error, len(batch))
	ctx := context.Background()
	if err := w.conn.revive(ctx, w.db); err != nil {
		return results, err
	}
	if w.marks == 0 {
		err = w.attempt(ctx, batch, results, w.unmarked)
		if !errors.Is(err, errHalfWay) {
			return results, err
		}
		w.marks = markedAfter
	}
	w.marks--
	return results, w.attempt(ctx, batch, results, w.marked)
}

// errNotBegun tells that a transaction could not begin.
var errNotBegun = errors.New("begin a write")

// attempt runs each write of a batch in a way, and commits.
func (w *writer) attempt(ctx context.Context, batch []*op, results []error, way func(*op) (own, lost error)) error {
	if err := w.conn.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("%w: %w", errNotBegun, err)
	}
	var err error
	for i, o := range batch {
		if results[i], err = way(o); err != nil {
			break
		}
	}
	if err == nil {
		if err = w.conn.exec(ctx, "COMMIT"); err == nil {
			return nil
		}
		err = fmt.Errorf("commit: %w", err)
	}
	// It may have ended already with what went wrong; a connection that cannot even do this is done for.
	if w.conn.exec(ctx, "ROLLBACK") != nil && !w.conn.idle(ctx) {
		w.conn.broken = true
	}
	return err
}

// unmarked runs one write without a mark. The first result is the write's own error, after which
// nothing of it stands; the second means that the transaction is lost.
func (w *writer) unmarked(o *op) (own, lost error) {
	w.conn.begin(false)
	own = run(context.WithoutCancel(o.ctx), o, w.conn)
	if w.conn.unmarked || own != nil && w.conn.wrote {
		return own, errHalfWay
	}
	return own, nil
}

// errHalfWay tells that a write failed after it had written.
var errHalfWay = errors.New("a write failed half-way")

// marked is unmarked under a savepoint of its own.
func (w *writer) marked(o *op) (own, lost error) {
	ctx := context.WithoutCancel(o.ctx)
	w.conn.begin(true)
	if err := w.conn.exec(ctx, "SAVEPOINT write"); err != nil {
		return nil, fmt.Errorf("mark a write: %w", err)
	}
	own = run(ctx, o, w.conn)
	if own != nil {
		if err := w.conn.exec(ctx, "ROLLBACK TO write"); err != nil {
			return own, own
		}
	}
	if err := w.conn.exec(ctx, "RELEASE write"); err != nil {
		return own, fmt.Errorf("keep a write: %w", err)
	}
	return own, nil
}

// run keeps one write's panic from ending the writer, and with it everybody's.
func run(ctx context.Context, o *op, tx meter.Tx) (err error) {
	defer caught(&err)
	return o.do(ctx, tx)
}

// caught makes an error of a panic, where it is deferred.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("a write panicked: %v", p)
	}
}
