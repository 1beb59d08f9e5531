package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"perdiem/gateway/boot"
)

type httpsCmd struct {
	Show  httpsShowCmd  `cmd:"" default:"1" help:"Show how the port is encrypted."`
	On    httpsOnCmd    `cmd:"" help:"Have the port speak HTTPS alone, with a certificate made here or your own."`
	Off   httpsOffCmd   `cmd:"" help:"Have the port speak plain HTTP again."`
	CA    httpsCACmd    `cmd:"" name:"ca" help:"Print the certificate that tools must trust."`
	Renew httpsRenewCmd `cmd:"" help:"Make a new certificate to trust, for this machine's names of today. Every tool must be told."`
}

// encryption is how HTTPS is told in JSON.
type encryption struct {
	On          bool       `json:"on"`
	Own         bool       `json:"own"`
	Fingerprint string     `json:"fingerprint,omitempty"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"`
	Uncovered   []string   `json:"uncovered,omitempty"`
}

type httpsShowCmd struct{}

func (httpsShowCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return s.tellHTTPS(ctx, app, "")
}

// tellHTTPS tells how the port is encrypted, after what was done about it.
func (s *session) tellHTTPS(ctx context.Context, app *boot.App, done string) error {
	h, err := app.HTTPS(ctx)
	if err != nil {
		return err
	}
	if !h.On {
		return s.say(encryption{}, "%sThe port speaks plain HTTP. Encrypt it with: perdiem https on", done)
	}
	value := encryption{h.On, h.Own, h.Fingerprint, &h.Expires, h.Uncovered}
	if h.Own {
		return s.say(value, "%sThe port speaks HTTPS with your own certificate, good until %s.\nIts SHA-256 is\n  %s", done, timeText(&h.Expires), h.Fingerprint)
	}
	more := ""
	if len(h.Uncovered) > 0 {
		more = "\nIt is not for " + strings.Join(h.Uncovered, ", ") + ", which came later. A new one is: perdiem https renew"
	}
	return s.say(value, "%sThe port speaks HTTPS. Tools must trust its certificate, at /page/ca.pem or by: perdiem https ca\nThe certificate's SHA-256 is\n  %s%s", done, h.Fingerprint, more)
}

type httpsOnCmd struct {
	Cert string `help:"Your own certificate, with its chain, as PEM (default: one is made here)." placeholder:"FILE" type:"path" and:"own"`
	Key  string `help:"Its private key, as PEM." placeholder:"FILE" type:"path" and:"own"`
}

func (c httpsOnCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return s.setHTTPS(ctx, app, boot.HTTPSSettings{On: true, CertFile: c.Cert, KeyFile: c.Key})
}

type httpsOffCmd struct{}

func (httpsOffCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return s.setHTTPS(ctx, app, boot.HTTPSSettings{})
}

// fromNextStart is so of what one program changes for another that runs.
const fromNextStart = "Kept. A gateway that runs takes it up when it is started again.\n"

func (s *session) setHTTPS(ctx context.Context, app *boot.App, to boot.HTTPSSettings) error {
	settings, err := app.Settings(ctx)
	if err != nil {
		return err
	}
	settings.HTTPS = to
	if err := app.SetSettings(ctx, settings); err != nil {
		return err
	}
	return s.tellHTTPS(ctx, app, fromNextStart)
}

type httpsCACmd struct{}

func (httpsCACmd) Run(ctx context.Context, s *session, app *boot.App) error {
	h, err := app.HTTPS(ctx)
	switch {
	case err != nil:
		return err
	case !h.On:
		return errors.New("the port speaks plain HTTP; encrypt it with: perdiem https on")
	case h.Own:
		return errors.New("the port shows your own certificate; tools trust what signed that")
	}
	return s.say(map[string]string{"ca": string(h.CA), "fingerprint": h.Fingerprint}, "%s", strings.TrimSuffix(string(h.CA), "\n"))
}

type httpsRenewCmd struct{}

func (httpsRenewCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if err := app.RenewHTTPS(ctx); err != nil {
		return err
	}
	return s.tellHTTPS(ctx, app, fromNextStart)
}
