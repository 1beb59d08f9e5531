package peer

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"perdiem/testing/netns"
)

// option reads one of TCP's options of a connection.
func option(t *testing.T, c net.Conn, name int) int {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var value int
	if errControl := raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, name) }); err != nil || errControl != nil {
		t.Fatal(err, errControl)
	}
	return value
}

// pair connects to a port; accepted is its end of the connection.
func pair(t *testing.T, l net.Listener, dial func(ctx context.Context, network, address string) (net.Conn, error)) (dialled, accepted net.Conn) {
	t.Helper()
	dialled, err := dial(t.Context(), "tcp", l.Addr().String())
	if err == nil {
		accepted, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = dialled.Close(), accepted.Close() })
	return dialled, accepted
}

func TestBothEndsOfAConnectionHaveLimitedPatience(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := ListenConfig().Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		dialled, accepted := pair(t, l, Dialer().DialContext)
		for name, c := range map[string]net.Conn{"dialled": dialled, "accepted": accepted} {
			if got := option(t, c, tcpUserTimeout); got != 60_000 {
				t.Errorf("%s %s: sent data may be unacknowledged for %d ms", name, address, got)
			}
			if idle, pause, times := option(t, c, unix.TCP_KEEPIDLE), option(t, c, unix.TCP_KEEPINTVL), option(t, c, unix.TCP_KEEPCNT); idle != 15 || pause != 15 || times != 3 {
				t.Errorf("%s %s: probed after %d s, every %d s, %d times", name, address, idle, pause, times)
			}
		}
	}
}

func TestWhoVanishedIsGivenUpWhetherTheyWereSentAnythingOrNot(t *testing.T) {
	const patience = 4 * time.Second
	here, there := netns.Pair(t)
	own, err := here.Listen(t.Context(), listenConfig(patience), here.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	others, err := there.Listen(t.Context(), &net.ListenConfig{}, there.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = others.Close() })
	ends := map[string]net.Conn{}
	for _, sent := range []string{"sent nothing", "sent something"} {
		_, ends["a caller who was "+sent] = pair(t, own, there.Dialer(&net.Dialer{}))
		ends["a provider who was "+sent], _ = pair(t, others, here.Dialer(dialer(patience)))
	}
	there.VanishFor(t, here)
	began := time.Now()
	for name, c := range ends {
		if strings.HasSuffix(name, "something") {
			if _, err := io.WriteString(c, "hello"); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.SetReadDeadline(began.Add(5 * patience)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range ends {
		_, err := c.Read(make([]byte, 1))
		if took := time.Since(began); !errors.Is(err, syscall.ETIMEDOUT) || took > 3*patience {
			t.Errorf("%s: %v after %v, want a timeout of the connection's after %v", name, err, took, patience)
		}
	}
}
