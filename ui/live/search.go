package live

import (
	"slices"
	"strings"
)

// Matching are those whose text has the words looked for, in any case.
func Matching[T any](all []T, words string, text func(T) string) []T {
	words = strings.ToLower(strings.TrimSpace(words))
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !strings.Contains(strings.ToLower(text(one)), words) })
}
