package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMeterOnSQLite(t *testing.T) {
	metertest.Run(t, func(t metertest.T) meter.Store { return open(t, filepath.Join(folder(t), "perdiem.db")) })
}

// folder is a scratch folder for as long as t runs.
func folder(t metertest.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "perdiem-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the scratch folder: %v", err)
		}
	})
	return dir
}

// tables are the meter's.
var tables = migrations.Set{Name: "meter", Files: meter.SQLiteMigrations}

func open(t metertest.T, path string) *sqlite.Store { return openWith(t, path, tables) }

// openWith opens a database of whatever tables for as long as t runs.
func openWith(t metertest.T, path string, of migrations.Set) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Migrations: []migrations.Set{of}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestTheWriteAheadLogStaysBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := counters(t, path)
	pad := strings.Repeat("x", 64<<10)
	for i := range 1000 {
		err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO counters (name, n, pad) VALUES ($1, 1, $2) ON CONFLICT (name) DO UPDATE SET pad = excluded.pad`, fmt.Sprint(i%10), pad)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		read(t, s, "1")
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() > 16<<20 {
		t.Errorf("64 MB were written; the log has %d bytes, %v", info.Size(), err)
	}
}

func TestAnyFolderNameOpens(t *testing.T) {
	for _, name := range []string{"with blank", "per%20cent", "ques?tion", "ha#sh", "张三", "a&b=c"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s := counters(t, filepath.Join(dir, "a.db"))
		if err := s.Write(context.Background(), add("x", 1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := read(t, s, "x"); n != 1 {
			t.Errorf("%s: the readers see another file", name)
		}
		if _, err := os.Stat(filepath.Join(dir, "a.db-wal")); err != nil {
			t.Errorf("%s: the file is elsewhere: %v", name, err)
		}
	}
}

func TestAClosedStoreRefuses(t *testing.T) {
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(context.Background(), func(context.Context, meter.Tx) error { return nil }); !errors.Is(err, sqlite.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestTheFilesAreTheirOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode on Windows; the folder is in the user's profile")
	}
	path, backup := books(t)
	if err := os.Chmod(path, 0o644); err != nil { // a copy that was put there by hand
		t.Fatal(err)
	}
	s := openOnce(t, path)
	defer s.Close()
	m := meter.New(s, meter.Options{})
	if _, err := m.AddPerson(t.Context(), "Di", ""); err != nil {
		t.Fatal(err)
	}
	unlock, err := sqlite.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unlock() }()
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock", backup} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", filepath.Base(name), info, err)
		}
	}
}

// openOnce opens a database that the test closes by itself.
func openOnce(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := tryOpen(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryOpen(path string) (*sqlite.Store, error) {
	return sqlite.Open(context.Background(), options(path))
}

func options(path string) sqlite.Options {
	return sqlite.Options{Path: path, Migrations: []migrations.Set{tables}, Now: time.Now}
}
