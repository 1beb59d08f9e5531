package peer

import (
	"syscall"
	"time"
)

// tcpUserTimeout is how long sent data may stay unacknowledged, in milliseconds; probes too: tcp(7). The syscall
// package has no name for it.
const tcpUserTimeout = 0x12

// within limits how long a connection waits for data to be acknowledged. Where a system has no such limit, its own
// patience is as good as it gets.
func within(patience time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(patience.Milliseconds()))
		})
	}
}
