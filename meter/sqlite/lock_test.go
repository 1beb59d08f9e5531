package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"perdiem/meter/sqlite"
)

func TestOneGatewayServesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	unlock, err := sqlite.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := sqlite.Lock(name); !errors.Is(err, sqlite.ErrLocked) {
			t.Errorf("a second lock of %s gave %v", name, err)
		}
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := sqlite.Lock(path)
	if err != nil {
		t.Fatalf("after it was let go: %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
