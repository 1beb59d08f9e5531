package harness

import (
	"net"
	"strings"
	"testing"
	"time"
)

// FreePort is a loopback address that nobody listened on a moment ago.
func FreePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Dial opens a connection, which is closed with the test and waits for nothing longer than half a minute.
func Dial(t testing.TB, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

// Dial opens a connection to the gateway.
func (h *House) Dial() net.Conn {
	h.t.Helper()
	return Dial(h.t, strings.TrimSuffix(strings.TrimPrefix(h.URL, "http://"), "/v1"))
}
