// Package spoil damages books on purpose, as a bad disk does.
package spoil

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// Enlarge makes books so large that they are served before they are read whole.
func Enlarge(t testing.TB, path string) {
	t.Helper()
	ask(t, path, "rwc", func(db *sql.DB) error {
		_, err := db.ExecContext(t.Context(), `INSERT INTO ledger (at, verb, hold, request, person, model, day, note, changes)
			VALUES (0, 'grant', '', '', '', '', '', hex(zeroblob(9000000)), '')`)
		return err
	})
}

// Page overwrites the first page of a table with a byte.
func Page(t testing.TB, path, table string, with byte) {
	t.Helper()
	var root, size int64
	ask(t, path, "ro", func(db *sql.DB) error {
		return db.QueryRowContext(t.Context(), `SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = $1`, table).Scan(&root, &size)
	})
	Bytes(t, path, (root-1)*size, bytes.Repeat([]byte{with}, int(size)))
}

// Bytes overwrites a part of a file.
func Bytes(t testing.TB, path string, at int64, with []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(with, at)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func ask(t testing.TB, path, mode string, do func(*sql.DB) error) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode="+mode)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(do(db), db.Close()); err != nil {
		t.Fatal(err)
	}
}
