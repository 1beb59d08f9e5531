package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"sync"
	"time"
)

const (
	leafLife = 90 * 24 * time.Hour
	renewAt  = 30 * 24 * time.Hour // before its end
)

// Made shows callers certificates that an authority signed. The names are looked at whenever somebody
// calls, so that a laptop that changed networks has its new addresses in the certificate at once.
type Made struct {
	Authority *Authority
	Names     func() Names // what the machine goes by at this moment
	Now       func() time.Time

	mu    sync.Mutex
	key   *ecdsa.PrivateKey
	leaf  *tls.Certificate
	names Names // those in the leaf
}

// GetCertificate is for [tls.Config].
func (m *Made) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	names, now := m.Names().within(m.Authority), m.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leaf != nil && names.equal(m.names) && now.Before(m.leaf.Leaf.NotAfter.Add(-renewAt)) && !now.Before(m.leaf.Leaf.NotBefore) {
		return m.leaf, nil
	}
	if m.key == nil {
		var err error
		if m.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			return nil, fmt.Errorf("make a key: %w", err)
		}
	}
	leaf, err := m.Authority.sign(&m.key.PublicKey, names, now)
	if err != nil {
		return nil, err
	}
	m.leaf, m.names = &tls.Certificate{Certificate: [][]byte{leaf.Raw, m.Authority.cert.Raw}, PrivateKey: m.key, Leaf: leaf}, names
	return m.leaf, nil
}

// sign makes a certificate for the names.
func (a *Authority) sign(key *ecdsa.PublicKey, names Names, now time.Time) (*x509.Certificate, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "Perdiem", Organization: []string{"Perdiem"}},
		NotBefore:    now.Add(-skew), NotAfter: now.Add(leafLife),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:              names.Hosts,
	}
	if template.NotAfter.After(a.cert.NotAfter) {
		template.NotAfter = a.cert.NotAfter
	}
	for _, ip := range names.Addresses {
		template.IPAddresses = append(template.IPAddresses, ip.AsSlice())
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}
