package gateway

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"perdiem/providers/keys"
)

// redact takes the provider's key out of what a caller will read, however it is escaped.
func (c *call) redact(text []byte) []byte {
	secret := c.key.Secret
	if secret == "" {
		return text
	}
	if keys.Holds(text, secret) {
		text = []byte(keys.Redact(string(text), secret))
	}
	if bytes.Contains(text, []byte(`\u00`)) && strings.Contains(unescape(text), secret) {
		// The key is spelled in escapes: nothing of such a text is worth passing on.
		return []byte(`{"error":{"message":"The provider's answer held its key, and is not passed on.","type":"server_error","code":"provider_failed"}}`)
	}
	return text
}

// givesAway tells whether a text holds the provider's key, however it is escaped.
func (c *call) givesAway(text string) bool {
	return len(text) >= len(c.key.Secret) && string(c.redact([]byte(text))) != text
}

// unescape spells out JSON's \uXXXX escapes of ASCII characters.
func unescape(text []byte) string {
	return escapes.ReplaceAllStringFunc(string(text), func(e string) string {
		n, err := strconv.ParseUint(e[2:], 16, 8)
		if err != nil {
			return e
		}
		return string(rune(n))
	})
}

var escapes = regexp.MustCompile(`\\u00[0-7][0-9a-fA-F]`)
