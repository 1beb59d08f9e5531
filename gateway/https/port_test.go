package https

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

func split(t *testing.T, from net.Listener) (*Port, string, *tls.Config) {
	t.Helper()
	m := &Made{Authority: newAuthority(t), Names: func() Names { return NamesHere(nil) }, Now: time.Now}
	if from == nil {
		var err error
		if from, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	p := Split(from, &tls.Config{GetCertificate: m.GetCertificate, MinVersion: tls.VersionTLS12})
	t.Cleanup(func() {
		_ = p.Close()
		p.Wait()
	})
	return p, p.Secure.Addr().String(), &tls.Config{InsecureSkipVerify: true}
}

// echo says on a listener's connections what it was said, after a word of its own.
func echo(l net.Listener, word string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			said := make([]byte, 5)
			if _, err := io.ReadFull(conn, said); err == nil {
				_, _ = io.WriteString(conn, word+" "+string(said))
			}
		}()
	}
}

func ask(t *testing.T, conn net.Conn, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

func TestCallersAreSortedByTheirFirstByteAndNothingIsLost(t *testing.T) {
	p, at, config := split(t, nil)
	go echo(p.Secure, "secure")
	go echo(p.Plain, "plain")
	silent, err := net.Dial("tcp", at) // keeps nobody waiting
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for range 3 {
		conn, err := tls.Dial("tcp", at, config)
		if got := ask(t, conn, err); got != "secure hello" {
			t.Errorf("over TLS: %q", got)
		}
		plain, err := net.Dial("tcp", at)
		if got := ask(t, plain, err); got != "plain hello" {
			t.Errorf("in plain: %q", got)
		}
	}
}

func TestClosingAPortLetsGoOfThoseWhoSaidNothing(t *testing.T) {
	p, at, _ := split(t, nil)
	silent, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	plain, err := net.Dial("tcp", at) // whom nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := io.WriteString(plain, "hello"); err != nil {
		t.Fatal(err)
	}
	if err := p.Secure.Close(); err != nil {
		t.Fatal(err)
	}
	p.Wait()
	for _, l := range []net.Listener{p.Secure, p.Plain} {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
	}
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("the silent one is still connected")
	}
	if err := p.Plain.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// poor is a listener that fails a few times first, as one does without a free file.
type poor struct {
	net.Listener
	failures atomic.Int64
}

func (p *poor) Accept() (net.Conn, error) {
	if p.failures.Add(-1) >= 0 {
		return nil, errors.New("too many open files")
	}
	return p.Listener.Accept()
}

func TestAPortGoesOnAfterCallersCouldNotBeAccepted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	from := &poor{Listener: l}
	from.failures.Store(3)
	p, at, _ := split(t, from)
	go echo(p.Plain, "plain")
	conn, err := net.Dial("tcp", at)
	if got := ask(t, conn, err); got != "plain hello" {
		t.Errorf("it says %q", got)
	}
}
