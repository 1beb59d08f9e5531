package https

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// sayWithin is how long a caller may take to send the first byte.
const sayWithin = 10 * time.Second

// tryAgain is how long after a caller could not be accepted the next one is.
const tryAgain = 50 * time.Millisecond

// handshake is the first byte of every TLS connection (RFC 8446, section 5.1): the record type of a
// handshake. No method of HTTP begins with it.
const handshake = 0x16

// Port is one port for those who speak TLS, and for those who do not and are told so.
type Port struct {
	Secure, Plain net.Listener

	from net.Listener
	done chan struct{}
	over sync.Once

	mu      sync.Mutex
	waiting map[net.Conn]bool // for their first byte
	running sync.WaitGroup
}

// Split sorts the callers of a listener by their first byte. Closing either half closes the port.
func Split(from net.Listener, config *tls.Config) *Port {
	p := &Port{from: from, done: make(chan struct{}), waiting: map[net.Conn]bool{}}
	secure := &half{p, make(chan net.Conn)}
	plain := &half{p, make(chan net.Conn)}
	p.Secure, p.Plain = secure, plain
	p.running.Go(func() {
		for {
			conn, err := p.accept()
			if err != nil || !p.wait(conn) {
				return
			}
			p.running.Go(func() {
				first, ok := p.first(conn)
				switch {
				case !ok:
				case first[0] == handshake:
					secure.hand(tls.Server(&begun{conn, first}, config))
				default:
					plain.hand(&begun{conn, first})
				}
			})
		}
	})
	return p
}

// accept waits for the next caller. It fails only once the port is closed: what is in the way
// otherwise, such as too many open files, passes.
func (p *Port) accept() (net.Conn, error) {
	for {
		conn, err := p.from.Accept()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		select {
		case <-p.done:
			return nil, net.ErrClosed
		case <-time.After(tryAgain):
		}
	}
}

// wait notes that a caller's first byte is waited for, unless the port is closed.
func (p *Port) wait(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		_ = conn.Close() // nothing was said yet
		return false
	default:
		p.waiting[conn] = true
		return true
	}
}

// first reads a caller's first byte.
func (p *Port) first(conn net.Conn) ([]byte, bool) {
	first := make([]byte, 1)
	err := conn.SetReadDeadline(time.Now().Add(sayWithin))
	if err == nil {
		_, err = conn.Read(first)
	}
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	p.mu.Lock()
	delete(p.waiting, conn)
	p.mu.Unlock()
	if err != nil {
		_ = conn.Close() // the caller left, or said nothing
		return nil, false
	}
	return first, true
}

// Close closes the port and lets go of those who have not said anything.
func (p *Port) Close() error {
	var err error
	p.over.Do(func() {
		err = p.from.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		close(p.done)
		for conn := range p.waiting {
			_ = conn.Close() // as in first
		}
	})
	return err
}

// Wait waits until all that the port began has ended, once it is closed.
func (p *Port) Wait() { p.running.Wait() }

// half is one kind of a port's callers.
type half struct {
	*Port
	callers chan net.Conn
}

func (h *half) hand(conn net.Conn) {
	select {
	case h.callers <- conn:
	case <-h.done:
		_ = conn.Close() // nobody serves any more
	}
}

// Accept waits for the next caller.
func (h *half) Accept() (net.Conn, error) {
	select {
	case conn := <-h.callers:
		return conn, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Addr is the port's.
func (h *half) Addr() net.Addr { return h.from.Addr() }

// begun is a connection of which the first byte was read.
type begun struct {
	net.Conn
	first []byte
}

// Read reads the first byte again, then what follows.
func (b *begun) Read(to []byte) (int, error) {
	if len(b.first) == 0 || len(to) == 0 {
		return b.Conn.Read(to)
	}
	n := copy(to, b.first)
	b.first = b.first[n:]
	return n, nil
}
