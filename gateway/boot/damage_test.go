package boot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/boot"
	"perdiem/testing/spoil"
)

// Damage that does not show when the books are opened is looked for before anything is served.
func TestDamageInsideTheBooksKeepsTheGatewayOff(t *testing.T) {
	data := t.TempDir()
	path := filepath.Join(data, "perdiem.db")
	app := openWith(t, data, "127.0.0.1:0", pocket())
	backup := filepath.Join(data, "backups", "perdiem-2026-10-19.db")
	if err := errors.Join(app.Backup(t.Context(), backup), app.Close()); err != nil {
		t.Fatal(err)
	}
	spoil.Page(t, path, "ledger", 0)

	app = openWith(t, data, "127.0.0.1:0", pocket())
	err := app.Start(t.Context())
	if damaged, backedUp := boot.Damaged(err); !damaged || !backedUp || app.On() {
		t.Fatalf("it starts with %v", err)
	}
	if !strings.Contains(err.Error(), backup) || !strings.Contains(err.Error(), "perdiem restore --data "+data) || app.ListenError() == nil {
		t.Errorf("it says: %v", err)
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	restored, kept, err := boot.Restore(t.Context(), data, "", time.Now())
	if err != nil || restored != backup || kept == "" {
		t.Fatalf("%q, %q, %v", restored, kept, err)
	}
	if err := openWith(t, data, "127.0.0.1:0", pocket()).Start(t.Context()); err != nil {
		t.Errorf("after going back: %v", err)
	}
}

// Large books are served before they are read, so that nobody waits, and no longer once damage is found.
func TestDamageInsideLargeBooksStopsTheGateway(t *testing.T) {
	data := t.TempDir()
	path := filepath.Join(data, "perdiem.db")
	if err := openWith(t, data, "127.0.0.1:0", pocket()).Close(); err != nil {
		t.Fatal(err)
	}
	spoil.Enlarge(t, path)
	app := openWith(t, data, "127.0.0.1:0", pocket())
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	spoil.Page(t, path, "ledger", 0)

	app = openWith(t, data, "127.0.0.1:0", pocket())
	err := app.Start(t.Context())
	if err == nil {
		err = app.Wait(t.Context())
	}
	if damaged, _ := boot.Damaged(err); !damaged || app.On() || !errors.Is(app.ListenError(), err) {
		t.Errorf("it ended with %v, and tells %v", err, app.ListenError())
	}
}

// Books whose file is taken away would be written to all the same, and all of it lost.
func TestBooksThatAreTakenAwayStopTheGateway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows lets nobody take away a file that is open")
	}
	data := t.TempDir()
	app := openWith(t, data, "127.0.0.1:0", pocket())
	app.SweepEvery(20 * time.Millisecond)
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data, data+".moved"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data + ".moved") })
	ctx, enough := context.WithTimeout(t.Context(), 30*time.Second)
	defer enough()
	err := app.Wait(ctx)
	if damaged, _ := boot.Damaged(err); !damaged || app.On() || !strings.Contains(err.Error(), "gone") {
		t.Errorf("it ended with %v", err)
	}
}
