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
	"time"
)

// backupsKept is how many daily backups are kept.
const backupsKept = 7

// BackupDir is where the daily backups of the database at path are.
func BackupDir(path string) string { return filepath.Join(filepath.Dir(path), "backups") }

// Backup writes a copy of the database as it stands to a new file, while others go on writing.
func (s *Store) Backup(ctx context.Context, to string) error { return backup(ctx, s.path, to) }

// BackupDaily makes the day's backup if it is not there yet, removes all but the last seven, and
// tells the new file's name, or nothing.
func (s *Store) BackupDaily(ctx context.Context, now time.Time) (string, error) {
	dir := BackupDir(s.path)
	to := filepath.Join(dir, "perdiem-"+now.UTC().Format(time.DateOnly)+".db")
	if _, err := os.Stat(to); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := s.Backup(ctx, to); err != nil {
		return "", err
	}
	return to, removeOld(dir)
}

// backup runs on a connection of its own, so that the writer is not held up. The copy appears under
// its name only when it is whole.
func backup(ctx context.Context, path, to string) error {
	if _, err := os.Stat(to); err == nil {
		return fmt.Errorf("back up to %s: %w", to, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("make the folder for backups: %w", err)
	}
	part := to + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove an unfinished backup: %w", err)
	}
	if err := makePrivate(part); err != nil {
		return fmt.Errorf("back up to %s: %w", to, err)
	}
	if err := vacuumInto(ctx, path, part); err != nil {
		return errors.Join(fmt.Errorf("back up to %s: %w", to, err), os.Remove(part))
	}
	if err := forgetAnswers(ctx, part); err != nil {
		return errors.Join(fmt.Errorf("back up to %s: %w", to, err), os.Remove(part))
	}
	if err := syncFile(part); err != nil {
		return fmt.Errorf("back up to %s: %w", to, err)
	}
	return os.Rename(part, to)
}

func vacuumInto(ctx context.Context, path, to string) error {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, to)
	return errors.Join(err, db.Close())
}

// forgetAnswers takes the replies that are kept for retries out of a copy: they are of no use in it,
// and a copy lives longer than they may.
func forgetAnswers(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(path, "_pragma=secure_delete(1)"))
	if err != nil {
		return err
	}
	var there int
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master WHERE name = 'idempotency'`).Scan(&there)
	if err == nil && there == 1 {
		_, err = db.ExecContext(ctx, `DELETE FROM idempotency`)
	}
	return errors.Join(err, db.Close())
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeOld removes all daily backups but the newest; their names sort by day. Backups from before
// an update are left: their owner decides.
func removeOld(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "perdiem-*.db"))
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	slices.SortFunc(names, strings.Compare)
	for len(names) > backupsKept {
		if err := os.Remove(names[0]); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
		names = names[1:]
	}
	return nil
}
