package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Login starts the program when its owner logs in, by a file where the desktop looks for such: the XDG autostart folder on
// Linux and BSD, LaunchAgents on macOS.
type Login struct {
	system, config, home string
	program              string
}

// NewLogin is for a system (runtime.GOOS), the user's configuration and home folders, and the program to start.
func NewLogin(system, config, home, program string) Login {
	return Login{system, config, home, program}
}

// Possible tells whether this system has such a folder that we know.
func (l Login) Possible() bool { return l.file() != "" && l.program != "" }

func (l Login) file() string {
	switch l.system {
	case "linux", "freebsd", "openbsd", "netbsd":
		if l.config != "" {
			return filepath.Join(l.config, "autostart", "perdiem.desktop")
		}
	case "darwin":
		if l.home != "" {
			return filepath.Join(l.home, "Library", "LaunchAgents", "app.perdiem.plist")
		}
	}
	return ""
}

// On tells whether the program starts at login.
func (l Login) On() bool {
	_, err := os.Stat(l.file())
	return err == nil
}

// Set has the program started at login, or no longer.
func (l Login) Set(on bool) error {
	if !l.Possible() {
		return errors.New("on this system, add Perdiem to the programs that start at login by hand")
	}
	if !on {
		if err := os.Remove(l.file()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no longer start at login: %w", err)
		}
		return nil
	}
	err := os.MkdirAll(filepath.Dir(l.file()), 0o755)
	if err == nil {
		err = os.WriteFile(l.file(), []byte(l.text()), 0o644)
	}
	if err != nil {
		return fmt.Errorf("start at login: %w", err)
	}
	return nil
}

func (l Login) text() string {
	if l.system == "darwin" {
		program := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(l.program)
		return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>app.perdiem</string>
<key>ProgramArguments</key><array><string>` + program + `</string></array>
<key>RunAtLoad</key><true/>
</dict></plist>
`
	}
	// The desktop entry specification quotes an argument so; a percent sign would begin a field code.
	program := strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", "$", `\\$`, "%", "%%").Replace(l.program)
	return "[Desktop Entry]\nType=Application\nName=Perdiem\nExec=\"" + program + "\"\nX-GNOME-Autostart-enabled=true\n"
}
