package live

import (
	"errors"
	"net/url"
	"strings"
)

// Join is what a join link says.
type Join struct {
	Base        string // the gateway's address, with its /v1
	Code        string
	Fingerprint string // of the authority whose certificates the gateway shows, 64 hex digits; empty where none must be trusted
}

// errJoinLink is for what is no join link. It never repeats what was given: there may be a code in it.
var errJoinLink = errors.New("this is no join link: it looks like http://192.168.1.20:7427/#join=CODE")

// Link writes a join link: the address of the page, and the rest behind a #, which browsers keep to
// themselves and never send.
func (j Join) Link() string {
	said := url.Values{"join": {j.Code}}
	if j.Fingerprint != "" {
		said.Set("ca", PlainFingerprint(j.Fingerprint))
	}
	return PageOf(j.Base) + "#" + said.Encode()
}

// ParseJoinLink reads what Link wrote.
func ParseJoinLink(link string) (Join, error) {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Join{}, errJoinLink
	}
	said, err := url.ParseQuery(u.Fragment)
	if err != nil || said.Get("join") == "" {
		return Join{}, errJoinLink
	}
	return Join{u.Scheme + "://" + u.Host + "/v1", said.Get("join"), PlainFingerprint(said.Get("ca"))}, nil
}

// PlainFingerprint writes a fingerprint without the colons that make it readable.
func PlainFingerprint(f string) string {
	return strings.ToLower(strings.NewReplacer(":", "", " ", "").Replace(f))
}
