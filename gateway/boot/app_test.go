package boot_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"perdiem/gateway/boot"
	"perdiem/providers/keys"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noSecrets is a place for secrets that has none, and takes none.
var noSecrets = keys.NewEnv(func(string) (string, bool) { return "", false }, nil)

// open opens an app without the machine's keychain; an empty store is a folder of its own.
func open(t *testing.T, store string) *boot.App {
	t.Helper()
	app, err := boot.Open(t.Context(), boot.Options{
		Data: t.TempDir(), Store: store, Listen: "127.0.0.1:0", Secrets: noSecrets,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return app
}

// pocket is a keychain of a test's own.
func pocket() *harness.Pocket { return &harness.Pocket{Source: noSecrets} }

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

// settled opens the app of a folder that was told no port, and serves.
func settled(t *testing.T, data string, s boot.Settings) *boot.App {
	t.Helper()
	app := openWith(t, data, "", noSecrets)
	if err := app.SetSettings(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := app.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return app
}

func answers(t *testing.T, address, host string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+address+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
