package boot_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/boot"
	"perdiem/testing/harness"
)

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
	at := harness.FreePort(t)
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
