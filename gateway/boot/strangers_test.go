package boot_test

import (
	"bufio"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/boot"
	"perdiem/gateway/door"
	"perdiem/testing/harness"
)

// served starts a gateway for strangers to come to, and gives its address.
func served(t *testing.T, o boot.Options) (*boot.App, string) {
	t.Helper()
	if o.Data == "" {
		o.Data = t.TempDir()
	}
	o.Listen, o.Quiet, o.Secrets = "127.0.0.1:0", true, pocket()
	app, err := boot.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(app.Addresses()[0].URL, "://")
	return app, strings.TrimSuffix(address, "/v1")
}

// healthy asks whether the gateway is well, over a connection that stays open.
func healthy(c net.Conn) bool {
	if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		return false
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusOK
}

func TestThePortHasOnlySoManyConnections(t *testing.T) {
	for name, https := range map[string]bool{"in the clear": false, "encrypted": true} {
		t.Run(name, func(t *testing.T) {
			_, address := served(t, boot.Options{Door: door.Limits{All: 3, Network: 3}, HTTPS: https})
			var inside []net.Conn
			for range 3 {
				c := harness.Dial(t, address)
				if !healthy(c) {
					t.Fatal("turned away though there is room")
				}
				inside = append(inside, c)
			}
			if healthy(harness.Dial(t, address)) {
				t.Error("one too many is served")
			}
			if err := inside[0].Close(); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); !healthy(harness.Dial(t, address)); { // who left is noticed in a moment
				if time.Since(begun) > 20*time.Second {
					t.Fatal("the place of who left stays taken")
				}
			}
		})
	}
}

func TestWhoDoesNotEndTheirHeadersIsLetGo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the ten seconds that a caller has")
	}
	_, address := served(t, boot.Options{})
	_, encrypted := served(t, boot.Options{HTTPS: true})
	callers := map[string]net.Conn{}
	for name, c := range map[string]struct{ address, said string }{
		"nothing": {address, ""}, "half a line": {address, "GET /heal"}, "half of them": {address, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: y\r\n"},
		"nothing, encrypted": {encrypted, ""}, "half a greeting": {encrypted, "\x16\x03\x01\x02\x00\x01"}, "half a line in the clear": {encrypted, "GET /heal"},
	} {
		callers[name] = harness.Dial(t, c.address)
		if _, err := io.WriteString(callers[name], c.said); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range callers {
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("%s: the connection stays open: %v", name, err)
		}
	}
}

// Another user of the machine gets at nothing in the data folder.
func TestTheDataFolderIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode on Windows; the folder is in the user's profile")
	}
	data := filepath.Join(t.TempDir(), "Perdiem")
	app, _ := served(t, boot.Options{Data: data})
	if err := app.Backup(t.Context(), filepath.Join(data, "backups", "perdiem-2026-10-19.db")); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		seen++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || seen < 6 { // the folder, the books and their log, the lock, backups and one
		t.Errorf("%d files, %v", seen, err)
	}
}
