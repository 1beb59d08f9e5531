package gateway

import (
	"log/slog"
	"net/http"
	"testing"
	"time"
)

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
