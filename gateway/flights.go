package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"perdiem/meter"
)

// Flight is a request that runs now, for the window to show.
type Flight struct {
	RequestID string
	PersonID  string // empty for a guest
	Person    string
	Model     string
	Tool      string
	Started   time.Time
	Stream    bool
	// Tokens as far as they are known: the prompt's estimate, and what was delivered so far.
	InputTokens, OutputTokens int64
}

// flight is a running request as others may see it, and what keeps its hold alive.
type flight struct {
	Flight   // its model and prompt change under the lock of flights
	hold     string
	accepted atomic.Bool
	output   atomic.Int64
	noted    chan struct{} // closed when the books know that the provider accepted
	touch    *time.Timer
	ctx      context.Context
	stop     context.CancelFunc
}

type flights struct {
	mu  sync.Mutex
	all map[*flight]struct{}
}

// InFlight lists what runs now, in no order.
func (g *Gateway) InFlight() []Flight {
	g.flights.mu.Lock()
	defer g.flights.mu.Unlock()
	all := make([]Flight, 0, len(g.flights.all))
	for f := range g.flights.all {
		now := f.Flight
		now.OutputTokens = f.output.Load()
		all = append(all, now)
	}
	return all
}

// touchEvery is how often a running request tells the meter that it lives, and what it saw.
const touchEvery = time.Minute

// acceptedWhole is how long a whole reply may take after its head until its acceptance is noted.
const acceptedWhole = 20 * time.Millisecond

// takeOff begins a flight: others see the call, and its hold is kept alive.
func (c *call) takeOff() *flight {
	f := &flight{hold: c.held.ID, Flight: Flight{
		RequestID: c.id, PersonID: c.person.ID, Person: c.person.Name, Model: c.target.Model.ID,
		Tool: meter.WithoutPasses(shorten(c.r.UserAgent())), Started: c.g.now(), Stream: c.facts.Stream, InputTokens: c.held.Input,
	}}
	f.noted = make(chan struct{})
	f.ctx, f.stop = context.WithCancel(context.WithoutCancel(c.r.Context()))
	f.touch = time.AfterFunc(touchEvery, func() {
		c.note(f)
		f.touch.Reset(touchEvery)
		if f.ctx.Err() != nil {
			f.touch.Stop()
		}
	})
	g := &c.g.flights
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[*flight]struct{}{}
	}
	g.all[f] = struct{}{}
	return f
}

// divert shows a flight as what its hold was moved to.
func (c *call) divert() {
	c.g.flights.mu.Lock()
	defer c.g.flights.mu.Unlock()
	c.flight.Model, c.flight.InputTokens = c.request.Model, c.held.Input
}

// note tells the meter that a request lives, and what it saw. It may run beside the call, of which it reads nothing.
func (c *call) note(f *flight) {
	c.g.flights.mu.Lock()
	seen := meter.Observed{Accepted: f.accepted.Load(), Input: f.InputTokens, Output: f.output.Load()}
	c.g.flights.mu.Unlock()
	_, err := c.g.Meter.Touch(f.ctx, f.hold, seen)
	if err != nil && f.ctx.Err() == nil {
		c.log.Warn("a running request could not be noted", "error", err)
	}
}

// accept begins to note that the provider took the request. From here on its prompt costs, also if
// this process should die in the next moment: no byte of a stream is passed on before the note is
// on the disk. It is written while the first byte is awaited, and so costs next to no time. A whole
// reply mostly comes with its head, and is booked before a note would be written; only one that takes its
// time has it noted.
func (c *call) accept(f *flight, whole bool) {
	f.accepted.Store(true)
	if whole {
		f.touch.Reset(acceptedWhole)
		return
	}
	go func() {
		defer close(f.noted)
		c.note(f)
	}()
}

// land ends a flight. A touch that waits for its turn is withdrawn.
func (c *call) land(f *flight) {
	f.stop()
	f.touch.Stop()
	c.g.flights.mu.Lock()
	defer c.g.flights.mu.Unlock()
	delete(c.g.flights.all, f)
}
