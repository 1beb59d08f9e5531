package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// lateEnds ends holds whose first try failed, say because the disk was full, until it works. What
// is still open when the gateway closes is tried once more, and else expires by itself.
type lateEnds struct {
	closing context.Context
	log     *slog.Logger
	running sync.WaitGroup
}

func newLateEnds(closing context.Context, log *slog.Logger) *lateEnds {
	return &lateEnds{closing: closing, log: log}
}

const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

func (l *lateEnds) add(end func(context.Context) error) {
	l.running.Go(func() {
		for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-l.closing.Done():
				timer.Stop()
			}
			ctx, cancel := context.WithTimeout(context.Background(), lastRetry)
			err := end(ctx)
			cancel()
			if err == nil {
				return
			}
			if l.closing.Err() != nil {
				l.log.Error("a hold is left to expire by itself", "error", err)
				return
			}
		}
	})
}

func (l *lateEnds) wait() { l.running.Wait() }
