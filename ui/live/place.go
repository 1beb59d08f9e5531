package live

import (
	"net/netip"
	"net/url"
	"time"
)

const (
	sleptFor  = time.Minute     // a gap between two looks that no busy machine has
	settleFor = 5 * time.Second // a network that comes back takes on addresses one after another
)

// Place notices that this computer slept, or is reached at another address than before: teammates' tools know the old one.
// It is to be asked about once a second. It is used by one goroutine at a time.
type Place struct {
	told  string // the address as the owner knows it
	seen  string // as it was at the last look
	since time.Time
	at    time.Time // of the last look; zero before the first
	from  time.Time // the sleep that is yet to be told; zero if none is
	until time.Time
}

// Moved is what happened to this computer.
type Moved struct {
	From, Until time.Time // when it slept; zero if it did not
	Old, New    string    // the address that teammates used, and use now; empty where it is in no network
}

// Look takes in the time, and the address for teammates (empty where there is none), and tells what happened once the
// address has stayed the same for a while. Time is the wall clock's: the other one stands still while a computer sleeps.
func (p *Place) Look(now time.Time, address string) (Moved, bool) {
	now = now.Round(0)
	if p.at.IsZero() {
		p.told, p.seen, p.at = address, address, now
		return Moved{}, false
	}
	if now.Sub(p.at) >= sleptFor {
		if p.from.IsZero() {
			p.from = p.at
		}
		p.until, p.since = now, now
	}
	p.at = now
	if address != p.seen {
		p.seen, p.since = address, now
	}
	if now.Sub(p.since) < settleFor || p.from.IsZero() && p.seen == p.told {
		return Moved{}, false
	}
	what := Moved{p.from, p.until, p.told, p.seen}
	p.told, p.from, p.until = p.seen, time.Time{}, time.Time{}
	return what, true
}

// Bad tells whether teammates' tools are cut off until somebody does something.
func (m Moved) Bad() bool { return m.Old != "" && m.New != m.Old }

// Words tell the owner what happened and what it means for the team.
func (m Moved) Words() string {
	words := ""
	if !m.From.IsZero() {
		clock := "15:04"
		if m.From.Local().Format(time.DateOnly) != m.Until.Local().Format(time.DateOnly) {
			clock = "2 Jan 15:04"
		}
		words = "This computer slept from " + m.From.Local().Format(clock) + " to " + m.Until.Local().Format(clock) + "; calls that ran then may have been cut off. "
	}
	same := m.New == m.Old
	switch {
	case same && m.New != "":
		return words + "Its address is the same."
	case same:
		return words + "It is in no network: only tools on this computer reach the gateway."
	case m.New == "":
		return words + "It is in no network now: only tools on this computer reach the gateway."
	case m.Old == "":
		return words + "Teammates reach the gateway at " + m.New + " now."
	}
	return words + "The address changed: teammates' tools need " + m.New + " in place of " + m.Old + "."
}

// ForTeammates is the first of some addresses that other computers can use; empty if none is.
func ForTeammates(urls []string) string {
	for _, u := range urls {
		if at, err := url.Parse(u); err == nil && !loopback(at.Hostname()) {
			return u
		}
	}
	return ""
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
