package boot_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/testing/harness"
)

// pocket is a keychain of a test's own.
func pocket() *harness.Pocket {
	return &harness.Pocket{Source: keys.NewEnv(func(string) (string, bool) { return "", false }, nil)}
}

func openWith(t *testing.T, data, listen string, secrets keys.Source) *boot.App {
	t.Helper()
	app, err := boot.Open(t.Context(), boot.Options{Data: data, Listen: listen, Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Close() })
	return app
}

// get asks a URL with a client that trusts an authority, or for nil the system's alone.
func get(t *testing.T, url string, ca []byte) (*http.Response, string, error) {
	t.Helper()
	var pool *x509.CertPool
	if ca != nil {
		pool = x509.NewCertPool()
		pool.AppendCertsFromPEM(ca)
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Get(url)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func TestHTTPSIsTurnedOnAndOffWhileItServes(t *testing.T) {
	secrets, data, at := pocket(), t.TempDir(), freePort(t)
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
			at := freePort(t)
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
	secrets, data, at := pocket(), t.TempDir(), freePort(t)
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
	app = openWith(t, t.TempDir(), freePort(t), secrets)
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	if now, err := app.HTTPS(t.Context()); err != nil || now.Fingerprint != was.Fingerprint {
		t.Errorf("the authority is another: %v", err)
	}
}

// selfSigned writes a certificate for a name and its key, and returns the certificate as PEM.
func selfSigned(t *testing.T, name string) (certFile, keyFile string, cert []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name, "*." + name}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{certFile: cert, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile, cert
}

func TestTheOwnersOwnCertificateIsShownAndItsNameAnswered(t *testing.T) {
	at := freePort(t)
	secrets := full{pocket()} // which it does not need
	app := openWith(t, t.TempDir(), at, secrets)
	if err := app.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	certFile, keyFile, cert := selfSigned(t, "llm.example.net")
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true, CertFile: keyFile, KeyFile: certFile}}); err == nil || answers(t, at, "") == 0 {
		t.Errorf("files in the wrong order: %v", err)
	}
	if err := app.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true, CertFile: certFile, KeyFile: keyFile}}); err != nil {
		t.Fatal(err)
	}
	h, err := app.HTTPS(t.Context())
	if err != nil || !h.On || !h.Own || h.CA != nil {
		t.Fatalf("%+v, %v", h, err)
	}
	_, port, err := net.SplitHostPort(at)
	if err != nil || app.Addresses()[0].URL != "https://llm.example.net:"+port+"/v1" {
		t.Errorf("the addresses are %v, %v", app.Addresses(), err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, at)
		}}}
	res, err := client.Get("https://llm.example.net:" + port + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode == http.StatusForbidden {
		t.Error("it does not answer to the name in its certificate")
	}
	if res, _, err := get(t, "http://"+at+"/page/ca.pem", nil); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("an authority that there is not: %v", err)
	}
	// The program itself knows the gateway by whatever name.
	own := &http.Client{Transport: &http.Transport{TLSClientConfig: app.ClientTLS(), DisableKeepAlives: true}}
	if res, err := own.Get("https://" + at + "/healthz"); err != nil {
		t.Error(err)
	} else {
		res.Body.Close()
	}
	other := openWith(t, t.TempDir(), "127.0.0.1:0", pocket())
	if err := other.SetSettings(t.Context(), boot.Settings{HTTPS: boot.HTTPSSettings{On: true}}); err != nil {
		t.Fatal(err)
	}
	if err := other.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	if res, err := own.Get(strings.TrimSuffix(other.Addresses()[0].URL, "/v1") + "/healthz"); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("another gateway in its place: %v, %v", res, err)
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
