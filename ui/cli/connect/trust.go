package connect

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perdiem/ui/live"
)

// patience is how long a gateway may take to answer.
const patience = 10 * time.Second

// caPath is where a gateway has the certificate of its authority.
const caPath = "/page/ca.pem"

// Trust is how a gateway that speaks HTTPS is known for what it is. Without either, the machine must
// trust it by itself.
type Trust struct {
	CA          string // a file with the authority's certificate
	Fingerprint string // the authority's SHA-256, in hexadecimal, as its owner told it
}

// Reach readies a gateway to be asked. Given a fingerprint, it fetches the authority's certificate,
// takes it only if it has that fingerprint, and keeps it in a folder, where tools can read it.
func Reach(ctx context.Context, base string, t Trust, folder string) (Gateway, error) {
	g := Gateway{Base: base, client: http.DefaultClient}
	if !strings.HasPrefix(base, "https://") {
		return g, nil
	}
	switch {
	case t.CA != "":
		path, err := filepath.Abs(t.CA)
		if err != nil {
			return g, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return g, fmt.Errorf("read the certificate: %w", err)
		}
		g.CA = path
		err = g.trust(text)
		return g, err
	case t.Fingerprint != "":
		text, err := fetchCA(ctx, base, live.PlainFingerprint(t.Fingerprint))
		if err != nil {
			return g, err
		}
		g.CA = filepath.Join(folder, "ca-"+live.PlainFingerprint(t.Fingerprint)[:16]+".pem")
		if err := write(g.CA, text, 0o644); err != nil {
			return g, fmt.Errorf("keep the certificate: %w", err)
		}
		err = g.trust(text)
		return g, err
	}
	return g, nil
}

// trust has the gateway be known by one authority, and no other.
func (g *Gateway) trust(text []byte) error {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return errors.New("there is no certificate in the file; it begins with -----BEGIN CERTIFICATE-----")
	}
	g.client = clientWith(&tls.Config{RootCAs: pool})
	return nil
}

func clientWith(config *tls.Config) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: true}
	return &http.Client{Transport: transport}
}

// fetchCA gets the authority's certificate of a gateway that is not trusted yet: the fingerprint
// tells whether it is the right one, whoever sent it.
func fetchCA(ctx context.Context, base, fingerprint string) ([]byte, error) {
	if raw, err := hex.DecodeString(fingerprint); err != nil || len(raw) != sha256.Size {
		return nil, errors.New("a fingerprint is 64 digits and letters, as the owner's window shows them")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/v1")+caPath, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := clientWith(&tls.Config{InsecureSkipVerify: true}).Do(req) // nothing secret is sent, and what comes is checked below
	if err != nil {
		return nil, inWords(err, base)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return nil, inWords(err, base)
	}
	block, _ := pem.Decode(text)
	if res.StatusCode != http.StatusOK || block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("the gateway at %s has no certificate to fetch; leave --fingerprint out", base)
	}
	if sum := sha256.Sum256(block.Bytes); hex.EncodeToString(sum[:]) != fingerprint {
		return nil, fmt.Errorf("what answers at %s has another fingerprint than its owner told: it may be somebody else, so nothing was sent to it", base)
	}
	return pem.EncodeToMemory(block), nil
}

// inWords says why a gateway could not be asked.
func inWords(err error, base string) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &unknown):
		return errors.New("this machine does not trust the gateway's certificate; give its fingerprint, which the owner's window shows, with --fingerprint, or the file with --ca")
	case errors.As(err, &name):
		return fmt.Errorf("the gateway's certificate is not for this address: %w; use another of its addresses", name)
	}
	return fmt.Errorf("no gateway answers at %s: %w", base, err)
}
