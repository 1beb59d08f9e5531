package boot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"time"

	"perdiem/meter"
	"perdiem/meter/sqlite"
)

// Settings are what the owner may set about the gateway. They are kept beside the books.
type Settings struct {
	Listen    string   `json:"listen,omitempty"`    // host:port; what the program was started with goes before it
	HostNames []string `json:"hostNames,omitempty"` // further names that callers may address this machine by
	Quiet     bool     `json:"quiet,omitempty"`     // not announced in the local network, from the next start on
	KeepDays  int      `json:"keepDays,omitempty"`  // how long activity is kept; the meter's default for 0

	HTTPS HTTPSSettings `json:"https,omitzero"`
}

// HTTPSSettings say whether the port speaks HTTPS, and with which certificate.
type HTTPSSettings struct {
	On       bool   `json:"on,omitempty"`
	CertFile string `json:"certFile,omitempty"` // the owner's own; one of ours if empty
	KeyFile  string `json:"keyFile,omitempty"`  // its key; only where it is read, never what is in it
}

const settingsName = "gateway"

// ErrSettings is for settings that cannot be.
var ErrSettings = errors.New("not a setting that can be")

// Settings reads the settings.
func (a *App) Settings(ctx context.Context) (Settings, error) {
	var s Settings
	text, err := a.Meter.Setting(ctx, settingsName)
	if err != nil || text == "" {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return Settings{}, fmt.Errorf("decode the settings: %w", err)
	}
	return s, nil
}

// SetSettings keeps settings and puts them into effect. Another port, or HTTPS, is put into effect at once: running calls
// end as at Stop. Where that cannot be, nothing changes, and the gateway goes on as it was.
func (a *App) SetSettings(ctx context.Context, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	old := *a.settings.Load()
	if s.HTTPS != old.HTTPS { // else a keychain that is locked by now is in nobody's way
		if _, err := a.openEncryption(ctx, s); err != nil {
			return err
		}
	}
	if err := a.adopt(ctx, old, s); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = a.Meter.SetSetting(ctx, settingsName, string(text))
	}
	if err != nil {
		return errors.Join(err, a.adopt(ctx, s, old))
	}
	return nil
}

// adopt puts settings into effect; where the port cannot be had so, it goes back.
func (a *App) adopt(ctx context.Context, from, to Settings) error {
	a.put(to)
	if a.listenAt(from) == a.listenAt(to) && from.HTTPS == to.HTTPS {
		return nil
	}
	err := a.restart(ctx)
	if err == nil {
		return nil
	}
	a.put(from)
	return errors.Join(err, a.restart(ctx))
}

// put has settings count from now on, but for what is asked for only at a start.
func (a *App) put(s Settings) {
	a.settings.Store(&s)
	if !a.listenGiven {
		a.mu.Lock()
		a.options.Listen = a.listenAt(s)
		a.mu.Unlock()
	}
}

// ListenFixed tells whether the address to listen on was given when the program was started.
func (a *App) ListenFixed() bool { return a.listenGiven }

// listenAt is where the gateway listens by these settings.
func (a *App) listenAt(s Settings) string {
	switch {
	case a.listenGiven:
		return a.options.Listen
	case s.Listen == "":
		return DefaultListen
	}
	return s.Listen
}

// loadSettings reads the settings when the App is opened.
func (a *App) loadSettings(ctx context.Context) error {
	s, err := a.Settings(ctx)
	if err != nil {
		return err
	}
	a.put(s)
	return nil
}

// ownNames are the further names that the owner set, as they are at this moment.
func (a *App) ownNames() []string { return a.settings.Load().HostNames }

// hostNames are the further names that callers may use, as they are at this moment.
func (a *App) hostNames() []string {
	names := slices.Clone(a.ownNames())
	return append(names, a.encryption.Load().names()...)
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

func (s Settings) check() error {
	if s.Listen != "" {
		host, port, err := net.SplitHostPort(s.Listen)
		n, numeric := strconv.Atoi(port)
		if err != nil || numeric != nil || n < 0 || n > 65535 {
			return fmt.Errorf("%q is no port from 1 to 65535: %w", s.Listen, ErrSettings)
		}
		if _, err := netip.ParseAddr(host); host != "" && host != "localhost" && err != nil {
			return fmt.Errorf("%q is no address of this machine: %w", host, ErrSettings)
		}
	}
	if (s.HTTPS.CertFile == "") != (s.HTTPS.KeyFile == "") {
		return fmt.Errorf("a certificate of your own wants both its files, the certificate's and the key's: %w", ErrSettings)
	}
	for _, name := range s.HostNames {
		if len(name) > 253 || !hostName.MatchString(name) {
			return fmt.Errorf("%q is no host name: %w", name, ErrSettings)
		}
	}
	if s.KeepDays < 0 || s.KeepDays > 3650 {
		return fmt.Errorf("activity is kept for 1 to 3,650 days: %w", ErrSettings)
	}
	return nil
}

// Data is the folder with the database and its backups; empty where the books are in a database server.
func (a *App) Data() string {
	if a.options.Store != "" {
		return ""
	}
	return a.options.Data
}

// BackupDir is where the daily backups are; empty where there are none.
func (a *App) BackupDir() string {
	if a.Data() == "" {
		return ""
	}
	return sqlite.BackupDir(databaseIn(a.Data()))
}

// keep is how long activity is kept.
func (s Settings) keep() time.Duration {
	if s.KeepDays == 0 {
		return meter.KeepActivity
	}
	return time.Duration(s.KeepDays) * 24 * time.Hour
}
