package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"perdiem/meter/migrations"
)

// Damaged means that a database file cannot be read as one any more.
type Damaged struct {
	Path   string
	Backup string // the newest backup of it; empty if there is none
	Err    error
}

func (d *Damaged) Error() string {
	text := fmt.Sprintf("the books in %s are damaged (%v)", d.Path, d.Err)
	if d.Backup == "" {
		return text + ", and there is no backup in " + BackupDir(d.Path)
	}
	return text + "; their newest backup is " + d.Backup
}

func (d *Damaged) Unwrap() error { return d.Err }

var (
	errEmptied = errors.New("the file is empty")
	errChecked = errors.New("its parts do not fit together")
	errGone    = errors.New("the file is gone, or another is in its place; what was booked since is lost")
)

// inWords says what kept a file from being opened, where SQLite's own words help nobody.
func inWords(path string, err error) error {
	const notWritten = "%s cannot be written; is its disk mounted read-only, or is the folder another user's? %w"
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf(notWritten, path, err)
	}
	if isDamage(err) {
		return damaged(path, err)
	}
	switch code(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("another program keeps %s locked; end that one, then try again: %w", path, err)
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return fmt.Errorf(notWritten, path, err)
	case lib.SQLITE_FULL:
		return fmt.Errorf("the disk of %s is full; make room, then try again: %w", path, err)
	}
	return err
}

// code is SQLite's for an error, without its detail; 0 if it is not SQLite's.
func code(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

func isDamage(err error) bool {
	return err != nil && slices.Contains([]int{lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT}, code(err))
}

func damaged(path string, err error) *Damaged {
	return &Damaged{Path: path, Backup: newestBackup(path), Err: err}
}

// emptied tells of a file that lost all that was in it: SQLite would take it for a new one, and
// nobody would be known any more.
func emptied(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 && newestBackup(path) != "" {
		return damaged(path, errEmptied)
	}
	return nil // whole, not there, or new
}

// newestBackup finds the last backup that was made of a database, the one before an update too.
func newestBackup(path string) string {
	names, err := filepath.Glob(filepath.Join(BackupDir(path), "*.db"))
	if err != nil {
		return ""
	}
	newest, at := "", time.Time{}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.ModTime().After(at) {
			newest, at = name, info.ModTime()
		}
	}
	return newest
}

// Ailing tells, without reading the file, whether a write came upon damage, or the file is not there any more, where
// writes would succeed all the same: [*Damaged].
func (s *Store) Ailing() error {
	if err := s.damage.Load(); err != nil {
		return damaged(s.path, *err)
	}
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, s.opened) {
		return damaged(s.path, errGone)
	}
	return nil
}

// Check reads the whole file and tells whether it is one, as far as it comes until ctx ends:
// [*Damaged] if not.
func (s *Store) Check(ctx context.Context) error {
	err := check(ctx, s.read.DB)
	if errors.Is(err, errChecked) {
		err = damaged(s.path, err)
	}
	if ctx.Err() == nil {
		return inWords(s.path, err)
	}
	return nil
}

func check(ctx context.Context, db *sql.DB) error {
	var says string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&says); err != nil {
		return err
	}
	if says != "ok" {
		_, first, _ := strings.Cut(says, "\n") // its first line names the database, which is ours
		return fmt.Errorf("%w: %s", errChecked, first)
	}
	return nil
}

// Restore puts a backup in the place of the database that o names, or the newest backup if none is named,
// and keeps what was there under another name. Nobody may serve it meanwhile: [ErrLocked].
func Restore(ctx context.Context, o Options, from string) (restored, kept string, err error) {
	path := o.Path
	if from == "" {
		if from = newestBackup(path); from == "" {
			return "", "", fmt.Errorf("there is no backup in %s", BackupDir(path))
		}
	}
	if _, err := os.Stat(from); err != nil { // SQLite would make it
		return "", "", fmt.Errorf("go back to a backup: %w", err)
	}
	unlock, err := Lock(path)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	part := path + ".restoring"
	if err := copyPrivate(ctx, from, part, o.Migrations); err != nil {
		return "", "", errors.Join(fmt.Errorf("go back to %s: %w", from, err), os.Remove(part))
	}
	kept = path + ".kept-" + o.Now().UTC().Format("2006-01-02T150405.000")
	for _, suffix := range []string{"", "-wal", "-shm"} { // those of the old file would spoil the new one
		if err := os.Rename(path+suffix, kept+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("keep what was there: %w", err)
		}
	}
	if err := os.Rename(part, path); err != nil {
		return "", "", fmt.Errorf("go back to %s: %w", from, err)
	}
	return from, kept, nil
}

// copyPrivate copies a database that nobody writes, and checks that the copy is whole and can be opened.
func copyPrivate(ctx context.Context, from, to string, sets []migrations.Set) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makePrivate(to); err != nil {
		return err
	}
	if err := vacuumInto(ctx, from, to); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(to, "mode=ro"))
	if err != nil {
		return err
	}
	if err := errors.Join(checkCopy(ctx, db, sets), db.Close()); err != nil {
		return err
	}
	return syncFile(to)
}

func checkCopy(ctx context.Context, db *sql.DB, sets []migrations.Set) error {
	if err := errors.Join(check(ctx, db), hasLedger(ctx, db)); err != nil {
		return err
	}
	return migrations.RefuseNewer(ctx, db, sets)
}

// hasLedger tells Perdiem's books from other databases.
func hasLedger(ctx context.Context, db *sql.DB) error {
	return mustHold(ctx, db, `EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'ledger')`, "these are not Perdiem's books")
}

// notForeign tells another program's database from one that is Perdiem's or new.
func notForeign(ctx context.Context, db *sql.DB) error {
	return mustHold(ctx, db, `NOT EXISTS (SELECT 1 FROM sqlite_master) OR EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'migrations')`,
		"this is another program's database; move it away, or choose another folder with --data")
}

func mustHold(ctx context.Context, db *sql.DB, condition, otherwise string) error {
	var holds bool
	if err := db.QueryRowContext(ctx, "SELECT "+condition).Scan(&holds); err != nil {
		return err
	}
	if !holds {
		return errors.New(otherwise)
	}
	return nil
}
