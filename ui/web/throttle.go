package web

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// What the page's scripts may ask for in a minute. A page in view asks some 60 times, and up to 240
// where the figures change each second; a person may have several open.
const (
	asksAMinute  = 1200 // by one person
	triesAMinute = 10   // with a wrong pass or code, from one network
)

// throttle counts what each of many did in a minute that slides: this minute's count, and the last
// one's by how much of it still lies within the past sixty seconds. All of it is in memory alone.
type throttle struct {
	most int64
	now  func() time.Time

	mu            sync.Mutex
	minute        int64 // Unix minutes
	last, current map[string]int64
}

func newThrottle(most int64, now func() time.Time) *throttle {
	return &throttle{most: most, now: now, current: map[string]int64{}}
}

// full tells whether somebody has had as much as there is.
func (t *throttle) full(who string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	into := t.turn()
	return float64(t.last[who])*(1-into)+float64(t.current[who]) >= float64(t.most)
}

// count counts one more.
func (t *throttle) count(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn()
	t.current[who]++
}

// turn brings the counts to this minute, and tells how much of it is over. What is older is
// forgotten, so that strangers cannot fill the memory for long.
func (t *throttle) turn() float64 {
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

// networkOf names the network that a browser is in: its IPv4 address, or the /64 that a household or
// an office has of IPv6.
func networkOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().String()
	}
	return ip.String()
}
