package live

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows/registry"
)

// runKey is a value under the key of the registry whose commands Windows runs when this user logs in.
type runKey struct{ command string }

const (
	runKeyPath = `Software\Microsoft\Windows\CurrentVersion\Run`
	runKeyName = "Perdiem"
)

// newRunKey quotes the program: its path may have spaces, and cannot have quotes.
func newRunKey(program string) Login { return runKey{`"` + program + `"`} }

func (runKey) Possible() bool { return true }

func (runKey) On() bool {
	key, err := registry.OpenKey(registry.CURRENT_USER, runKeyPath, registry.QUERY_VALUE)
	if err != nil {
		return false
	}
	defer key.Close()
	_, _, err = key.GetStringValue(runKeyName)
	return err == nil
}

func (r runKey) Set(on bool) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, runKeyPath, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("start at login: %w", err)
	}
	defer key.Close()
	if on {
		err = key.SetStringValue(runKeyName, r.command)
	} else if err = key.DeleteValue(runKeyName); errors.Is(err, registry.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("start at login: %w", err)
	}
	return nil
}
