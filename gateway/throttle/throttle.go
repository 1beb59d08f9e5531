// Package throttle counts what each of many did within a minute, so that who did too much of it can be
// told to wait.
//
// Invariants:
//
//   - All of it is in memory alone, and forgotten after two minutes: no address is kept.
//   - However many strangers come, from however many addresses, the memory that it takes is bounded.
package throttle

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// mostKnown is how many are told apart within a minute. Those who come after them count as one.
const mostKnown = 10_000

// Throttle counts in a minute that slides: this minute's count, and the last one's by how much of it
// still lies within the past sixty seconds.
type Throttle struct {
	most int64
	now  func() time.Time

	mu            sync.Mutex
	minute        int64 // Unix minutes
	last, current map[string]int64
}

// New allows each so much in a minute.
func New(most int64, now func() time.Time) *Throttle {
	return &Throttle{most: most, now: now, current: map[string]int64{}}
}

// Full tells whether somebody has had as much as there is.
func (t *Throttle) Full(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	into := t.turn()
	return float64(count(t.last, who))*(1-into)+float64(count(t.current, who)) >= float64(t.most)
}

// Count counts one more.
func (t *Throttle) Count(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn()
	t.current[oneOf(t.current, who)]++
}

// others is whom those count as who came too late to be told apart. It is no network's name.
const others = ""

func oneOf(counts map[string]int64, who string) string {
	if _, known := counts[who]; !known && len(counts) >= mostKnown {
		return others
	}
	return who
}

func count(counts map[string]int64, who string) int64 { return counts[oneOf(counts, who)] }

// turn brings the counts to this minute, and tells how much of it is over.
func (t *Throttle) turn() float64 {
	now := t.now()
	switch minute := now.Unix() / 60; minute - t.minute {
	case 0:
	case 1:
		t.minute, t.last, t.current = minute, t.current, map[string]int64{}
	default: // longer ago, or the clock was set back
		t.minute, t.last, t.current = minute, nil, map[string]int64{}
	}
	return float64(now.Sub(now.Truncate(time.Minute))) / float64(time.Minute)
}

// NetworkOf names the network that a caller is in: see [Network]. The peer's own address counts, never
// a header's.
func NetworkOf(r *http.Request) string { return Network(r.RemoteAddr) }

// Network names the network of an address, with or without a port: an IPv4 address, or the /64 that a
// household or an office has of IPv6.
func Network(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().Addr().String()
	}
	return ip.String()
}
