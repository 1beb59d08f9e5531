package https

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ownFiles writes a certificate and its key, as another program would, and gives it a time of its own.
func ownFiles(t *testing.T, dir, name string, at time.Time) (certFile, keyFile string) {
	t.Helper()
	a, key := newAuthority(t), newLeafKey(t)
	leaf, err := a.sign(&key.PublicKey, Names{Hosts: []string{name, "*.lan"}}, noon)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw}), at)
	put(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), at)
	return certFile, keyFile
}

func put(t *testing.T, file string, text []byte, at time.Time) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestTheOwnersCertificateIsReadAgainWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := ownFiles(t, dir, "one.lan", noon)
	var log bytes.Buffer
	o, err := OpenOwn(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	is := func(name string) {
		t.Helper()
		c, err := o.GetCertificate(nil)
		if err != nil || c.Leaf.DNSNames[0] != name || o.Leaf() != c.Leaf || !slices.Equal(o.Names(), []string{name}) {
			t.Fatalf("%v, %v, want %s", c.Leaf.DNSNames, err, name)
		}
	}
	is("one.lan")
	ownFiles(t, dir, "two.lan", noon.Add(time.Hour))
	is("two.lan")

	put(t, certFile, []byte("half a certif"), noon.Add(2*time.Hour))
	is("two.lan")
	is("two.lan")
	if n := strings.Count(log.String(), "the one before stays"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
	ownFiles(t, dir, "three.lan", noon.Add(3*time.Hour))
	is("three.lan")
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	is("three.lan")
}

func TestFilesThatAreNoCertificateAreToldAtOnce(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := ownFiles(t, dir, "one.lan", noon)
	_, others := ownFiles(t, t.TempDir(), "one.lan", noon)
	for what, c := range map[string][2]string{
		"no file": {filepath.Join(dir, "none"), keyFile}, "another's key": {certFile, others}, "in the wrong order": {keyFile, certFile},
	} {
		if _, err := OpenOwn(c[0], c[1], slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "your certificate") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
