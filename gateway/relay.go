package gateway

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"perdiem/providers/wire"
)

// relay sends the call to its provider and the reply to its caller, and ends the hold.
func (c *call) relay() {
	e := &ending{}
	out := newStream(c)
	defer c.end(e, out)
	c.flight = c.takeOff()
	c.noteTokens(c.r.Context(), c.held.Input+c.held.Output)

	ctx, cancel := c.runContext()
	defer cancel(nil)
	c.startReply(e)
	if c.facts.Stream {
		out.watch(c.keepAlive(e))
	}
	resp, err := c.sendOn(ctx, e)
	if err != nil {
		c.fail(ctx, e, out, unreachable(err))
		return
	}
	defer resp.Body.Close()
	if !isReply(resp) {
		e.refused = true
		c.relayError(ctx, e, out, resp)
		return
	}
	e.accepted = true
	if isEncoded(resp.Header) {
		c.fail(ctx, e, out, notAReply())
		return
	}
	kind, said := c.kindSaid(resp)
	c.accept(c.flight, said && kind == asWhole)
	if !said {
		kind = c.kindSeen(resp)
	}
	switch kind {
	case asEvents:
		c.relayStream(ctx, cancel, e, out, resp)
	case asBytes:
		c.relayBytes(ctx, e, out, resp)
	case asGathered:
		c.relayGathered(ctx, cancel, e, out, resp)
	case asWhole:
		c.relayWhole(ctx, e, out, resp)
	}
}

// runContext is the context of the call upstream. It ends at the deadline, when the gateway
// closes and, unless the reply is read on without its caller, when they leave.
func (c *call) runContext() (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(c.r.Context()))
	ctx, stopTimer := context.WithTimeoutCause(ctx, c.g.Limits.Deadline, errDeadline)
	stopClosing := context.AfterFunc(c.g.closing, func() { cancel(errClosing) })
	stopLeft := func() bool { return true }
	if !c.readsOn() {
		stopLeft = context.AfterFunc(c.r.Context(), func() { cancel(errLeft) })
	}
	return ctx, func(cause error) {
		cancel(cause)
		if cause == nil {
			stopLeft()
			stopClosing()
			stopTimer()
		}
	}
}

// sendOn sends the call until it is answered or nothing is left to try: with another key where the
// provider refused the key and not the call, and to the model's fallback where it failed.
func (c *call) sendOn(ctx context.Context, e *ending) (*http.Response, error) {
	for {
		resp, err := c.send(ctx, e)
		if ctx.Err() != nil {
			return resp, err
		}
		refused := err == nil && c.refusedKey(ctx, resp)
		if !refused && providerFailed(resp, err) == nil {
			return resp, nil
		}
		if again := refused && c.nextKey(ctx) || c.fallBack(ctx); !again {
			return resp, err
		}
		if resp != nil {
			_ = resp.Body.Close() // unread: it may have no end
		}
		e.sent.Store(false)
		c.startReply(e)
	}
}

func isReply(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode <= 299 }

// send sends the call once. What the body of an error says beyond its status is waited for only so long.
func (c *call) send(ctx context.Context, e *ending) (*http.Response, error) {
	attempt, giveUp := context.WithCancel(ctx)
	slow := time.AfterFunc(c.g.Limits.Deadline, giveUp)
	slow.Stop() // a reply may take its time, an error may not
	req, err := c.upstreamRequest(attempt, func() { e.sent.Store(true) })
	if err != nil {
		return nil, err
	}
	done, err := c.g.breakers.of(c.target.Provider.Name).Allow()
	if err != nil {
		return nil, err // it opened since the gate looked
	}
	resp, err := c.g.do(req)
	if ctx.Err() != nil {
		done(nil) // ended by us
	} else {
		done(providerFailed(resp, err))
	}
	if err == nil && !isReply(resp) {
		slow.Reset(c.g.Limits.ErrorTime)
	}
	return resp, err
}

// end runs last on every path, a panic's too: the hold is ended, and the caller is not left with
// half an answer that looks whole.
func (c *call) end(e *ending, out *stream) {
	p := recover()
	asError, _ := p.(error)
	aborted := errors.Is(asError, http.ErrAbortHandler) // by ourselves, on purpose
	if p != nil && !aborted {
		c.log.Error("panic while relaying", "panic", string(c.redact(fmt.Append(nil, p))), "stack", string(debug.Stack()))
		e.failed = true
	}
	out.stop()
	c.finish(e)
	c.observe(e)
	if p == nil && !e.broken {
		return
	}
	if e.broken || out.begun || aborted { // a clean end would make it look whole
		panic(http.ErrAbortHandler)
	}
	c.answerFailure(failure{http.StatusInternalServerError, wire.Failure{
		Message: "Something went wrong inside the gateway. Please tell its owner.", Type: "server_error", Code: "internal_error"}})
}

// isEncoded tells of a reply in an encoding that was not asked for, which can be neither read nor edited.
func isEncoded(h http.Header) bool {
	coding := h.Get("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity")
}

// mediaType is what a body is said to be, without its parameters, which may be odd; empty if that cannot
// be read.
func mediaType(h http.Header) string {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return kind
}
