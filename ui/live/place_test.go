package live_test

import (
	"slices"
	"testing"
	"time"

	"perdiem/ui/live"
)

const (
	home   = "http://192.168.1.20:7427/v1"
	office = "http://10.1.2.3:7427/v1"
)

// look is one second of a computer's life, or a gap before it.
type look struct {
	gap     time.Duration
	address string
	times   int // how many seconds it stays so; 1 for 0
}

func TestAPlaceTellsOfSleepAndOfAnotherAddressOnceItHasSettled(t *testing.T) {
	awake := look{address: home, times: 30}
	for name, c := range map[string]struct {
		life []look
		want []string
	}{
		"nothing happens":                         {[]look{awake}, nil},
		"a busy machine is no sleeping one":       {[]look{awake, {30 * time.Second, home, 60}}, nil},
		"it slept":                                {[]look{awake, {time.Hour, home, 60}}, []string{"This computer slept from 14:00 to 15:00; calls that ran then may have been cut off. Its address is the same."}},
		"it slept, and woke elsewhere":            {[]look{awake, {time.Hour, "", 3}, {0, office, 60}}, []string{"This computer slept from 14:00 to 15:00; calls that ran then may have been cut off. The address changed: teammates' tools need " + office + " in place of " + home + "."}},
		"it slept until tomorrow":                 {[]look{awake, {24 * time.Hour, home, 60}}, []string{"This computer slept from 19 Oct 14:00 to 20 Oct 14:00; calls that ran then may have been cut off. Its address is the same."}},
		"it nodded off again":                     {[]look{awake, {time.Hour, home, 2}, {time.Hour, home, 60}}, []string{"This computer slept from 14:00 to 16:00; calls that ran then may have been cut off. Its address is the same."}},
		"it is moved":                             {[]look{awake, {0, office, 60}}, []string{"The address changed: teammates' tools need " + office + " in place of " + home + "."}},
		"its network is gone":                     {[]look{awake, {0, "", 60}}, []string{"It is in no network now: only tools on this computer reach the gateway."}},
		"its network stutters":                    {[]look{awake, {0, "", 3}, {0, home, 60}}, nil},
		"its network goes, and comes back":        {[]look{awake, {0, "", 60}, {0, home, 60}}, []string{"It is in no network now: only tools on this computer reach the gateway.", "Teammates reach the gateway at " + home + " now."}},
		"without a network it slept":              {[]look{{0, "", 30}, {time.Hour, "", 60}}, []string{"This computer slept from 14:00 to 15:00; calls that ran then may have been cut off. It is in no network: only tools on this computer reach the gateway."}},
		"an address that never stays is not told": {[]look{awake, {0, office, 4}, {0, home, 4}, {0, office, 4}, {0, home, 4}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			zone := time.Local
			time.Local = time.UTC
			t.Cleanup(func() { time.Local = zone })
			now := time.Date(2026, 10, 19, 14, 0, 0, 0, time.UTC)
			var place live.Place
			var got []string
			for _, l := range c.life {
				now = now.Add(l.gap)
				for range max(1, l.times) {
					now = now.Add(time.Second)
					if what, ok := place.Look(now, l.address); ok {
						got = append(got, what.Words())
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("told %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheAddressForTeammatesIsTheFirstThatLeavesThisComputer(t *testing.T) {
	for name, c := range map[string]struct {
		urls []string
		want string
	}{
		"none":                   {nil, ""},
		"this computer only":     {[]string{"http://127.0.0.1:7427/v1", "http://localhost:7427/v1", "http://[::1]:7427/v1"}, ""},
		"the network comes last": {[]string{"http://localhost:7427/v1", home, office}, home},
		"over TLS":               {[]string{"https://192.168.1.20:7427/v1"}, "https://192.168.1.20:7427/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := live.ForTeammates(c.urls); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}
