package boot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
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

// SetSettings keeps settings and puts them into effect. Another port is taken at once: running calls end as at Stop. Where
// it cannot be had, nothing changes, and the gateway goes on where it was.
func (a *App) SetSettings(ctx context.Context, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	old, err := a.Settings(ctx)
	if err != nil {
		return err
	}
	moved := !a.ListenFixed() && a.listenAt(old) != a.listenAt(s)
	if moved {
		if err := a.move(ctx, a.listenAt(s)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = a.Meter.SetSetting(ctx, settingsName, string(text))
	}
	if err != nil {
		if moved {
			err = errors.Join(err, a.move(ctx, a.listenAt(old)))
		}
		return err
	}
	a.settings.Store(&s)
	return nil
}

// move has the gateway listen elsewhere; where that fails it goes back.
func (a *App) move(ctx context.Context, to string) error {
	a.mu.Lock()
	from := a.options.Listen
	a.options.Listen = to
	a.mu.Unlock()
	if !a.On() {
		return nil // looked at when it starts
	}
	if err := a.Stop(); err != nil {
		return err
	}
	err := a.Start(context.WithoutCancel(ctx))
	if err == nil {
		return nil
	}
	a.mu.Lock()
	a.options.Listen = from
	a.mu.Unlock()
	return errors.Join(err, a.Start(context.WithoutCancel(ctx)))
}

// ListenFixed tells whether the address to listen on was given when the program was started.
func (a *App) ListenFixed() bool { return a.listenGiven }

func (a *App) listenAt(s Settings) string {
	if s.Listen == "" {
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
	a.settings.Store(&s)
	if !a.listenGiven {
		a.options.Listen = a.listenAt(s)
	}
	return nil
}

// hostNames are the further names that callers may use, as they are at this moment.
func (a *App) hostNames() []string {
	if s := a.settings.Load(); s != nil {
		return s.HostNames
	}
	return nil
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
	return sqlite.BackupDir(filepath.Join(a.Data(), "perdiem.db"))
}

// keep is how long activity is kept.
func (s Settings) keep() time.Duration {
	if s.KeepDays == 0 {
		return meter.KeepActivity
	}
	return time.Duration(s.KeepDays) * 24 * time.Hour
}
