package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"perdiem/providers/sse"
	"perdiem/providers/wire"
)

// relayStream passes a stream on, event by event, byte for byte, and reads usage as it passes.
func (c *call) relayStream(ctx context.Context, cancel context.CancelCauseFunc, e *ending, out *stream, resp *http.Response) {
	out.headers(func() { c.answerHeaders(resp.Header) })
	events := sse.NewScanner(resp.Body)
	idle := c.stopIdle(cancel)
	defer idle.Stop()
	last := &lastWord{c: c, e: e, out: out, over: func() { cancel(errIdle) }}
	for {
		if !events.Ready() {
			if err := c.notTaken(out.flush()); err != nil {
				cancel(err)
				c.endStream(ctx, e, out, err)
				return
			}
		}
		event, err := events.Next()
		last.say(err != nil)
		if err != nil {
			c.endStream(ctx, e, out, err)
			return
		}
		if e.booked {
			return // what a provider sends after its end is nobody's
		}
		if len(event.Error) > 0 {
			c.fail(ctx, e, out, saidSo(wire.FailureOf(event.Error).Status, c.redact(event.Error)))
			return
		}
		if event.Partial && !wholeData(event.Data) {
			continue // the stream broke off inside it; its reader could make nothing of half an event
		}
		seen := c.read(e, event)
		if event.Partial && !e.reader.Finished() {
			event.Raw = append(bytes.TrimRight(event.Raw, "\r\n"), "\n\n"...) // an event of ours follows
		}
		if seen.Done {
			<-c.flight.noted
			last.keep(c.forCaller(event, seen))
		} else if err := c.passOn(e, out, event, seen); err != nil {
			cancel(err)
			c.endStream(ctx, e, out, err)
			return
		}
		if e.reader.Finished() {
			idle.Reset(c.g.Limits.AfterDone)
		}
	}
}

// stopIdle is a timer that ends a call whose provider has finished and leaves the connection open. It
// does not run before it is reset.
func (c *call) stopIdle(cancel context.CancelCauseFunc) *time.Timer {
	idle := time.AfterFunc(c.g.Limits.Deadline, func() { cancel(errIdle) })
	idle.Stop()
	return idle
}

// wholeData tells whether the data of an event that the stream ended in is whole all the same: some
// providers leave the last blank line out.
func wholeData(data []byte) bool {
	return len(data) > 0 && (bytes.Equal(data, []byte("[DONE]")) || wire.Valid(data))
}

func (c *call) read(e *ending, event sse.Event) wire.Seen {
	if len(event.Data) == 0 {
		return wire.Seen{}
	}
	seen := e.reader.Event(event.Data)
	c.keepObject(event.Data)
	c.flight.output.Store(e.reader.Delivered())
	if seen.Error {
		e.failed = true
	}
	return seen
}

// passOn passes one event on, unless it is for us alone. It goes out with those that have come with it.
func (c *call) passOn(e *ending, out *stream, event sse.Event, seen wire.Seen) error {
	if c.outgrown(e) {
		e.cause = errOutgrown
		return errOutgrown
	}
	raw := c.forCaller(event, seen)
	if len(raw) == 0 {
		return nil
	}
	<-c.flight.noted
	c.kept.add(raw)
	return c.notTaken(out.add(raw, c.aliveAfter(e, event)))
}

// notTaken tells why what was written to a caller did not reach them, where that ends the call.
func (c *call) notTaken(err error) error {
	switch {
	case err == nil, c.readsOn():
		return nil
	case c.r.Context().Err() != nil:
		return errLeft
	default:
		return errStuck
	}
}

// aliveAfter is what keeps the caller's stream alive after an event. Once an event had an id, OpenAI's Python SDK takes a
// bare newline for a further event, without data, and breaks; it then gets a comment.
func (c *call) aliveAfter(e *ending, event sse.Event) []byte {
	e.ids = e.ids || event.ID && c.retold == nil
	alive := c.keepAlive(e)
	if e.ids && string(alive) == "\n" {
		return []byte(":\n")
	}
	return alive
}

// clean takes the provider's key out of an event that has it.
func (c *call) clean(raw []byte, seen wire.Seen) []byte {
	if seen.Error || len(c.secret) > 0 && bytes.Contains(raw, c.secret) {
		return c.redact(raw)
	}
	return raw
}

// outgrown tells whether the provider ignored the cap so far that the reply is past its hold by half.
func (c *call) outgrown(e *ending) bool {
	return c.held.Limited && e.reader.Delivered() > c.held.Output+c.held.Output/2+usefulReply
}

// endStream ends a stream for the caller the way it ended here: cleanly only if it was whole.
func (c *call) endStream(ctx context.Context, e *ending, out *stream, err error) {
	cause := ourCause(ctx)
	switch {
	case e.booked:
		// The end event has been said; how the connection ended says nothing more.
		c.sayEnd(e, out, c.streamRest())
	case errors.Is(cause, errIdle):
		e.cause = nil // whole, but for the provider's manners
		c.sayEnd(e, out, c.streamRest())
	case errors.Is(err, errOutgrown):
		usage := &wire.Usage{Input: c.held.Input, Output: e.reader.Delivered()}
		if !c.ask.facts.UsageAsked {
			usage = nil
		}
		finish := e.reader.LengthFinish(usage)
		if c.retold != nil {
			finish = c.retold.events(finish)
		}
		c.sayEnd(e, out, finish)
	case errors.Is(err, errLeft), errors.Is(err, errStuck):
		e.cause, e.broken = err, true
	case cause != nil:
		c.fail(ctx, e, out, failure{})
	case e.failed && (c.retold == nil || c.retold.reply.Failure() != nil):
		// The provider's own error event has been passed on; there is nothing to add.
	case errors.Is(err, io.EOF) && e.reader.Finished():
		c.sayEnd(e, out, c.streamRest())
	default:
		c.log.Warn("the provider broke off", "error", connectionWords(err))
		c.fail(ctx, e, out, broken("The provider broke off before its reply was whole."))
	}
}

// sayEnd books a stream that is whole, and then says the last of it.
func (c *call) sayEnd(e *ending, out *stream, rest []byte) {
	c.kept.add(rest)
	c.kept.end(e, http.StatusOK, streamType)
	c.finish(e)
	if len(rest) > 0 {
		_ = out.write(rest, nil) // a caller who left is nobody to tell
	}
}
