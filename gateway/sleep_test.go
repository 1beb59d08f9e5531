package gateway

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestACallAfterASleepTakesAConnectionOfItsOwn(t *testing.T) {
	var made atomic.Int64
	provider := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	provider.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			made.Add(1)
		}
	}
	provider.Start()
	t.Cleanup(provider.Close)
	g := &Gateway{Options: Options{Client: newClient(), Log: slog.New(slog.DiscardHandler)}}
	t.Cleanup(g.Client.CloseIdleConnections)
	g.sleep.began = time.Now()
	for _, c := range []struct {
		slept time.Duration
		made  int64
	}{{0, 1}, {0, 1}, {8 * time.Hour, 2}, {0, 2}} {
		g.sleep.ahead -= c.slept // as the wall clock went on without the machine
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, provider.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := g.do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		if got := made.Load(); got != c.made {
			t.Errorf("slept %v: %d connections, want %d", c.slept, got, c.made)
		}
	}
}

// idle counts how often it is told to let go of its connections.
type idle struct {
	http.RoundTripper
	closed int
}

func (i *idle) CloseIdleConnections() { i.closed++ }

func TestAfterASleepProvidersAreConnectedToAnew(t *testing.T) {
	connections := &idle{}
	g := &Gateway{Options: Options{Client: &http.Client{Transport: connections}, Log: slog.New(slog.DiscardHandler)}}
	g.sleep.began = time.Now()
	for _, c := range []struct {
		what   string
		ahead  time.Duration
		closed int
	}{
		{"at the start", g.sleep.wallAhead(time.Now()), 0},
		{"a clock that drifts", 2 * time.Second, 0},
		{"a night", 8 * time.Hour, 1},
		{"awake since", 8*time.Hour + time.Second, 1},
		{"a clock that was set back", time.Hour, 1},
		{"a nap", time.Hour + time.Minute, 2},
	} {
		if g.rouse(c.ahead); connections.closed != c.closed {
			t.Errorf("%s: let go %d times, want %d", c.what, connections.closed, c.closed)
		}
	}
}
