// Package door bounds how many connections a port has at once, overall and from one network.
//
// Invariants:
//
//   - Who comes to a full port is let go of at once, so that nobody waits behind them.
//   - A connection counts from when it is accepted until it is closed, once.
package door

import (
	"net"
	"sync"

	"perdiem/gateway/throttle"
)

// Limits are how many connections there may be at once.
type Limits struct {
	All     int
	Network int // from one network; this machine's own are exempt, as a proxy here speaks for many
}

// Limit bounds the connections of a listener.
func Limit(l net.Listener, most Limits) net.Listener {
	return &door{Listener: l, most: most, from: map[string]int{}}
}

type door struct {
	net.Listener
	most Limits

	mu   sync.Mutex
	all  int
	from map[string]int
}

func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		network := networkOf(c)
		if d.enter(network) {
			return &counted{Conn: c, leave: func() { d.leave(network) }}, nil
		}
		_ = c.Close() // nothing was said yet
	}
}

// networkOf is a caller's network; empty for this machine.
func networkOf(c net.Conn) string {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return ""
	}
	return throttle.Network(c.RemoteAddr().String())
}

func (d *door) enter(network string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all >= d.most.All || network != "" && d.from[network] >= d.most.Network {
		return false
	}
	d.all++
	d.from[network]++
	return true
}

func (d *door) leave(network string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all--
	if d.from[network]--; d.from[network] == 0 {
		delete(d.from, network)
	}
}

// counted is a connection that tells when it is over.
type counted struct {
	net.Conn
	over  sync.Once
	leave func()
}

func (c *counted) Close() error {
	c.over.Do(c.leave)
	return c.Conn.Close()
}
