package scratchpg

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
)

// Line is a connection to the server that a test can cut, as a broken network does.
type Line struct {
	socket string // of the server
	path   string // of the line
	mu     sync.Mutex
	listen net.Listener
	open   map[net.Conn]bool
	copies sync.WaitGroup
}

// NewLine lays a line to what an address of Schema's leads to, and gives the address through it.
func NewLine(t T, address string) (_ *Line, through string) {
	t.Helper()
	there, err := url.Parse(address)
	if err != nil {
		t.Fatalf("not an address of Schema's: %v", err)
	}
	const socket = ".s.PGSQL.5432" // what libpq and pgx look for in a folder
	dir, err := os.MkdirTemp("", "line")
	if err != nil {
		t.Fatalf("lay a line: %v", err)
	}
	q := there.Query()
	l := &Line{socket: filepath.Join(q.Get("host"), socket), path: filepath.Join(dir, socket), open: map[net.Conn]bool{}}
	q.Set("host", dir)
	there.RawQuery = q.Encode()
	l.Mend(t)
	t.Cleanup(func() {
		l.Cut(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatalf("take the line away: %v", err)
		}
	})
	return l, there.String()
}

// Mend lets connections through.
func (l *Line) Mend(t T) {
	t.Helper()
	listen, err := net.Listen("unix", l.path)
	if err != nil {
		t.Fatalf("mend the line: %v", err)
	}
	l.mu.Lock()
	l.listen = listen
	l.mu.Unlock()
	l.copies.Go(func() {
		for {
			from, err := listen.Accept()
			if err != nil {
				return // cut
			}
			l.connect(listen, from)
		}
	})
}

func (l *Line) connect(listen net.Listener, from net.Conn) {
	to, err := net.Dial("unix", l.socket)
	if err != nil {
		_ = from.Close() // as the server would have
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listen != listen { // cut meanwhile
		_, _ = from.Close(), to.Close()
		return
	}
	l.open[from], l.open[to] = true, true
	for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
		l.copies.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_, _ = pair[0].Close(), pair[1].Close() // one way ended, so does the other
		})
	}
}

// Cut ends every connection and lets none through.
func (l *Line) Cut(t T) {
	t.Helper()
	l.mu.Lock()
	listen, open := l.listen, l.open
	l.listen, l.open = nil, map[net.Conn]bool{}
	l.mu.Unlock()
	if listen == nil {
		return
	}
	if err := listen.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Fatalf("cut the line: %v", err)
	}
	for conn := range open {
		_ = conn.Close()
	}
	l.copies.Wait()
}
