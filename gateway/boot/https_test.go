package boot_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/testing/harness"
)

func TestHTTPSIsTurnedOnAndOffWhileItServes(t *testing.T) {
	secrets, data, at := pocket(), t.TempDir(), harness.FreePort(t)
	app := openWith(t, data, at, secrets)
	if err := app.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if h, err := app.HTTPS(t.Context()); err != nil || h.On || app.ClientTLS() != nil || app.Addresses()[0].URL != "http://"+at+"/v1" {
		t.Fatalf("at first: %+v, %v", h, err)
	}
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	h, err := app.HTTPS(t.Context())
	if err != nil || !h.On || h.Own || len(h.Uncovered) > 0 || app.Addresses()[0].URL != "https://"+at+"/v1" {
		t.Fatalf("turned on: %+v, %v, %v", h, err, app.Addresses())
	}
	if res, body, err := get(t, "https://"+at+"/healthz", h.CA); err != nil || res.ProtoMajor != 2 || !strings.Contains(body, "ok") {
		t.Errorf("a client that trusts it: %v, %s", err, body)
	}
	var unknown x509.UnknownAuthorityError
	if _, _, err := get(t, "https://"+at+"/healthz", nil); !errors.As(err, &unknown) {
		t.Errorf("a client that does not: %v", err)
	}
	// The next start has the same, so that nobody need trust anew.
	if err := app.Close(); err != nil {
		t.Fatal(err)
	}
	app = openWith(t, data, at, secrets)
	if err := app.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := get(t, "https://"+at+"/healthz", h.CA); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if err := app.RenewHTTPS(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh, err := app.HTTPS(t.Context())
	if err != nil || fresh.Fingerprint == h.Fingerprint {
		t.Fatalf("renewed: %+v, %v", fresh, err)
	}
	if _, _, err := get(t, "https://"+at+"/healthz", h.CA); !errors.As(err, &unknown) {
		t.Errorf("who trusts the one before: %v", err)
	}
	if _, _, err := get(t, "https://"+at+"/healthz", fresh.CA); err != nil {
		t.Errorf("who trusts the new one: %v", err)
	}
	if err := app.SetSettings(t.Context(), boot.Settings{}); err != nil {
		t.Fatal(err)
	}
	if _, body, err := get(t, "http://"+at+"/healthz", nil); err != nil || !strings.Contains(body, "ok") || app.Addresses()[0].URL != "http://"+at+"/v1" {
		t.Errorf("turned off: %v, %s", err, body)
	}
	noSecretIn(t, data, secrets)
}

// noSecretIn fails if the authority's key, in whatever form, stands in a file.
func noSecretIn(t *testing.T, dir string, secrets keys.Source) {
	t.Helper()
	secret, err := secrets.Get(t.Context(), providers.Key{ID: "https"})
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(secret, ".")
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) || bytes.Contains(content, der) || bytes.Contains(content, []byte("PRIVATE KEY")) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("looked into %d files, %v", files, err)
	}
}

func TestWhoSpeaksPlainHTTPToHTTPSIsToldTheAddress(t *testing.T) {
	app := openWith(t, t.TempDir(), "127.0.0.1:0", pocket())
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	if err := app.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	h, err := app.HTTPS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := strings.TrimSuffix(strings.TrimPrefix(app.Addresses()[0].URL, "https://"), "/v1")
	for path, want := range map[string]string{
		"/v1/models":           `"error":{"message":"This gateway speaks HTTPS: its address is https://` + at + `/v1,`,
		"/v1/chat/completions": `"code":"https_required"`,
		"/v1/messages":         `"type":"error"`,
		"/v1beta/models":       `"status":"`,
		"/page/api/pulse":      "https://" + at + "/ tells how",
	} {
		res, body, err := get(t, "http://"+at+path, nil)
		if err != nil || res.StatusCode != http.StatusBadRequest || res.Header.Get("X-Should-Retry") != "false" || !strings.Contains(body, want) {
			t.Errorf("%s: %v, %s", path, err, body)
		}
	}
	if res, _, err := get(t, "http://"+at+"/", nil); err != nil || res.Header.Get("Location") != "https://"+at+"/" {
		t.Errorf("a browser: %v", err)
	}
	for _, scheme := range []string{"http", "https"} {
		if res, body, err := get(t, scheme+"://"+at+"/page/ca.pem", h.CA); err != nil || body != string(h.CA) || res.Header.Get("Content-Type") != "application/x-pem-file" {
			t.Errorf("the certificate over %s: %v, %s", scheme, err, body)
		}
	}
}

