package throttle

import (
	"strconv"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestWhoDidTooMuchWaitsUntilAMinuteHasPassed(t *testing.T) {
	now := noon
	th := New(10, func() time.Time { return now })
	for range 10 {
		if th.Full("a") {
			t.Fatal("full too early")
		}
		th.Count("a")
	}
	for after, full := range map[time.Duration]bool{0: true, time.Minute: true, 61 * time.Second: false, -time.Hour: false} {
		now = noon
		th := New(10, func() time.Time { return now })
		for range 10 {
			th.Count("a")
		}
		now = noon.Add(after)
		if th.Full("a") != full || th.Full("b") {
			t.Errorf("after %v: full %v, another %v", after, th.Full("a"), th.Full("b"))
		}
	}
}

func TestManyStrangersTakeNoMoreMemory(t *testing.T) {
	now := noon
	th := New(2, func() time.Time { return now })
	th.Count("first")
	for i := range 5 * mostKnown {
		th.Count(strconv.Itoa(i))
	}
	if len(th.current) > mostKnown+1 {
		t.Errorf("%d are kept", len(th.current))
	}
	if !th.Full("who comes late") || th.Full("first") {
		t.Error("who comes late does not count with the others, or the first does")
	}
	now = now.Add(time.Minute)
	th.Count("first")
	now = now.Add(time.Minute)
	th.Count("first")
	if len(th.last)+len(th.current) > 2 {
		t.Errorf("after two minutes %d are kept", len(th.last)+len(th.current))
	}
}

func TestANetworkIsAnAddressOrTheHouseholdsShareOfIPv6(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:5000": "192.0.2.1", "192.0.2.1": "192.0.2.1", "[::ffff:192.0.2.1]:1": "192.0.2.1",
		"[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::", "[fe80::1%eth0]:1": "fe80::", "pipe": "pipe",
	} {
		if got := Network(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
