package keys

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
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

// Redact replaces the secrets in a text, also as they look inside JSON, an address, a page, base64 and hex.
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
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		all = append(all, enc.EncodeToString([]byte(secret))) // the padding may follow
		for before := range 3 {
			all = append(all, within(enc, secret, before))
		}
	}
	all = append(all, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))))
	for _, alsoHTML := range []bool{true, false} { // whether < > & are escaped too; some also escape /
		s := inJSON(secret, alsoHTML)
		all = append(all, s, strings.ReplaceAll(s, "/", `\/`))
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(form string) bool {
		double := seen[form]
		seen[form] = true
		return double
	})
	forms := make([][]byte, len(all))
	for i, form := range all {
		forms[i] = []byte(form)
	}
	return forms
}

// within is what base64 makes of a secret alone, wherever it stands in a longer text: of before bytes in front of it (and of
// what follows) only the characters that the secret shares with them depend.
func within(enc *base64.Encoding, secret string, before int) string {
	text := enc.EncodeToString([]byte(strings.Repeat("x", before) + secret))
	end := (before + len(secret)) * 8 / 6 // in whole characters
	return text[(before*8+5)/6 : end]
}

var percents = regexp.MustCompile(`%[0-9A-F]{2}`)

func inJSON(s string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(s) // no string fails to be encoded
	return strings.TrimSuffix(b.String()[1:], "\"\n")
}
