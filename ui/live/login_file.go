package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// loginFile is a file with a text where the desktop looks for what to start: the XDG autostart folder on Linux and BSD,
// LaunchAgents on macOS.
type loginFile struct{ path, text string }

func (loginFile) Possible() bool { return true }

func (l loginFile) On() bool {
	_, err := os.Stat(l.path)
	return err == nil
}

func (l loginFile) Set(on bool) error {
	if !on {
		if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no longer start at login: %w", err)
		}
		return nil
	}
	err := os.MkdirAll(filepath.Dir(l.path), 0o755)
	if err == nil {
		err = os.WriteFile(l.path, []byte(l.text), 0o644)
	}
	if err != nil {
		return fmt.Errorf("start at login: %w", err)
	}
	return nil
}

// desktopEntry quotes the program as the desktop entry specification does an argument; a percent sign would begin a field code.
func desktopEntry(program string) string {
	program = strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", "$", `\\$`, "%", "%%").Replace(program)
	return "[Desktop Entry]\nType=Application\nName=Perdiem\nExec=\"" + program + "\"\nX-GNOME-Autostart-enabled=true\n"
}

// launchAgent is a property list for launchd: see launchd.plist(5). Aqua is a session with a screen; over SSH none is opened.
func launchAgent(program string) string {
	program = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(program)
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>app.perdiem</string>
<key>ProgramArguments</key><array><string>` + program + `</string></array>
<key>RunAtLoad</key><true/>
<key>LimitLoadToSessionType</key><string>Aqua</string>
</dict></plist>
`
}
