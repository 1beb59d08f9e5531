package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"perdiem/gateway/https"
	"perdiem/gateway/throttle"
	"perdiem/meter"
)

// checkHost refuses requests that a web page elsewhere made a browser send here under a foreign
// name (DNS rebinding). Tools that were pointed at this machine name it by address, as localhost,
// by its own name, or by one that the owner set.
func (c *call) checkHost() error {
	host := c.r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(strings.TrimSuffix(host, "."), "[]"))
	if !c.g.knownHost(host) {
		return c.no(ForeignHost, "This gateway does not answer to the name "+shorten(host)+". Use its address, or ask the owner to add the name.")
	}
	return nil
}

func (g *Gateway) knownHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	names := https.OwnHosts()
	if g.HostNames != nil {
		names = append(names, g.HostNames()...)
	}
	for _, name := range names {
		if strings.EqualFold(name, host) {
			return true
		}
	}
	return false
}

// identify finds out who calls. Without a pass, guests may go on to models that are open to them;
// a bad pass is refused even there.
func (c *call) identify() error {
	pass, err := c.findPass()
	if err != nil {
		return err
	}
	if pass != "" {
		return c.authenticate(pass)
	}
	if !c.target.Model.Guests {
		return c.passRequired("This gateway needs a pass")
	}
	if err := c.checkPage(); err != nil {
		return err
	}
	secret, err := c.g.guestSecret(c.r.Context())
	if err != nil {
		return err
	}
	if secret == nil {
		return c.passRequired("This gateway lets nobody in without a pass")
	}
	c.network = networkOf(c.r, secret)
	return c.seeTeam()
}

// seeTeam looks at what the owner has set, which the call is judged by until it is held.
func (c *call) seeTeam() (err error) {
	c.team, err = c.g.Meter.Team(c.r.Context())
	return err
}

func (g *Gateway) guestSecret(ctx context.Context) ([]byte, error) {
	if g.GuestSecret == nil {
		return nil, nil
	}
	return g.GuestSecret(ctx)
}

// identifyReader is identify for calls that name no model: guests may ask too.
func (c *call) identifyReader() error {
	pass, err := c.findPass()
	switch {
	case err != nil:
		return err
	case pass != "":
		return c.authenticate(pass)
	default:
		return c.checkPage()
	}
}

// passRequired says what needs a pass, and where a tool has it.
func (c *call) passRequired(what string) *refusal {
	return c.no(PassRequired, what+": set it as the API key of your tool.")
}

// authenticate finds out whose pass it is, once for a call. From a network that sent many bad ones
// only passes that were good before are looked at.
func (c *call) authenticate(pass string) error {
	if c.person.ID != "" {
		return nil
	}
	network := throttle.NetworkOf(c.r)
	if c.g.tries.Full(network) && !c.g.good.has(pass) {
		no := c.no(PassThrottled, "Many passes that are not valid came from your network. Wait a minute, then try again.")
		no.Figures.RetryAfterMSec = time.Minute.Milliseconds()
		return no
	}
	if err := c.seeTeam(); err != nil {
		return err
	}
	person, p, err := c.team.Authenticate(pass, c.g.now())
	if errors.Is(err, meter.ErrPassInvalid) {
		c.g.tries.Count(network)
		c.g.good.forget(pass)
		return c.no(PassInvalid, "This pass is not valid. Ask the owner of the gateway for a new one.")
	}
	if err != nil {
		return err
	}
	c.g.good.keep(pass)
	c.unclaim()
	c.person, c.passID = person, p.ID
	return nil
}

// findPass takes the pass from wherever tools put their API key. Two that differ are refused:
// whichever we chose, somebody else might pay.
func (c *call) findPass() (string, error) {
	found := ""
	for _, p := range passesIn(c.r) {
		if found != "" && p != found {
			return "", c.no(PassInvalid, "This request carries two different passes. Send one.")
		}
		found = p
	}
	return found, nil
}

func passesIn(r *http.Request) []string {
	var all []string
	add := func(p string) {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	for _, value := range r.Header.Values("Authorization") {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
		if strings.EqualFold(scheme, "bearer") {
			add(rest)
		} else {
			add(value)
		}
	}
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
		for _, value := range r.Header.Values(name) {
			add(value)
		}
	}
	for _, value := range r.URL.Query()["key"] {
		add(value)
	}
	return all
}

// checkPage refuses who has no pass and is a page from elsewhere in somebody's browser.
func (c *call) checkPage() error {
	if c.foreignPage() {
		return c.no(ForeignHost, "A page from elsewhere cannot use this gateway without a pass.")
	}
	return nil
}

// foreignPage tells whether a browser sent this for a page of another origin. A page cannot forge what
// its browser says of it.
func (c *call) foreignPage() bool {
	switch c.r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "cross-site", "same-site":
		return true
	}
	origin := c.r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, c.r.Host)
}

// networkOf names a guest's network without keeping their address: hashed, an IPv4 address, or the
// /64 that one household or office has of IPv6. The peer's own address counts, never a header's.
func networkOf(r *http.Request, secret []byte) string {
	sum := sha256.Sum256([]byte(string(secret) + ":ip:" + throttle.NetworkOf(r)))
	return hex.EncodeToString(sum[:])
}
