// Package peer makes connections that notice when the other end vanished: its machine lost power, its cable was
// pulled, a router in between forgot it. Nothing comes then, not even an end.
//
// Invariants:
//
//   - Who acknowledges nothing for [Patience], and was sent nothing, is given up.
//   - On Linux so is who was sent something. Elsewhere the system's own patience counts for them.
package peer

import (
	"net"
	"time"
)

// Patience is how long the other end may acknowledge nothing. It outlasts a switch that starts anew, and a laptop
// that changes from one access point to another.
const Patience = time.Minute

// Dialer makes connections to others.
func Dialer() *net.Dialer { return dialer(Patience) }

func dialer(patience time.Duration) *net.Dialer {
	d := &net.Dialer{KeepAliveConfig: probes(patience), Control: within(patience)}
	d.SetMultipathTCP(false) // its sockets take no limit of their own
	return d
}

// ListenConfig makes ports whose connections are such.
func ListenConfig() *net.ListenConfig { return listenConfig(Patience) }

func listenConfig(patience time.Duration) *net.ListenConfig {
	l := &net.ListenConfig{KeepAliveConfig: probes(patience), Control: within(patience)} // a connection has what its port has
	l.SetMultipathTCP(false)
	return l
}

// probes ask for a sign of life after a quarter of the time without one, and thrice more.
func probes(patience time.Duration) net.KeepAliveConfig {
	const times = 3
	pause := patience / (times + 1)
	return net.KeepAliveConfig{Enable: true, Idle: pause, Interval: pause, Count: times}
}
