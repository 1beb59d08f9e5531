package soak

import (
	"context"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"perdiem/testing/harness"
)

// gateway is the program that serves, through its restarts.
type gateway struct {
	program *harness.Program
	listen  string

	mu    sync.Mutex
	life  *life
	ready chan struct{} // closed while it serves
}

// life is one process of the gateway, with connections of its own: those to its predecessor are dead.
type life struct {
	base   string
	cmd    *exec.Cmd
	client *http.Client
	over   bool // it was ended
}

func (g *gateway) begin(args ...string) *life {
	cmd, base := g.program.Serve(append([]string{"--quiet", "--log-level", "error"}, args...)...)
	return &life{base: base, cmd: cmd, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: people}}}
}

func startGateway(p *harness.Program) *gateway {
	g := &gateway{program: p, ready: make(chan struct{})}
	g.life = g.begin()
	g.listen = strings.TrimSuffix(strings.TrimPrefix(g.life.base, "http://"), "/v1")
	close(g.ready)
	return g
}

// await waits until the gateway serves.
func (g *gateway) await() *life {
	for {
		g.mu.Lock()
		ready, serves := g.ready, g.life
		g.mu.Unlock()
		if serves != nil {
			return serves
		}
		<-ready
	}
}

// lives tells whether a gateway has not been ended since.
func (g *gateway) lives(l *life) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.life == l
}

// restart ends the gateway by a signal, in the middle of whatever it does, and starts it on the same
// port.
func (g *gateway) restart(by syscall.Signal) error {
	g.mu.Lock()
	old := g.life
	old.over = true
	g.life, g.ready = nil, make(chan struct{})
	g.mu.Unlock()
	if err := old.cmd.Process.Signal(by); err != nil {
		return err
	}
	_ = old.cmd.Wait() // it says how it ended
	old.client.CloseIdleConnections()
	next := g.begin("--listen", g.listen)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.life = next
	close(g.ready)
	return nil
}

// restarts are when in the soak the gateway is ended, and how. All are early, so that one process then
// lives long enough to show what grows.
var restarts = []struct {
	at float64 // of the soak's length
	by syscall.Signal
}{{0.08, syscall.SIGKILL}, {0.16, syscall.SIGTERM}, {0.24, syscall.SIGKILL}, {0.3, syscall.SIGKILL}}

// restartAll carries them out; the soak began at a time and lasts so long.
func (g *gateway) restartAll(ctx context.Context, began time.Time, long time.Duration) error {
	for _, r := range restarts {
		timer := time.NewTimer(time.Until(began.Add(time.Duration(r.at * float64(long)))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		if err := g.restart(r.by); err != nil {
			return err
		}
	}
	return nil
}
