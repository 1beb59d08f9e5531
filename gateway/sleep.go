package gateway

import (
	"net/http"
	"sync"
	"time"
)

// sleepAtLeast is by how much the wall clock must be ahead of the machine's own running time before
// that is a sleep and not a clock that was set.
const sleepAtLeast = 20 * time.Second

// sleep notices that the machine slept: the wall clock went on meanwhile, its running time did not.
type sleep struct {
	mu    sync.Mutex
	began time.Time // a reading of both clocks
	ahead time.Duration
}

// noticed tells whether the machine slept since the last look, from how far the wall clock is ahead now.
func (s *sleep) noticed(ahead time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	slept := ahead-s.ahead >= sleepAtLeast
	s.ahead = ahead
	return slept
}

// wallAhead is by how much the wall clock went on further than the running time, since began.
func (s *sleep) wallAhead(now time.Time) time.Duration {
	return now.Round(0).Sub(s.began.Round(0)) - now.Sub(s.began)
}

// do sends a request to a provider, over no connection that a sleep cut off.
func (g *Gateway) do(req *http.Request) (*http.Response, error) {
	g.rouse(g.sleep.wallAhead(time.Now()))
	return g.Client.Do(req)
}

// rouse lets go of idle connections to providers after a sleep. Whoever was at their other end gave them
// up meanwhile, often without a word that could reach a sleeper: a call sent over one would wait in vain.
func (g *Gateway) rouse(ahead time.Duration) {
	if g.sleep.noticed(ahead) {
		g.Log.Info("the machine slept; connections to providers are made anew")
		g.Client.CloseIdleConnections()
	}
}
