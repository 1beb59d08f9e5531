package keys

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zalando/go-keyring"
)

// troubles are what the keychains' errors say, and what it means. The left side is matched anywhere in the text, in this
// order; all were seen on real systems or are in the sources of go-keyring, godbus and the security command.
var troubles = []struct {
	text string
	err  error
}{
	{"failed to unlock correct collection", ErrLocked}, // also a dismissed prompt, and a keyring that was never set up
	{"org.freedesktop.Secret.Error.IsLocked", ErrLocked},
	{"is locked", ErrLocked},
	{"Cannot create an item in a locked collection", ErrLocked},
	{"exit status 36", ErrLocked},  // macOS: interaction is not allowed
	{"exit status 51", ErrLocked},  // macOS: the answer was no
	{"exit status 128", ErrLocked}, // macOS: cancelled
	{"No such secret item", ErrNotFound},
	{"dbus-launch", ErrNoKeychain},
	{"couldn't determine address of session bus", ErrNoKeychain},
	{"org.freedesktop.secrets was not provided", ErrNoKeychain},
	{"org.freedesktop.DBus.Error.ServiceUnknown", ErrNoKeychain},
	{"The name is not activatable", ErrNoKeychain},
	{"No such interface", ErrNoKeychain},
	{"Object does not exist at path", ErrNoKeychain},
	{"dial unix", ErrNoKeychain}, // an address without a bus behind it
	{"dbus: ", ErrNoKeychain},
	{"unsupported platform", ErrNoKeychain},
}

// inWords translates an error of the keychain. One that nobody has met before is passed on with its own text: the
// keychains do not put secrets there.
func inWords(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrTooLong), errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLong
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNotFound
	}
	for _, t := range troubles {
		if strings.Contains(err.Error(), t.text) {
			return t.err
		}
	}
	return fmt.Errorf("the keychain did not work: %w", err)
}
