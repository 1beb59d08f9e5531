package gateway

import (
	"net/http"
	"testing"
)

// A guest's rate goes by their network, which no header of theirs can change.
func TestGuestsAreToldApartByTheirNetwork(t *testing.T) {
	secret := []byte("secret")
	of := func(address string, secret []byte) string {
		header := http.Header{"X-Forwarded-For": {"203.0.113." + address[:1]}, "Forwarded": {"for=" + address[:1]}}
		return networkOf(&http.Request{RemoteAddr: address, Header: header}, secret)
	}
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"another port":              {"192.0.2.1:1000", "192.0.2.1:2000", true},
		"a neighbour":               {"192.0.2.1:1000", "192.0.2.2:1000", false},
		"IPv4 seen as IPv6":         {"192.0.2.1:1000", "[::ffff:192.0.2.1]:1000", true},
		"a neighbour, seen so":      {"[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", false},
		"one network of IPv6":       {"[2001:db8:1:2::1]:1", "[2001:db8:1:2:ffff:ffff:ffff:ffff]:1", true},
		"the next one":              {"[2001:db8:1:2::1]:1", "[2001:db8:1:3::1]:1", false},
		"on another interface":      {"[fe80::1%eth0]:1", "[fe80::2%eth1]:1", true},
		"an address without a port": {"192.0.2.1", "192.0.2.1:9", true},
	} {
		if got := of(c.a, secret) == of(c.b, secret); got != c.same {
			t.Errorf("%s: %s and %s are the same: %v", name, c.a, c.b, got)
		}
	}
	if of("192.0.2.1:1", secret) == of("192.0.2.1:1", []byte("other")) {
		t.Error("without the secret the address can be found out")
	}
}
