package boot

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"perdiem/gateway/https"
)

// HTTPS is how the port is encrypted. Where it is not, only On counts.
type HTTPS struct {
	On          bool
	Own         bool      // the owner's own certificate, not one of ours
	Fingerprint string    // SHA-256 of our authority's certificate, or of the owner's own
	Expires     time.Time // when that ends
	CA          []byte    // the certificate of our authority, as PEM, for tools to trust; none for the owner's own
	// Uncovered are names and addresses of this machine that our authority may not sign for: they came
	// after it was made. A new one takes them in, and must be trusted anew.
	Uncovered []string
}

// HTTPS tells how the port is encrypted, or would be if the gateway were started.
func (a *App) HTTPS(ctx context.Context) (HTTPS, error) {
	e := a.encryption.Load()
	if !a.On() {
		var err error
		if e, err = a.openEncryption(ctx, *a.settings.Load()); err != nil {
			return HTTPS{}, err
		}
	}
	h := e.describe()
	if !h.On || h.Own {
		return h, nil
	}
	wanted := slices.Clone(a.ownNames())
	for _, address := range a.Addresses() {
		wanted = append(wanted, address.host())
	}
	for _, name := range wanted {
		if !e.made.Authority.Covers(name) && !slices.Contains(h.Uncovered, name) {
			h.Uncovered = append(h.Uncovered, name)
		}
	}
	return h, nil
}

// describe tells what callers see.
func (e *encryption) describe() HTTPS {
	switch {
	case e == nil:
		return HTTPS{}
	case e.own != nil:
		leaf := e.own.Leaf()
		return HTTPS{On: true, Own: true, Fingerprint: https.Fingerprint(leaf.Raw), Expires: leaf.NotAfter}
	}
	authority := e.made.Authority
	return HTTPS{On: true, Fingerprint: authority.Fingerprint(), Expires: authority.Expires(), CA: authority.PEM()}
}

// ClientTLS is for this program's own calls to the gateway that it serves: they take the certificate
// that it shows and no other, under whatever name it was called. Nil where the port speaks plain HTTP.
func (a *App) ClientTLS() *tls.Config {
	e := a.encryption.Load()
	if e == nil {
		return nil
	}
	return &tls.Config{
		InsecureSkipVerify: true, // since names do not matter; what follows is stricter than any authority
		VerifyConnection: func(state tls.ConnectionState) error {
			ours, err := e.GetCertificate(nil)
			if err == nil && !bytes.Equal(state.PeerCertificates[0].Raw, ours.Certificate[0]) {
				err = errors.New("another program answers in the gateway's place")
			}
			return err
		},
	}
}

// RenewHTTPS makes a new authority, for the names that this machine goes by now. Every tool must
// trust it anew. A gateway that serves takes it into use at once, and running calls end.
func (a *App) RenewHTTPS(ctx context.Context) error {
	s := *a.settings.Load()
	if s.HTTPS.CertFile != "" {
		return errors.New("the gateway shows your own certificate: renew it with the program that made it, and it is read anew")
	}
	if _, err := a.newAuthority(ctx, s.HostNames); err != nil {
		return err
	}
	return a.restart(ctx)
}

// encryption is what encrypts the port: certificates that we make, or the owner's own. Nil is none.
type encryption struct {
	made *https.Made
	own  *https.Own
}

// openEncryption gets ready what the settings want, and makes an authority if there is none yet. It
// is nil where they want plain HTTP.
func (a *App) openEncryption(ctx context.Context, s Settings) (*encryption, error) {
	if !a.encrypted(s) {
		return nil, nil
	}
	if s.HTTPS.CertFile != "" {
		own, err := https.OpenOwn(s.HTTPS.CertFile, s.HTTPS.KeyFile, a.options.Log)
		return &encryption{own: own}, err
	}
	authority, err := a.authority(ctx, s.HostNames)
	names := func() https.Names { return https.NamesHere(a.ownNames()) }
	return &encryption{made: &https.Made{Authority: authority, Names: names, Now: a.options.Now}}, err
}

func (a *App) encrypted(s Settings) bool { return s.HTTPS.On || a.options.HTTPS }

// GetCertificate is for [tls.Config].
func (e *encryption) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if e.own != nil {
		return e.own.GetCertificate(hello)
	}
	return e.made.GetCertificate(hello)
}

func (e *encryption) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: e.GetCertificate}
}

// names are those that the owner's own certificate is for.
func (e *encryption) names() []string {
	if e == nil || e.own == nil {
		return nil
	}
	return e.own.Names()
}

// restart has a gateway that serves, or that could not be started, take its port anew.
func (a *App) restart(ctx context.Context) error {
	if !a.On() && a.ListenError() == nil {
		return nil // looked at when it starts
	}
	if err := a.Stop(); err != nil {
		return fmt.Errorf("give the port back: %w", err)
	}
	return a.Start(context.WithoutCancel(ctx))
}
