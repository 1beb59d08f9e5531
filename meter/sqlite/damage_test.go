package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/sqlite"
	"perdiem/testing/spoil"
)

// books makes a database with a person and a backup in it, closed.
func books(t *testing.T) (path, backup string) {
	t.Helper()
	ctx := context.Background()
	path = filepath.Join(t.TempDir(), "perdiem.db")
	s := openOnce(t, path)
	m := meter.New(s, meter.Options{})
	for _, name := range []string{"Ada", "Bo"} {
		if _, err := m.AddPerson(ctx, name, ""); err != nil {
			t.Fatal(err)
		}
	}
	backup, err := s.BackupDaily(ctx, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.AddPerson(ctx, "Cy, after the backup", ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, backup
}

func TestDamageIsToldWithTheNewestBackup(t *testing.T) {
	for name, damage := range map[string]func(path string){
		"no database at all": func(path string) { spoil.Bytes(t, path, 0, bytes.Repeat([]byte("nonsense"), 100)) },
		"emptied": func(path string) {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		},
		"cut": func(path string) {
			if err := os.Truncate(path, 8192); err != nil {
				t.Fatal(err)
			}
		},
		"a page of zeros": func(path string) { spoil.Page(t, path, "ledger", 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path, backup := books(t)
			damage(path)
			s, err := tryOpen(path)
			if err == nil {
				err = s.Check(t.Context())
				if closed := s.Close(); closed != nil {
					t.Error(closed)
				}
			}
			var d *sqlite.Damaged
			if !errors.As(err, &d) || d.Backup != backup || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), backup) {
				t.Fatalf("it says: %v", err)
			}

			for _, suffix := range []string{"-wal", "-shm"} { // as a crash leaves them
				if err := os.WriteFile(path+suffix, []byte("of the damaged file"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			restored, kept, err := sqlite.Restore(t.Context(), options(path), "")
			if err != nil || restored != backup {
				t.Fatalf("restored %q, %v", restored, err)
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if _, err := os.Stat(kept + suffix); err != nil {
					t.Errorf("the damaged file is not kept: %v", err)
				}
				if _, err := os.Stat(path + suffix); suffix != "" && err == nil {
					t.Errorf("the %s of the damaged file would be taken for the restored one's", suffix)
				}
			}
			back := openOnce(t, path)
			defer back.Close()
			people, err := meter.New(back, meter.Options{}).People(t.Context())
			if err != nil || len(people) != 2 || back.Check(t.Context()) != nil {
				t.Errorf("people %+v, %v", people, err)
			}
		})
	}
}

// Books that are served may be spoilt, or taken away, without their file being read as a whole again.
func TestDamageThatComesWhileServingIsTold(t *testing.T) {
	for name, damage := range map[string]func(path string){
		"a page that a write needs": func(path string) {
			spoil.Page(t, path, "settings", 0xff)
		},
		"the file is gone": func(path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"another file is there": func(path string) {
			err := os.Rename(path, path+".old")
			if err == nil {
				err = os.WriteFile(path, nil, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, backup := books(t)
			s := openOnce(t, path)
			defer s.Close()
			m := meter.New(s, meter.Options{})
			if _, err := m.AddPerson(t.Context(), "Di", ""); err != nil || s.Ailing() != nil {
				t.Fatalf("before: %v, %v", err, s.Ailing())
			}
			damage(path)
			_ = m.SetSetting(t.Context(), "a", "b") // which may fail or not
			var d *sqlite.Damaged
			if err := s.Ailing(); !errors.As(err, &d) || d.Backup != backup {
				t.Errorf("it says: %v", err)
			}
		})
	}
}

func TestAnotherProgramsDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perdiem.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE songs (title TEXT)`); err != nil {
		t.Fatal(err)
	}
	if s, err := tryOpen(path); err == nil {
		t.Error("it was taken for books", s.Close())
	}
	var tables int
	err = db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables)
	if err := errors.Join(err, db.Close()); err != nil || tables != 1 {
		t.Errorf("it has %d tables now, %v", tables, err)
	}
}

func TestWhatIsNotDamagedIsNotCalledSo(t *testing.T) {
	path, _ := books(t)
	s := openOnce(t, path)
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := openOnce(t, filepath.Join(t.TempDir(), "perdiem.db")).Close(); err != nil { // a new one
		t.Error(err)
	}
}

func TestGoingBackSpoilsNothing(t *testing.T) {
	path, backup := books(t)
	unlock, err := sqlite.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", other)
	if err == nil {
		_, err = db.ExecContext(t.Context(), `CREATE TABLE t (x)`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	restore := func(from string) error {
		_, _, err := sqlite.Restore(t.Context(), options(path), from)
		return err
	}
	if err := restore(backup); !errors.Is(err, sqlite.ErrLocked) {
		t.Errorf("under a gateway that serves: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "newer.db")
	writtenByANewerOne(t, backup, newer)
	for name, from := range map[string]string{"that is not there": path + ".none", "of something else": other, "of a newer Perdiem": newer} {
		if err := restore(from); err == nil {
			t.Errorf("went back to a file %s", name)
		}
	}
	spoil.Page(t, backup, "ledger", 0)
	if err := restore(backup); err == nil {
		t.Error("went back to a damaged backup")
	}
	if _, err := os.Stat(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a backup was made that nobody wanted")
	}
	s := openOnce(t, path)
	defer s.Close()
	if people, err := meter.New(s, meter.Options{}).People(t.Context()); err != nil || len(people) != 3 {
		t.Errorf("the books changed: %+v, %v", people, err)
	}
}

// writtenByANewerOne copies books to a file in which more migrations ran than there are.
func writtenByANewerOne(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", to)
	if err == nil {
		_, err = db.ExecContext(t.Context(), `INSERT INTO migrations SELECT name, MAX(number) + 1, 0 FROM migrations GROUP BY name`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestALockedFileIsToldInWords(t *testing.T) {
	path, _ := books(t)
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=locking_mode(exclusive)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), `DELETE FROM settings`)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tryOpen(path); err == nil || !strings.Contains(err.Error(), "another program keeps") {
		t.Errorf("it says: %v", err)
	}
}
