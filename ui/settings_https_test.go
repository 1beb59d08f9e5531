package ui

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"

	"perdiem/providers/keys"
	"perdiem/ui/live"
)

// seePrint fails unless a fingerprint is in sight, whole.
func (r *rig) seePrint(fingerprint string) {
	r.t.Helper()
	r.see(fingerprint[:47])
	r.see(fingerprint[48:])
}

func TestHTTPSIsSwitchedOnAndWhatCallersSeeIsShown(t *testing.T) {
	r := newRig(t)
	t.Setenv("HOME", r.home)
	t.Setenv("USERPROFILE", r.home)
	r.open(pageSettings)
	r.notSee("SHA-256")
	r.notSee("Its private key, PEM")
	r.press("HTTPS")
	r.press("Save")
	r.settle()
	r.see("Saved, and in effect.")
	h, err := r.house.HTTPS(t.Context())
	if err != nil || !h.On || h.Own {
		t.Fatalf("%+v, %v", h, err)
	}
	r.seePrint(h.Fingerprint)
	r.press("Save the certificate")
	r.see("There is no secret in it.")
	if text, err := os.ReadFile(filepath.Join(r.home, "perdiem-ca.pem")); err != nil || !bytes.Equal(text, h.CA) {
		t.Errorf("saved is %s, %v", text, err)
	}
	r.press("Make a new one …")
	r.see("Every tool that trusts the one before")
	r.press("Make a new one")
	r.settle()
	fresh, err := r.house.HTTPS(t.Context())
	if err != nil || fresh.Fingerprint == h.Fingerprint {
		t.Fatalf("renewed: %v", err)
	}
	r.seePrint(fresh.Fingerprint)
	r.press("Plain HTTP")
	r.press("Save")
	r.settle()
	r.notSee("SHA-256")
}

func TestWhyHTTPSCannotBeIsSaidAndNothingChanges(t *testing.T) {
	for what, c := range map[string]struct {
		choose, says string
		change       func(*rig)
	}{
		"no keychain":       {"HTTPS", "has no keychain", func(r *rig) { r.secrets.missing = keys.ErrNoKeychain }},
		"files not given":   {"HTTPS, own certificate", "Not saved", func(r *rig) { r.settings().https.cert.SetText("/none/cert.pem") }},
		"files not there":   {"HTTPS, own certificate", "no such file", func(r *rig) { r.settings().https.cert.SetText("/none/a"); r.settings().https.key.SetText("/none/b") }},
		"a choice, unsaved": {"HTTPS", "Settings", nil},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			r.open(pageSettings)
			r.press(c.choose)
			if c.change != nil {
				c.change(r)
				r.press("Save")
				r.settle()
			}
			r.see(c.says)
			if s, err := r.house.Settings(t.Context()); err != nil || s.HTTPS.On {
				t.Errorf("kept %+v, %v", s, err)
			}
		})
	}
}

func TestAJoinLinkIsShownOnceAndGood(t *testing.T) {
	r := newRig(t)
	amara := r.person("Amara", "")
	r.focusPerson("Amara")
	r.press("Join link")
	r.settle()
	r.see("A join link for Amara")
	r.press("Copy")
	link, err := live.ParseJoinLink(fyne.CurrentApp().Clipboard().Content())
	r.must(err)
	if base := r.gate.Addresses()[0].URL; link.Base != base || link.Fingerprint != "" {
		t.Errorf("it leads to %+v, want %s", link, base)
	}
	if who, _, _, err := r.books.RedeemJoinCode(t.Context(), link.Code, "phone"); err != nil || who.ID != amara.ID {
		t.Errorf("it gives %+v, %v", who, err)
	}
	r.press("Done")
	r.notSee(link.Code)
	r.gate.addresses = nil
	r.press("Join link")
	r.see("no address that others could use")
}

func TestAJoinLinkSaysWhatToTrust(t *testing.T) {
	r := newRig(t)
	r.person("Amara", "")
	r.open(pageSettings)
	r.press("HTTPS")
	r.press("Save")
	r.settle()
	h, err := r.house.HTTPS(t.Context())
	r.must(err)
	r.focusPerson("Amara")
	r.press("Join link")
	r.settle()
	r.press("Copy")
	link, err := live.ParseJoinLink(fyne.CurrentApp().Clipboard().Content())
	if err != nil || link.Fingerprint != live.PlainFingerprint(h.Fingerprint) {
		t.Errorf("it says %+v, %v", link, err)
	}
	r.press("Done")
	r.press("New pass")
	r.typeText("CI")
	r.pages[pagePeople].(*people).d.sheet.submit()
	r.settle()
	r.see("$HOME/perdiem-ca.pem")
}
