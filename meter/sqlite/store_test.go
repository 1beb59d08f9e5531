package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

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

func open(t metertest.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Options{
		Path:       path,
		Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
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
