// Package migrations brings a database's tables up to date from numbered .sql files, on any engine.
//
// Invariants: each file runs once, in the order of the numbers, in one transaction with the note
// that it ran; a database that a newer Perdiem wrote is refused.
package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Set is one owner's numbered .sql files, all in one folder of Files.
type Set struct {
	Name  string
	Files fs.FS
}

// Engine is what differs between databases.
type Engine struct {
	// Lock begins every transaction, so that only one process migrates at a time; empty where the
	// transaction itself sees to that.
	Lock string
	// Script runs a text of several statements.
	Script func(ctx context.Context, tx *sql.Tx, text string) error
	// Before runs ahead of the first file that is due in a database that has tables already; nil for
	// nothing. Its error stops the migration.
	Before func(ctx context.Context) error
}

// Run runs each file that has not run yet. Where all have, it only reads: a command that looks at the books must not wait
// for who writes them.
func Run(ctx context.Context, db *sql.DB, e Engine, sets []Set, now func() time.Time) error {
	if current(ctx, db, sets) {
		return nil
	}
	err := e.transact(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			CREATE TABLE IF NOT EXISTS migrations (
				name TEXT NOT NULL, number BIGINT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (name, number)
			)`)
		return err
	})
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	if err := e.before(ctx, db, sets); err != nil {
		return err
	}
	for _, set := range sets {
		files, err := numbered(set.Files)
		if err != nil {
			return fmt.Errorf("migrations of %s: %w", set.Name, err)
		}
		for number := 1; number <= len(files); number++ {
			if err := e.runOne(ctx, db, set, number, files[number], now()); err != nil {
				return fmt.Errorf("migration %d of %s: %w", number, set.Name, err)
			}
		}
		if err := refuseNewer(ctx, db, set.Name, len(files)); err != nil {
			return err
		}
	}
	return nil
}

// current tells whether every file has run, and none besides. A database that cannot be asked is not.
func current(ctx context.Context, db *sql.DB, sets []Set) bool {
	for _, set := range sets {
		files, err := numbered(set.Files)
		if err != nil {
			return false
		}
		var ran, newest int
		err = db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MAX(number), 0) FROM migrations WHERE name = $1`, set.Name).Scan(&ran, &newest)
		if err != nil || ran != len(files) || newest != len(files) {
			return false
		}
	}
	return true
}

// before runs Before if any file is due in a database that is not new.
func (e Engine) before(ctx context.Context, db *sql.DB, sets []Set) error {
	if e.Before == nil {
		return nil
	}
	ran, due := 0, false
	for _, set := range sets {
		files, err := numbered(set.Files)
		if err != nil {
			return fmt.Errorf("migrations of %s: %w", set.Name, err)
		}
		var done int
		if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM migrations WHERE name = $1`, set.Name).Scan(&done); err != nil {
			return fmt.Errorf("look for migrations that ran: %w", err)
		}
		ran += done
		due = due || done < len(files)
	}
	if ran == 0 || !due {
		return nil
	}
	return e.Before(ctx)
}

func (e Engine) transact(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if e.Lock != "" {
		if _, err = tx.ExecContext(ctx, e.Lock); err != nil {
			return err
		}
	}
	if err = do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (e Engine) runOne(ctx context.Context, db *sql.DB, set Set, number int, file string, at time.Time) error {
	text, err := fs.ReadFile(set.Files, file)
	if err != nil {
		return err
	}
	return e.transact(ctx, db, func(tx *sql.Tx) error {
		// Asked inside the transaction: a second process may have run it a moment ago.
		var ran int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM migrations WHERE name = $1 AND number = $2`, set.Name, number).Scan(&ran)
		if err != nil || ran > 0 {
			return err
		}
		if err := e.Script(ctx, tx, string(text)); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO migrations (name, number, at) VALUES ($1, $2, $3)`, set.Name, number, at.UnixMilli())
		return err
	})
}

// RefuseNewer tells of tables that a newer Perdiem wrote, which this one would not understand.
func RefuseNewer(ctx context.Context, db *sql.DB, sets []Set) error {
	for _, set := range sets {
		files, err := numbered(set.Files)
		if err != nil {
			return fmt.Errorf("migrations of %s: %w", set.Name, err)
		}
		if err := refuseNewer(ctx, db, set.Name, len(files)); err != nil {
			return err
		}
	}
	return nil
}

func refuseNewer(ctx context.Context, db *sql.DB, name string, known int) error {
	var newest int
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MAX(number), 0) FROM migrations WHERE name = $1`, name).Scan(&newest)
	if err != nil {
		return err
	}
	if newest > known {
		return errors.New("it was written by a newer Perdiem; update this one to open it")
	}
	return nil
}

// numbered finds 0001_name.sql, 0002_name.sql … wherever they are in files.
func numbered(files fs.FS) (map[int]string, error) {
	byNumber := map[int]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		digits, _, _ := strings.Cut(path.Base(name), "_")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return fmt.Errorf("%s has no number", name)
		}
		if byNumber[n] != "" {
			return fmt.Errorf("%s and %s have the same number", byNumber[n], name)
		}
		byNumber[n] = name
		return nil
	})
	if err != nil {
		return nil, err
	}
	for n := 1; n <= len(byNumber); n++ {
		if byNumber[n] == "" {
			return nil, fmt.Errorf("number %d is missing", n)
		}
	}
	return byNumber, nil
}
