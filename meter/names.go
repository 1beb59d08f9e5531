package meter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unseen tells of characters that cannot be seen, by which one name could pass for another; but for
// the joiner that emoji are put together with.
func unseen(r rune) bool {
	const joiner = '\u200d'
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != joiner
}

// reserved tells of names that commands take for something else.
func reserved(name string) bool {
	lower := strings.ToLower(name)
	return lower == string(ForEveryone) || lower == string(ForGuests) || strings.HasPrefix(lower, string(ForTier)+":")
}

// maxName is how long a name may be, in characters; longer ones break every screen.
const maxName = 80

// cleanName trims a name and refuses what could not be shown or typed again.
func cleanName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fmt.Errorf("the %s is empty: %w", what, ErrInvalid)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unseen):
		return "", fmt.Errorf("the %s has characters that cannot be shown: %w", what, ErrInvalid)
	case reserved(name):
		return "", fmt.Errorf("%q means something else where limits are set: %w", name, ErrInvalid)
	case utf8.RuneCountInString(name) > maxName:
		return "", fmt.Errorf("the %s is longer than %d characters: %w", what, maxName, ErrInvalid)
	}
	return name, nil
}
