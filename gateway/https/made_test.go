package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net/netip"
	"testing"
	"time"
)

func newLeafKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestTheCertificateFollowsNamesAndTime(t *testing.T) {
	names, now := home, noon
	m := &Made{Authority: newAuthority(t), Names: func() Names { return names }, Now: func() time.Time { return now }}
	leaf := func() *x509.Certificate {
		t.Helper()
		c, err := m.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Certificate) != 2 || c.Leaf.NotAfter.After(m.Authority.Expires()) {
			t.Fatalf("a chain of %d until %v", len(c.Certificate), c.Leaf.NotAfter)
		}
		return c.Leaf
	}
	first := leaf()
	for _, name := range []string{"192.168.1.20", "203.0.113.5", "localhost", "ada-laptop", "llm.example.net"} {
		if err := verify(m.Authority, first, name, noon); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if leaf() != first {
		t.Error("it is made anew for every caller")
	}

	names.Addresses = append([]netip.Addr{netip.MustParseAddr("10.0.0.9")}, names.Addresses...)
	second := leaf()
	if err := verify(m.Authority, second, "10.0.0.9", noon); err != nil || second.SerialNumber.Cmp(first.SerialNumber) == 0 {
		t.Errorf("after another address came: %v", err)
	}

	now = noon.Add(leafLife - renewAt - time.Minute)
	if leaf() != second {
		t.Error("it is renewed long before its end")
	}
	now = now.Add(2 * time.Minute)
	third := leaf()
	if third == second || !third.NotAfter.Equal(now.Add(leafLife)) {
		t.Errorf("before its end: until %v", third.NotAfter)
	}
	now = noon.Add(-48 * time.Hour)
	if fourth := leaf(); fourth == third || now.Before(fourth.NotBefore) {
		t.Error("after the clock was set back it is not good yet")
	}
	now = m.Authority.Expires().Add(-time.Hour)
	leaf() // which checks that it does not outlive the authority
}

func TestAMachineHasNamesThatCanStandInACertificate(t *testing.T) {
	n := NamesHere([]string{"LLM.example.net", "203.0.113.5", "no such name!", "a..b", "::ffff:10.1.2.3"})
	has := func(h string) bool {
		for _, one := range n.Hosts {
			if one == h {
				return true
			}
		}
		for _, one := range n.Addresses {
			if one.String() == h {
				return true
			}
		}
		return false
	}
	for _, want := range append(OwnHosts(), "localhost", "127.0.0.1", "::1", "llm.example.net", "203.0.113.5", "10.1.2.3") {
		if !has(want) {
			t.Errorf("%s is missing from %+v", want, n)
		}
	}
	for _, no := range []string{"no such name!", "a..b"} {
		if has(no) {
			t.Errorf("%q is in %+v", no, n)
		}
	}
	if !NamesHere(nil).equal(NamesHere(nil)) {
		t.Error("the names come in another order each time")
	}
}
