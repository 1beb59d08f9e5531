package keys

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a secret stood.
const Redacted = "[key]"

// leastSecret is how short a secret may be and still be replaced: shorter ones are words of every text ("x", "key"), and
// no vendor's keys.
const leastSecret = 6

// Redact replaces the secrets in a text, also as they look inside JSON, an address, a page and base64.
func Redact(text string, secrets ...string) string {
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			text = strings.ReplaceAll(text, string(form), Redacted)
		}
	}
	return text
}

// Holds tells whether a text holds a secret in one of the forms that Redact replaces.
func Holds(text []byte, secret string) bool {
	if len(text) < len(secret) { // no form is shorter
		return false
	}
	for _, form := range forms(secret) {
		if bytes.Contains(text, form) {
			return true
		}
	}
	return false
}

// spellings has the forms of each secret that was asked for: a provider's keys, which are few and in memory anyway. Every
// reply is looked through for them.
var spellings sync.Map

// forms are the ways a secret may be spelled, longest first, so that none leaves a part of another.
func forms(secret string) [][]byte {
	if len(secret) < leastSecret {
		return nil
	}
	if known, ok := spellings.Load(secret); ok {
		return known.([][]byte)
	}
	all := spell(secret)
	spellings.Store(secret, all)
	return all
}

func spell(secret string) [][]byte {
	all := []string{secret, html.EscapeString(secret)}
	for _, s := range []string{url.QueryEscape(secret), url.PathEscape(secret)} {
		all = append(all, s, percents.ReplaceAllStringFunc(s, strings.ToLower))
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} { // the padding may follow
		all = append(all, enc.EncodeToString([]byte(secret)))
	}
	for _, alsoHTML := range []bool{true, false} { // whether < > & are escaped too; some also escape /
		s := inJSON(secret, alsoHTML)
		all = append(all, s, strings.ReplaceAll(s, "/", `\/`))
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	all = slices.Compact(all)
	forms := make([][]byte, len(all))
	for i, form := range all {
		forms[i] = []byte(form)
	}
	return forms
}

var percents = regexp.MustCompile(`%[0-9A-F]{2}`)

func inJSON(s string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(s) // no string fails to be encoded
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}
