package meter

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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

// cleanName trims and composes a name, and refuses what could not be shown or typed again.
func cleanName(what, name string) (string, error) {
	name = strings.TrimSpace(composed(name))
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

// composed is a name in Unicode's form NFC: an é is one character, however a keyboard or a file spells it.
// https://unicode.org/reports/tr15/
func composed(name string) string { return norm.NFC.String(name) }

// findName finds a name among those that a query reads: as it is typed, else spelled otherwise in Unicode, since older books
// have names as they were typed then. It returns an empty one if there is none.
func findName(ctx context.Context, tx Tx, query, name string) (string, error) {
	rows, err := tx.QueryContext(ctx, query)
	all, err := collect(rows, err, column[string])
	found, same := "", composed(name)
	for _, one := range all {
		if one == name {
			return one, err
		}
		if composed(one) == same {
			found = one
		}
	}
	return found, err
}
