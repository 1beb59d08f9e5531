package https

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Own shows callers the owner's own certificate, and reads its files again when they change, as
// programs that renew certificates do.
type Own struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	cert *tls.Certificate
	seen [2]version // of the files when they were last read, also in vain
}

// version tells one state of a file from the next.
type version struct {
	size     int64
	modified time.Time
}

// OpenOwn reads a certificate, with the chain to an authority that callers trust, and its key, both as PEM.
func OpenOwn(certFile, keyFile string, log *slog.Logger) (*Own, error) {
	o := &Own{certFile: certFile, keyFile: keyFile, log: log}
	var err error
	if o.seen, err = o.versions(); err != nil {
		return nil, fmt.Errorf("look at your certificate: %w", err)
	}
	o.cert, err = o.read()
	return o, err
}

func (o *Own) read() (*tls.Certificate, error) {
	cert, err := tls.LoadX509KeyPair(o.certFile, o.keyFile)
	if err != nil {
		return nil, fmt.Errorf("read your certificate and its key: %w", err)
	}
	return &cert, nil
}

func (o *Own) versions() ([2]version, error) {
	var v [2]version
	for i, name := range []string{o.certFile, o.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return v, err
		}
		v[i] = version{info.Size(), info.ModTime()}
	}
	return v, nil
}

// GetCertificate is for [tls.Config]. Files that cannot be read now, perhaps since they are just
// being written, leave the certificate that was.
func (o *Own) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, err := o.versions()
	if err != nil || now == o.seen {
		return o.cert, nil
	}
	o.seen = now
	fresh, err := o.read()
	if err != nil {
		o.log.Warn("the certificate's files changed, and cannot be read; the one before stays", "error", err)
		return o.cert, nil
	}
	o.cert = fresh
	return fresh, nil
}

// Names are those that the certificate is for, as it was last read; a wildcard is no name to call by.
func (o *Own) Names() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.cert.Leaf.DNSNames), func(n string) bool { return strings.HasPrefix(n, "*") })
}

// Leaf is the certificate as it is now.
func (o *Own) Leaf() *x509.Certificate {
	cert, _ := o.GetCertificate(nil)
	return cert.Leaf
}
