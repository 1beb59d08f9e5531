package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

func TestABackupOfALiveDatabaseIsWholeAndRestores(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	live := open(t, filepath.Join(dir, "perdiem.db"))
	m := meter.New(live, meter.Options{})
	p, err := m.AddPerson(ctx, "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: "*"}); err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	stop := make(chan struct{})
	writing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			h, err := m.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: "m", Input: 5})
			if err == nil {
				err = m.Settle(ctx, h.ID, meter.Usage{Input: 5}, meter.Reported)
			}
			if err != nil {
				t.Errorf("writing meanwhile: %v", err)
				return
			}
		}
	})
	to := filepath.Join(dir, "copy.db")
	err = live.Backup(ctx, to)
	close(stop)
	writing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}
	restored := meter.New(open(t, to), meter.Options{})
	if report, err := restored.Verify(ctx); err != nil || !report.Clean() {
		t.Errorf("restored: %+v, %v", report, err)
	}
	if people, err := restored.People(ctx); err != nil || len(people) != 1 {
		t.Errorf("restored people: %v, %v", people, err)
	}
	if err := live.Backup(ctx, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a backup over another gave %v", err)
	}
}

func TestOneBackupADayAndTheLastSevenAreKept(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "perdiem.db")
	s := open(t, path)
	day := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for i := range 10 {
		for again := range 2 {
			made, err := s.BackupDaily(ctx, day.AddDate(0, 0, i))
			if err != nil || (made == "") != (again == 1) {
				t.Fatalf("day %d, time %d: %q, %v", i, again, made, err)
			}
		}
	}
	names, err := filepath.Glob(filepath.Join(sqlite.BackupDir(path), "*"))
	if err != nil || len(names) != 7 || !strings.HasSuffix(names[0], "perdiem-2026-12-02.db") {
		t.Errorf("kept %v, %v", names, err)
	}
}

func TestAMigrationBacksUpFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	first := fstest.MapFS{"0001_a.sql": {Data: []byte(`CREATE TABLE a (x BIGINT); INSERT INTO a VALUES (7)`)}}
	second := fstest.MapFS{"0001_a.sql": first["0001_a.sql"], "0002_b.sql": {Data: []byte(`DROP TABLE a`)}}
	for i, files := range []fstest.MapFS{first, first, second} {
		s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Migrations: []migrations.Set{{Name: "test", Files: files}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob(filepath.Join(sqlite.BackupDir(path), "before-update-*.db"))
		if want := i / 2; err != nil || len(names) != want {
			t.Fatalf("after opening %d times: %v, %v", i+1, names, err)
		}
		if len(names) == 1 {
			old, err := sqlite.Open(context.Background(), sqlite.Options{Path: names[0], Migrations: []migrations.Set{{Name: "test", Files: first}}})
			if err != nil {
				t.Fatal(err)
			}
			var x int
			if err := old.Read().QueryRowContext(context.Background(), `SELECT x FROM a`).Scan(&x); err != nil || x != 7 {
				t.Errorf("the copy has %d, %v", x, err)
			}
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
