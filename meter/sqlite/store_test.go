package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMeterOnSQLite(t *testing.T) {
	metertest.Run(t, func(t *testing.T) meter.Store { return open(t, filepath.Join(t.TempDir(), "perdiem.db")) })
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Options{
		Path:       path,
		Migrations: []sqlite.Migrations{{Name: "meter", Files: meter.SQLiteMigrations}},
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
