// Package https encrypts the gateway's port: it makes the certificates that the port is known by, or
// reads the owner's own, and sorts those who call by whether they speak TLS.
//
// Invariants:
//
//   - A private key is in memory and, for the authority, in the place for secrets alone. The key of
//     the certificate that callers see is made anew at each start and written nowhere.
//   - Whoever trusts the authority trusts it for no name but those of local networks and the ones
//     that it was made for: its certificate is constrained to them.
package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"strings"
	"time"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	// skew is how far a teammate's clock may be behind ours.
	skew = 24 * time.Hour
)

// Authority signs the certificates of one gateway (a CA). Teammates' tools are told to trust it.
type Authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// NewAuthority makes an authority for the names, for local ones, and for addresses.
//
// Addresses are not constrained, though the standard knows how (RFC 5280, section 4.2.1.10): BoringSSL,
// on which Bun and so Claude Code and opencode stand, takes no certificate under such a constraint
// (UNSUPPORTED_CONSTRAINT_TYPE, tried).
func NewAuthority(names Names, now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the authority's key: %w", err)
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// The serial tells two authorities of one machine apart where a system lists what it trusts.
		Subject:   pkix.Name{CommonName: fmt.Sprintf("Perdiem gateway %x", serial.Bytes()[:4]), Organization: []string{"Perdiem"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage:    x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},

		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         names.domains(),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("make the authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the new authority: %w", err)
	}
	return &Authority{key, cert}, nil
}

// Secret is the authority with its private key, as one line of text for a place that keeps secrets.
func (a *Authority) Secret() (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return "", errors.New("the authority's key cannot be written") // without what the library may say of it
	}
	return base64.StdEncoding.EncodeToString(der) + "." + base64.StdEncoding.EncodeToString(a.cert.Raw), nil
}

var errNoAuthority = errors.New("the secret that signs this gateway's certificates is damaged; make a new one with: perdiem https renew")

// ParseAuthority reads what Secret wrote. Its errors never repeat it.
func ParseAuthority(secret string) (*Authority, error) {
	first, second, _ := strings.Cut(secret, ".")
	keyDER, errKey := base64.StdEncoding.DecodeString(first)
	certDER, errCert := base64.StdEncoding.DecodeString(second)
	if errKey != nil || errCert != nil {
		return nil, errNoAuthority
	}
	parsed, errKey := x509.ParsePKCS8PrivateKey(keyDER)
	cert, errCert := x509.ParseCertificate(certDER)
	key, ok := parsed.(*ecdsa.PrivateKey)
	if errKey != nil || errCert != nil || !ok || !cert.IsCA || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, errNoAuthority
	}
	return &Authority{key, cert}, nil
}

// PEM is the authority's certificate, for teammates: there is nothing secret in it.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// Fingerprint is the SHA-256 of the authority's certificate, as Fingerprint writes it.
func (a *Authority) Fingerprint() string { return Fingerprint(a.cert.Raw) }

// Expires is when the authority ends, and a new one must be trusted.
func (a *Authority) Expires() time.Time { return a.cert.NotAfter }

// Fingerprint is the SHA-256 of a certificate's DER bytes in the way that browsers and openssl show it.
func Fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}

// Covers tells whether the authority may sign for a host, a name or an address.
func (a *Authority) Covers(host string) bool {
	if net.ParseIP(host) != nil {
		return true
	}
	host = strings.ToLower(host)
	return slices.ContainsFunc(a.cert.PermittedDNSDomains, func(d string) bool {
		return host == d || strings.HasSuffix(host, "."+d)
	})
}

// newSerial draws 127 random bits, of which the first is set, so that it is never short.
func newSerial() (*big.Int, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, fmt.Errorf("draw a serial number: %w", err)
	}
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b[:]), nil
}
