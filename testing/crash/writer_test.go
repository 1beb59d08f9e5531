package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"perdiem/meter"
)

// ack is a write that the writer was told stands.
type ack struct {
	Verb   string `json:"verb"`
	Hold   string `json:"hold"`
	Input  int64  `json:"input,omitempty"`
	Output int64  `json:"output,omitempty"`
}

const (
	callers = 8
	model   = "acme/gauge"
)

// beWriter writes until it is killed, and tells each write that was acknowledged as a line.
func beWriter() error {
	ctx := context.Background()
	ahead, err := time.ParseDuration(os.Getenv("PERDIEM_CRASH_AHEAD"))
	if err != nil {
		return err
	}
	s, err := open(ctx, os.Getenv("PERDIEM_CRASH_FILE"))
	if err != nil {
		return err
	}
	m := meter.New(s, meter.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
	if _, err := m.Recover(ctx); err != nil {
		return err
	}
	failed := make(chan error, callers)
	var running sync.WaitGroup
	for caller := range callers {
		running.Go(func() { failed <- writeFor(ctx, m, caller) })
	}
	return <-failed
}

// writeFor is one caller: each request is settled, released, or left open for the next start.
func writeFor(ctx context.Context, m *meter.Meter, caller int) error {
	for turn := 0; ; turn++ {
		h, err := m.Reserve(ctx, meter.Request{ID: "r", PersonID: os.Getenv("PERDIEM_CRASH_PERSON"), Model: model, Input: 10, Output: 20, MinOutput: 20})
		if err != nil {
			return err
		}
		if err := tell(ack{Verb: "reserve", Hold: h.ID}); err != nil {
			return err
		}
		a := ack{Verb: "settle", Hold: h.ID, Input: int64(caller), Output: int64(turn)}
		switch turn % 4 {
		case 0:
			_, err = m.Touch(ctx, h.ID, meter.Observed{Accepted: true, Input: 10, Output: 3})
			a = ack{Verb: "touch", Hold: h.ID}
		case 1:
			err = m.Release(ctx, h.ID, "test")
			a = ack{Verb: "release", Hold: h.ID}
		default:
			err = m.Settle(ctx, h.ID, meter.Usage{Input: a.Input, Output: a.Output}, meter.Reported)
		}
		if err != nil {
			return err
		}
		if err := tell(a); err != nil {
			return err
		}
	}
}

// tell writes one line at once: shorter than a pipe's buffer, it arrives whole or not at all.
func tell(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "%s\n", line)
	return err
}
