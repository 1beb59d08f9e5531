package gateway

import (
	"context"
	"errors"
	"sync/atomic"

	"perdiem/meter"
	"perdiem/providers/wire"
)

// Why a call was ended before its reply was whole.
var (
	errLeft     = errors.New("the caller left")
	errStuck    = errors.New("the caller does not take the reply")
	errDeadline = errors.New("the call took longer than it may")
	errClosing  = errors.New("the gateway is closing")
	errIdle     = errors.New("the provider finished and left the stream open")
	errOutgrown = errors.New("the reply outgrew its hold")
)

// ending gathers what decides how a call's hold ends. It is filled in as the call goes on.
type ending struct {
	sent     atomic.Bool // the whole request is on the wire
	accepted bool        // the provider answered 2xx
	refused  bool        // it answered with another status
	reader   wire.Reader // what the reply said so far
	failed   bool        // the provider answered with an error, or broke off
	cause    error       // why we ended it, if we did
	partial  int64       // output tokens in half a body, which no reader can read
	unseen   bool        // the provider goes on, and bills, where we do not look any more
	broken   bool        // the caller's stream was left without an end, and must not look ended
	booked   bool
	ids      bool // an event of the stream had an id

	usage      meter.Usage // what it was booked with, and how that is known
	provenance meter.Provenance
}

// finish ends the call's flight and its hold, once, whatever happened, and on a context that outlives
// the caller's.
func (c *call) finish(e *ending) {
	if e.booked || c.held.ID == "" {
		return
	}
	e.booked = true
	if c.flight != nil { // nil only after a panic at the very start
		c.land(c.flight)
	}
	usage, provenance := c.reckon(e)
	e.usage, e.provenance = usage, provenance
	c.free = provenance == ""
	end := func(ctx context.Context) error {
		if provenance == "" {
			return c.g.Meter.Release(ctx, c.held.ID, releaseNote(e))
		}
		return c.g.Meter.SettleWith(ctx, c.held.ID, usage, provenance, c.kept.toKeep())
	}
	ctx, cancel := c.booksContext()
	defer cancel()
	if err := end(ctx); err != nil {
		c.log.Error("a hold could not be ended; trying again", "hold", c.held.ID, "error", err)
		c.g.late.add(end)
	}
	c.noteTokens(ctx, usage.Input+usage.Output-c.held.Input-c.held.Output)
	c.log.Info("ended", "person", c.person.ID, "model", c.target.Model.ID,
		"input", usage.Input, "output", usage.Output, "provenance", provenance)
}

// noteTokens counts tokens against the caller's rate. A failure costs a little exactness, no call.
func (c *call) noteTokens(ctx context.Context, n int64) {
	if err := c.g.Meter.NoteTokens(ctx, c.person, c.network, c.admitted, n); err != nil {
		c.log.Warn("tokens could not be counted against the rate", "error", err)
	}
}

// reckon decides what a call used and how that is known; no provenance means that it cost nothing.
//
//	provider not reached, or refused, or an error instead of a reply   nothing
//	usage reported                                                     as reported
//	cut off by us while the provider goes on unseen (no stream)        what was held
//	caller left, or the reply broke off or lacks usage                 prompt and what was delivered, counted
func (c *call) reckon(e *ending) (meter.Usage, meter.Provenance) {
	if e.reader == nil || e.refused {
		return meter.Usage{}, ""
	}
	if u, ok := e.reader.Usage(); ok {
		return meter.Usage{Input: u.Input, Cached: u.CachedInput, Written: u.WrittenInput, Output: u.Output}, meter.Reported
	}
	delivered := max(e.reader.Delivered(), e.partial)
	counted := meter.Usage{Input: c.held.Input, Output: delivered}
	if reported, ok := e.reader.Input(); ok {
		counted.Input = reported // the output was still to come
	}
	switch {
	case e.unseen:
		return meter.Usage{Input: c.held.Input, Output: c.held.Output}, meter.Held
	case e.cause != nil && e.sent.Load():
		return counted, meter.Counted
	case !e.accepted, e.failed && delivered == 0:
		return meter.Usage{}, ""
	default:
		return counted, meter.Counted
	}
}

// releaseNote is why a hold cost nothing, for the ledger.
func releaseNote(e *ending) string {
	switch {
	case e.cause != nil:
		return e.cause.Error()
	case e.accepted:
		return "no reply"
	case e.sent.Load():
		return "refused by the provider"
	default:
		return "provider not reached"
	}
}
