package door

import (
	"errors"
	"net"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// crowd is a listener of callers from addresses that a test names.
type crowd chan net.Conn

func (c crowd) Accept() (net.Conn, error) {
	if conn, ok := <-c; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (crowd) Close() error   { return nil }
func (crowd) Addr() net.Addr { return &net.TCPAddr{} }

// caller is one end of a connection from an address.
type caller struct {
	net.Conn
	from   string
	closed int
}

func (c *caller) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.from), Port: 4000} }
func (c *caller) Close() error         { c.closed++; return nil }

func TestAPortHasOnlySoManyConnections(t *testing.T) {
	come := make(crowd, 100)
	d := Limit(come, Limits{All: 8, Network: 2})
	call := func(from string) *caller {
		c := &caller{from: from}
		come <- c
		return c
	}
	inside := func(n int) []net.Conn {
		t.Helper()
		var in []net.Conn
		for range n {
			c, err := d.Accept()
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, c)
		}
		return in
	}
	call("192.0.2.1")
	call("192.0.2.1")
	third := call("192.0.2.1")
	call("2001:db8::1")
	call("2001:db8::2")
	sameHousehold := call("2001:db8::3")
	for range 4 {
		call("127.0.0.1")
	}
	in := inside(8)
	if third.closed != 1 || sameHousehold.closed != 1 {
		t.Errorf("one too many from a network was let in: %d, %d", third.closed, sameHousehold.closed)
	}
	full := call("198.51.100.1")
	close(come)
	if _, err := d.Accept(); !errors.Is(err, net.ErrClosed) || full.closed != 1 {
		t.Errorf("one too many was let in: %v, %d", err, full.closed)
	}

	// Who leaves makes room, once.
	limited := d.(*door)
	for range 2 {
		if err := in[0].Close(); err != nil {
			t.Fatal(err)
		}
	}
	if limited.all != 7 || limited.from["192.0.2.1"] != 1 {
		t.Errorf("after one left: %d inside, %v", limited.all, limited.from)
	}
	for _, c := range in[1:] {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if limited.all != 0 || len(limited.from) != 0 {
		t.Errorf("after all left: %d inside, %v", limited.all, limited.from)
	}
}
