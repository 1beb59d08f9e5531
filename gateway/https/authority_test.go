package https

import (
	"crypto/x509"
	"encoding/pem"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

var home = Names{
	Hosts:     []string{"ada-laptop", "localhost", "llm.example.net"},
	Addresses: []netip.Addr{netip.MustParseAddr("192.168.1.20"), netip.MustParseAddr("203.0.113.5"), netip.MustParseAddr("2001:db8::1")},
}

func newAuthority(t *testing.T) *Authority {
	t.Helper()
	a, err := NewAuthority(home, noon)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// verify checks a leaf for a name as a client does that trusts the authority.
func verify(a *Authority, leaf *x509.Certificate, name string, at time.Time) error {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.PEM())
	_, err := leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: name, CurrentTime: at})
	return err
}

// What the authority signs beyond its names, as a thief of its key would, is not believed.
func TestAnAuthorityIsBelievedForThisTeamsNamesAlone(t *testing.T) {
	a := newAuthority(t)
	for name, good := range map[string]bool{
		"192.168.1.20": true, "203.0.113.5": true, "[fd00::7]": true, "[2001:db8::1]": true,
		"localhost": true, "ada-laptop": true, "ada-laptop.local": true, "box.lan": true, "llm.example.net": true,
		"api.openai.com": false, "example.net": false, "evil-llm.example.net": false, "llm.example.net.evil.com": false, "com": false,
	} {
		plain := strings.Trim(name, "[]")
		names := Names{}
		names.add(plain)
		key := newLeafKey(t)
		leaf, err := a.sign(&key.PublicKey, names, noon)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify(a, leaf, name, noon); (err == nil) != good {
			t.Errorf("%s is believed: %v, want %v (%v)", name, err == nil, good, err)
		}
		if a.Covers(plain) != good {
			t.Errorf("the authority says that it covers %s: %v", name, !good)
		}
	}
}

func TestAnAuthoritySignsNoFurtherAuthority(t *testing.T) {
	a := newAuthority(t)
	c := a.cert
	if len(c.PermittedIPRanges) > 0 {
		t.Error("Bun takes no certificate under an authority that is constrained to addresses")
	}
	if !c.MaxPathLenZero || c.MaxPathLen != 0 || c.KeyUsage != x509.KeyUsageCertSign || !slices.Equal(c.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) || !c.PermittedDNSDomainsCritical {
		t.Errorf("the authority may do more than it should: %+v", c.KeyUsage)
	}
}

func TestAnAuthorityIsReadFromItsSecret(t *testing.T) {
	a := newAuthority(t)
	secret, err := a.Secret()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(secret, " \n") || len(secret) > 2048 {
		t.Errorf("a keychain cannot keep %d bytes with blanks", len(secret))
	}
	again, err := ParseAuthority(secret)
	if err != nil || again.Fingerprint() != a.Fingerprint() || !again.Expires().Equal(a.Expires()) {
		t.Fatalf("%v", err)
	}
	other, err := newAuthority(t).Secret()
	if err != nil {
		t.Fatal(err)
	}
	key, cert, _ := strings.Cut(secret, ".")
	_, othersCert, _ := strings.Cut(other, ".")
	for what, damaged := range map[string]string{
		"nothing": "", "half": key, "no key": "." + cert, "another's certificate": key + "." + othersCert, "cut": secret[:len(secret)-40], "no text": "é.é",
	} {
		if _, err := ParseAuthority(damaged); err == nil || damaged != "" && strings.Contains(err.Error(), damaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzParseAuthority(f *testing.F) {
	a, err := NewAuthority(home, noon)
	if err != nil {
		f.Fatal(err)
	}
	secret, err := a.Secret()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(secret)
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := ParseAuthority(text); (err == nil) != (a != nil) {
			t.Errorf("%v, %v", a, err)
		}
	})
}

func TestAFingerprintIsWrittenAsBrowsersDo(t *testing.T) {
	a := newAuthority(t)
	if !regexp.MustCompile(`^([0-9A-F]{2}:){31}[0-9A-F]{2}$`).MatchString(a.Fingerprint()) {
		t.Errorf("it is %s", a.Fingerprint())
	}
	block, rest := pem.Decode(a.PEM())
	if block == nil || len(rest) > 0 || Fingerprint(block.Bytes) != a.Fingerprint() || strings.Contains(string(a.PEM()), "KEY") {
		t.Errorf("what teammates get is %s", a.PEM())
	}
}