// lockedKeychain has the authority, but its owner is away.
type lockedKeychain struct{ keys.Source }

func (lockedKeychain) Get(context.Context, providers.Key) (string, error) { return "", keys.ErrLocked }

// full has no room for a secret, as where there is no keychain at all.
type full struct{ keys.Source }

func (full) Get(context.Context, providers.Key) (string, error) { return "", keys.ErrNoKeychain }
func (full) Set(context.Context, providers.Key, string) error   { return keys.ErrNoKeychain }

func TestWithoutAPlaceForItsKeyHTTPSIsNotTurnedOn(t *testing.T) {
	for what, c := range map[string]struct {
		secrets keys.Source
		says    error
	}{"no keychain": {full{pocket()}, keys.ErrNoKeychain}, "a locked one": {lockedKeychain{pocket()}, keys.ErrLocked}} {
		t.Run(what, func(t *testing.T) {
			at := harness.FreePort(t)
			app := openWith(t, t.TempDir(), at, c.secrets)
			if err := app.Start(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); !errors.Is(err, c.says) {
				t.Fatalf("it says %v", err)
			}
			if s, err := app.Settings(t.Context()); err != nil || s.HTTPS.On || answers(t, at, "") == 0 {
				t.Errorf("it does not go on as it was: %+v, %v", s, err)
			}
		})
	}
}

// A keychain that is locked at the next start must not be taken for one without an authority: a new
// one would shut everybody out. Nor is the port opened in plain.
func TestWithALockedKeychainAnEncryptedPortStaysShut(t *testing.T) {
	secrets, data, at := pocket(), t.TempDir(), harness.FreePort(t)
	app := openWith(t, data, at, secrets)
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	was, err := app.HTTPS(t.Context())
	if err != nil || app.Close() != nil {
		t.Fatal(err)
	}
	app = openWith(t, data, at, lockedKeychain{secrets})
	if err := app.Start(context.Background()); !errors.Is(err, keys.ErrLocked) || app.On() || !errors.Is(app.ListenError(), keys.ErrLocked) || answers(t, at, "") != 0 {
		t.Fatalf("it says %v", err)
	}
	// The owner may go back to plain HTTP from there.
	if err := app.SetSettings(t.Context(), boot.Settings{}); err != nil || answers(t, at, "") == 0 {
		t.Errorf("%v", err)
	}
	app = openWith(t, t.TempDir(), harness.FreePort(t), secrets)
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	if now, err := app.HTTPS(t.Context()); err != nil || now.Fingerprint != was.Fingerprint {
		t.Errorf("the authority is another: %v", err)
	}
}

func TestANameThatCameLaterIsSaidNotToBeCovered(t *testing.T) {
	app := openWith(t, t.TempDir(), "127.0.0.1:0", pocket())
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	with := boot.Settings{HTTPS: boot.HTTPSSettings{On: true}, HostNames: []string{"llm.example.net", "box.lan"}}
	if err := app.SetSettings(t.Context(), with); err != nil {
		t.Fatal(err)
	}
	if h, err := app.HTTPS(t.Context()); err != nil || !slices.Equal(h.Uncovered, []string{"llm.example.net"}) {
		t.Errorf("%+v, %v", h.Uncovered, err)
	}
	if err := app.RenewHTTPS(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h, err := app.HTTPS(t.Context()); err != nil || len(h.Uncovered) > 0 {
		t.Errorf("after a new one: %+v, %v", h.Uncovered, err)
	}
}
