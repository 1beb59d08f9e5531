package ui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/gateway/boot"
	"perdiem/ui/live"
)

// httpsPart is how the port is encrypted: the choice, the owner's own files, and what callers see.
type httpsPart struct {
	d       *Desk
	content *fyne.Container
	how     *choice
	cert    *entry
	key     *entry
	own     fyne.CanvasObject // the fields for the owner's own files
	now     fyne.CanvasObject // what callers see
	says    *widget.Label
	digits  [2]*text // its fingerprint, in two lines: it is compared by eye
	save    *widget.Button
	renew   *widget.Button
	ca      []byte
	refit   func() // lays out what is around, since this grows and shrinks
}

// How the port may be encrypted, in the order of the choice.
const (
	inPlain = iota
	byOurs
	byOwn
)

func newHTTPSPart(d *Desk, refit func()) *httpsPart {
	h := &httpsPart{d: d, refit: refit, cert: newEntry("/etc/ssl/gateway.pem"), key: newEntry("/etc/ssl/gateway.key"), says: widget.NewLabel(""), digits: [2]*text{newText(""), newText("")}}
	h.how = newChoice(func() { h.fit() }, "Plain HTTP", "HTTPS", "HTTPS, own certificate")
	h.own = container.New(shares{1, 1}, labelled("Certificate and its chain, PEM", h.cert), labelled("Its private key, PEM", h.key))
	h.save = widget.NewButton("Save the certificate", h.saveCA)
	h.renew = widget.NewButton("Make a new one …", h.askRenew)
	lines := container.NewStack(newGround(theme.ColorNameBackground, 4), inset(stack(0, h.digits[0], h.digits[1]), gap, gap, gap, gap))
	h.now = stack(gap, paragraph(h.says), labelled("SHA-256 of the certificate", lines),
		container.New(layout.NewCustomPaddedHBoxLayout(gap), h.save, h.renew))
	h.content = stack(gap, labelled("How the port is encrypted", line(0, h.how.content)), h.own, h.now)
	h.now.Hide()
	h.fit()
	return h
}

// fit shows the fields that the choice has.
func (h *httpsPart) fit() {
	if h.how.chosen == byOwn {
		h.own.Show()
	} else {
		h.own.Hide()
	}
	h.refit()
}

// fill puts what stands into the fields.
func (h *httpsPart) fill(s boot.HTTPSSettings) {
	h.cert.SetText(s.CertFile)
	h.key.SetText(s.KeyFile)
	switch {
	case !s.On:
		h.how.chosen = inPlain
	case s.CertFile == "":
		h.how.chosen = byOurs
	default:
		h.how.chosen = byOwn
	}
	h.how.mark()
	h.fit()
}

// read is what the fields say.
func (h *httpsPart) read() boot.HTTPSSettings {
	s := boot.HTTPSSettings{On: h.how.chosen != inPlain}
	if h.how.chosen == byOwn {
		s.CertFile, s.KeyFile = strings.TrimSpace(h.cert.Text), strings.TrimSpace(h.key.Text)
	}
	return s
}

// show tells what callers see now.
func (h *httpsPart) show(now boot.HTTPS, err error) {
	h.ca = now.CA
	switch {
	case err != nil:
		h.says.SetText(live.Plain(err))
	case now.Own:
		h.says.SetText("Your own certificate, good until " + now.Expires.Format("2 January 2006") + ". Its files are read again when they change.")
	case len(now.Uncovered) > 0:
		h.says.SetText("The certificate is not for " + strings.Join(now.Uncovered, ", ") + ", which came later. A new one is, and every tool must be told to trust it.")
	default:
		h.says.SetText("Tools must be told to trust the certificate that Perdiem made. Set-up texts and join links say how.")
	}
	half := len(now.Fingerprint) / 2 // at a colon
	h.digits[0].say(now.Fingerprint[:half])
	h.digits[1].say(strings.TrimPrefix(now.Fingerprint[half:], ":"))
	for _, b := range []*widget.Button{h.save, h.renew} {
		if len(now.CA) > 0 {
			b.Show()
		} else {
			b.Hide()
		}
	}
	if now.On || err != nil {
		h.now.Show()
	} else {
		h.now.Hide()
	}
	h.refit()
}

// saveCA writes the certificate into the owner's folder for downloads, or their home, for whoever cannot fetch it.
func (h *httpsPart) saveCA() {
	home, err := os.UserHomeDir()
	folder := filepath.Join(home, "Downloads")
	if _, missing := os.Stat(folder); missing != nil {
		folder = home
	}
	to := filepath.Join(folder, "perdiem-ca.pem")
	if err == nil {
		err = os.WriteFile(to, h.ca, 0o644)
	}
	if err != nil {
		h.d.shell.tell(colorSpent, "The certificate could not be saved: "+live.Plain(err))
		return
	}
	h.d.shell.tell(theme.ColorNamePrimary, "Saved "+to+". There is no secret in it.")
}

func (h *httpsPart) askRenew() {
	h.d.ask("Make a new certificate?", "Every tool that trusts the one before must be told to trust the new one. Running calls end.", "Make a new one",
		func(ctx context.Context) error {
			if len(h.ca) == 0 {
				return errors.New("HTTPS is off; turn it on first")
			}
			return h.d.services.House.RenewHTTPS(ctx)
		}, func() { h.d.pump.Reload() })
}
