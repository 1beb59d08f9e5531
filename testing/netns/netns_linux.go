// Package netns makes two machines of one, for tests: network namespaces that are joined by a cable.
package netns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// Machine is one of the two, with an address that the other one reaches.
type Machine struct{ Name, Address string }

// pairs tells the machines of tests apart that run at once.
var pairs atomic.Int64

// Pair makes two machines, which are gone with the test. It skips the test where that is not possible.
func Pair(t *testing.T) (a, b Machine) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("network namespaces want root, and the command ip of iproute2")
	}
	number := pairs.Add(1)
	name := func(end string) string { return fmt.Sprintf("pd%d%s%d", os.Getpid(), end, number) } // of the machine, and of its interface
	a, b = Machine{name("a"), "10.77.0.1"}, Machine{name("b"), "10.77.0.2"}
	for _, m := range []Machine{a, b} {
		ip(t, "netns add "+m.Name)
		t.Cleanup(func() { ip(t, "netns del "+m.Name) })
	}
	ip(t, "link add "+a.Name+" netns "+a.Name+" type veth peer name "+b.Name+" netns "+b.Name)
	for _, m := range []Machine{a, b} {
		ip(t, "-n "+m.Name+" addr add "+m.Address+"/24 dev "+m.Name)
		ip(t, "-n "+m.Name+" link set "+m.Name+" up")
		ip(t, "-n "+m.Name+" link set lo up")
	}
	return a, b
}

func ip(t *testing.T, args string) {
	t.Helper()
	if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", args, err, out)
	}
}

// VanishFor lets no word of the machine reach the other one any more.
func (m Machine) VanishFor(t *testing.T, other Machine) {
	t.Helper()
	ip(t, "-n "+m.Name+" route add blackhole "+other.Address)
}

// Command is a command that has yet to be run, on the machine.
func (m Machine) Command(cmd *exec.Cmd) *exec.Cmd {
	there := exec.Command("ip", append([]string{"netns", "exec", m.Name}, cmd.Args...)...)
	there.Env = cmd.Env
	return there
}

// Inside runs do on the machine. What it opens stays there.
func (m Machine) Inside(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with this goroutine
		f, err := os.Open("/run/netns/" + m.Name)
		if err == nil {
			err = errors.Join(unix.Setns(int(f.Fd()), unix.CLONE_NEWNET), f.Close())
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	return <-done
}

// Listen opens a port of the machine.
func (m Machine) Listen(ctx context.Context, c *net.ListenConfig, host string) (l net.Listener, err error) {
	err = m.Inside(func() (err error) {
		l, err = c.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
		return err
	})
	return l, err
}

// Dialer connects from the machine, to addresses in figures.
func (m Machine) Dialer(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (c net.Conn, err error) {
		err = m.Inside(func() (err error) {
			c, err = d.DialContext(ctx, network, address)
			return err
		})
		return c, err
	}
}
