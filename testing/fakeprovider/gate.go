package fakeprovider

import (
	"sync"
	"testing"
)

// Gate holds replies at a place of their body until it is opened. Several may stand at one gate.
type Gate struct {
	mu      sync.Mutex
	waiting int
	came    chan struct{} // closed and replaced when one comes
	open    chan struct{}
	opened  sync.Once
}

// NewGate returns a shut gate.
func NewGate() *Gate {
	return &Gate{came: make(chan struct{}), open: make(chan struct{})}
}

// Open lets through all who wait, and all who come later.
func (g *Gate) Open() { g.opened.Do(func() { close(g.open) }) }

// Await waits until n replies in all have come to the gate, or fails the test with its deadline.
func (g *Gate) Await(t testing.TB, n int) {
	t.Helper()
	for {
		g.mu.Lock()
		waiting, came := g.waiting, g.came
		g.mu.Unlock()
		if waiting >= n {
			return
		}
		select {
		case <-came:
		case <-t.Context().Done():
			t.Fatalf("fake provider: %d of %d replies came to the gate", waiting, n)
		}
	}
}

// pass waits at the gate; it reports false when the caller left or the server stopped first.
func (g *Gate) pass(left, closing <-chan struct{}) bool {
	g.mu.Lock()
	g.waiting++
	close(g.came)
	g.came = make(chan struct{})
	g.mu.Unlock()
	select {
	case <-g.open:
		return true
	case <-left:
		return false
	case <-closing:
		return false
	}
}
