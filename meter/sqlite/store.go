// Package sqlite is the embedded store: one SQLite file, written by one connection.
//
// Invariants:
//
//   - A Write that returned nil is on the disk: WAL with synchronous=FULL, acknowledged after the
//     commit. Writes that wait at the same time share one commit; one that fails undoes itself alone.
//   - What runs inside a write never sees a caller's context end: the driver turns a cancel into an
//     interrupt that rolls the whole shared transaction back.
//   - Readers never write and never hold the writer up.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	driver "modernc.org/sqlite"

	"perdiem/meter"
	"perdiem/meter/migrations"
)

// Options name the file and the tables that must be in it.
type Options struct {
	Path       string
	Migrations []migrations.Set
	Now        func() time.Time // time.Now by default
}

const (
	busyTimeout = 5 * time.Second // how long a write waits for another process's
	readers     = 4
	maxIdleWAL  = 16 << 20 // what a burst may leave of the write-ahead log, in bytes
)

// Store is an open database file.
type Store struct {
	path    string
	write   *sql.DB
	read    *readPool
	figures *figures
	watch   *sql.Conn // sees every commit as a change of data_version, since it never writes
	writer  *writer
	opened  os.FileInfo           // the file that was at path
	damage  atomic.Pointer[error] // what a write last came upon
}

var _ meter.Store = (*Store)(nil)

// Open opens the file, makes it if it is not there, and brings its tables up to date.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", o.Path, inWords(o.Path, err))
	}
	return s, nil
}

func open(ctx context.Context, o Options) (_ *Store, err error) {
	if err := emptied(o.Path); err != nil {
		return nil, err
	}
	if err := makePrivate(o.Path); err != nil {
		return nil, err
	}
	// A commit overwrites the write-ahead log in place. fsync waits for the file's time besides, which
	// nobody reads; SQLite's own builds use fdatasync too. Where there is none, the driver says so.
	_, _ = driver.Fdatasync(true)
	s := &Store{path: o.Path}
	if s.opened, err = os.Stat(o.Path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	if s.write, err = sql.Open("sqlite", dsn(o.Path, "_txlock=immediate", "_pragma=journal_mode(wal)", "_pragma=synchronous(full)",
		"_pragma=temp_store(memory)", // what a savepoint would undo goes to no file of its own
		fmt.Sprintf("_pragma=journal_size_limit(%d)", maxIdleWAL))); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if err := migrate(ctx, s.write, o); err != nil {
		return nil, err
	}
	read, err := sql.Open("sqlite", dsn(o.Path, "mode=ro", "_pragma=query_only(1)"))
	if err != nil {
		return nil, err
	}
	s.read = &readPool{DB: read}
	s.read.SetMaxOpenConns(readers + 1)
	s.read.SetMaxIdleConns(readers + 1)
	s.figures = startFigures(s.read)
	if s.watch, err = s.read.Conn(ctx); err != nil {
		return nil, err
	}
	s.writer, err = startWriter(ctx, s.write)
	return s, err
}

// makePrivate makes the file, readable by its owner alone, before SQLite would make it otherwise; a
// copy that was put there by hand is made so, too. SQLite gives the -wal and -shm files beside it the
// same mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if info, statErr := f.Stat(); statErr == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	return errors.Join(err, f.Close())
}

// dsn makes the driver's name of a file. Pragmas stand in it, since the pool would run them on one
// connection only; busy_timeout comes first, so that the others wait too.
func dsn(path string, params ...string) string {
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path // file:///C:/…
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	if strings.HasPrefix(path, "/") {
		name = url.URL{Scheme: "file", Path: path}
	}
	all := append([]string{
		fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()),
		"_pragma=foreign_keys(1)",
	}, params...)
	return name.String() + "?" + strings.Join(all, "&")
}

// Write runs do in a transaction, together with others that wait at the same time, and returns
// after the commit. If ctx ends before do was begun, it is not run; once begun, Write waits for its
// end, so that nobody leaves a write behind whose outcome they do not know.
func (s *Store) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	err := s.writer.do(ctx, do)
	if isDamage(err) {
		s.damage.Store(&err)
	}
	return err
}

// Read is the read-only pool.
func (s *Store) Read() meter.Tx { return s.read }

// Figure reads one number. Those who ask for one at the same time share one reading.
func (s *Store) Figure(ctx context.Context, query string) (int64, error) {
	return s.figures.ask(ctx, query)
}

// Snapshot runs do inside one read transaction.
func (s *Store) Snapshot(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return do(ctx, tx)
}

// Changed is SQLite's data_version: it differs after a commit by any other connection, in this
// process or another.
func (s *Store) Changed(ctx context.Context) (uint64, error) {
	var v uint64
	if err := s.watch.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
		return 0, fmt.Errorf("look for changes: %w", err)
	}
	return v, nil
}

// Alone is true: one connection writes.
func (s *Store) Alone() bool { return true }

// Gone is true of every other gateway: the file's lock lets only one process ask.
func (s *Store) Gone(context.Context, meter.Tx, string) (bool, error) { return true, nil }

// Close ends the writer after the writes that wait, and closes the file.
func (s *Store) Close() error {
	var errs []error
	if s.writer != nil {
		errs = append(errs, s.writer.stop())
	}
	if s.figures != nil {
		s.figures.stop()
	}
	if s.watch != nil {
		errs = append(errs, s.watch.Close())
	}
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	return errors.Join(errs...)
}
