package live_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perdiem/ui/live"
)

const oddPath = `/opt/per diem/a$b "c" <&>/perdiem`

func TestStartingAtLoginIsAFileOnLinuxAndMacOS(t *testing.T) {
	for system, c := range map[string]struct{ file, has string }{
		"linux":  {"config/autostart/perdiem.desktop", `Exec="/opt/per diem/a\\$b \\"c\\" <&>/perdiem"`},
		"darwin": {"home/Library/LaunchAgents/app.perdiem.plist", `<string>/opt/per diem/a$b "c" &lt;&amp;&gt;/perdiem</string>`},
	} {
		t.Run(system, func(t *testing.T) {
			dir := t.TempDir()
			l := live.NewLogin(system, filepath.Join(dir, "config"), filepath.Join(dir, "home"), oddPath)
			if !l.Possible() || l.On() {
				t.Fatalf("possible %v, on %v", l.Possible(), l.On())
			}
			if err := l.Set(true); err != nil || !l.On() {
				t.Fatalf("on %v, %v", l.On(), err)
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.file)))
			if err != nil || !strings.Contains(string(text), c.has) {
				t.Errorf("%v; the file says\n%s\nwant\n%s", err, text, c.has)
			}
			if system == "darwin" {
				wellFormed(t, string(text))
			}
			for range 2 { // asked twice, it does not fail
				if err := l.Set(false); err != nil || l.On() {
					t.Fatalf("on %v, %v", l.On(), err)
				}
			}
		})
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the property list: %v", err)
		}
	}
}

func TestStartingAtLoginIsNotOfferedWhereNoWayIsKnown(t *testing.T) {
	for name, l := range map[string]live.Login{
		"another system":           live.NewLogin("plan9", "/c", "/h", "/bin/perdiem"),
		"no configuration folder":  live.NewLogin("linux", "", "/h", "/bin/perdiem"),
		"no home":                  live.NewLogin("darwin", "/c", "", "/bin/perdiem"),
		"the program is not known": live.NewLogin("linux", "/c", "/h", ""),
		"unknown, and on Windows":  live.NewLogin("windows", "/c", "/h", ""),
	} {
		if l.Possible() || l.On() {
			t.Errorf("%s: possible %v, on %v", name, l.Possible(), l.On())
		}
		if err := l.Set(true); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%s: switched on: %v", name, err)
		}
	}
}
