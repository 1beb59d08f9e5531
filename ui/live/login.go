package live

import (
	"errors"
	"path/filepath"
)

// Login starts the program when its owner logs in, in the way of the system that it runs on.
type Login interface {
	Possible() bool    // this system has a way that we know
	On() bool          // it is asked for
	Set(on bool) error // asks for it, or no longer
}

// NewLogin is for a system (runtime.GOOS), the user's configuration and home folders, and the program to start; any of them
// is empty where it is not to be had.
func NewLogin(system, config, home, program string) Login {
	switch {
	case program == "":
	case (system == "linux" || system == "freebsd" || system == "openbsd" || system == "netbsd") && config != "":
		return loginFile{filepath.Join(config, "autostart", "perdiem.desktop"), desktopEntry(program)}
	case system == "darwin" && home != "":
		return loginFile{filepath.Join(home, "Library", "LaunchAgents", "app.perdiem.plist"), launchAgent(program)}
	case system == "windows":
		return newRunKey(program)
	}
	return byHand{}
}

// byHand is a system where we know no way.
type byHand struct{}

func (byHand) Possible() bool { return false }
func (byHand) On() bool       { return false }
func (byHand) Set(bool) error {
	return errors.New("on this system, add Perdiem to the programs that start at login by hand")
}
