package e2e

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/testing/harness"
)

// Large books are served before they are read. Where they turn out to be damaged, the program does not stay
// behind without its gateway: it ends as one that failed, and says how to go back to a backup.
func TestTheProgramEndsWhereItsLargeBooksAreDamaged(t *testing.T) {
	p := harness.NewProgram(t)
	var log bytes.Buffer
	p.Log = &log
	p.Run(nil, "person", "add", "Ada")
	path := filepath.Join(p.Data, "perdiem.db")
	p.Run(nil, "backup", filepath.Join(p.Data, "backups", "perdiem-2026-10-19.db"))
	spoilLarge(t, path)

	gateway, _ := p.Serve()
	bound := time.AfterFunc(time.Minute, func() { _ = gateway.Process.Kill() })
	defer bound.Stop()
	if err := gateway.Wait(); gateway.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	if said := log.String(); !strings.Contains(said, "\nperdiem: the books in ") || !strings.Contains(said, "perdiem restore --data "+p.Data) {
		t.Errorf("it says: %s", said)
	}
}

// spoilLarge makes books larger than are read before they are served, and writes zeros over a page of their ledger.
func spoilLarge(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `INSERT INTO ledger (at, verb, hold, request, person, model, day, note, changes)
		VALUES (0, 'grant', '', '', '', '', '', hex(zeroblob(9000000)), '')`)
	var root int64
	if err == nil {
		err = db.QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_master WHERE name = 'ledger'`).Scan(&root)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	_, err = f.WriteAt(make([]byte, page), (root-1)*page)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
