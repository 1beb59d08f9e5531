package keys

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands where a secret stood.
const Redacted = "[key]"

// leastSecret is how short a secret may be and still be replaced: shorter ones are words of every text ("x", "key"), and
// no vendor's keys.
const leastSecret = 6

// Redact replaces the secrets in a text, also as they look inside JSON and inside an address.
func Redact(text string, secrets ...string) string {
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			text = strings.ReplaceAll(text, form, Redacted)
		}
	}
	return text
}

// forms are the ways a secret may be spelled, longest first, so that none leaves a part of another.
func forms(secret string) []string {
	if len(secret) < leastSecret {
		return nil
	}
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, html := range []bool{true, false} { // whether < > & are escaped too; some also escape /
		s := inJSON(secret, html)
		all = append(all, s, strings.ReplaceAll(s, "/", `\/`))
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

func inJSON(s string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(s) // no string fails to be encoded
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}
