package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"

	"perdiem/providers/wire"
)

// failure is what a call that the provider failed is told.
type failure struct {
	status int
	wire.Failure
}

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
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		c.relayError(ctx, e, out, resp)
		return
	}
	e.accepted = true
	if isEncoded(resp.Header) {
		c.fail(ctx, e, out, notAReply())
		return
	}
	kind := c.kindOf(resp)
	c.accept(c.flight, kind)
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

func (c *call) send(ctx context.Context, e *ending) (*http.Response, error) {
	req, err := c.upstreamRequest(ctx, func() { e.sent.Store(true) })
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
	halfSaid := e.broken && out.begun // a clean end would make it look whole
	if p == nil && !halfSaid {
		return
	}
	if out.begun || aborted {
		panic(http.ErrAbortHandler)
	}
	c.answerFailure(failure{http.StatusInternalServerError, wire.Failure{
		Message: "Something went wrong inside the gateway. Please tell its owner.", Type: "server_error", Code: "internal_error"}})
}

// fail ends a call that the provider failed, or that we ended ourselves.
func (c *call) fail(ctx context.Context, e *ending, out *stream, f failure) {
	e.failed = true
	e.cause = ourCause(ctx)
	if !c.facts.Stream && e.cause != nil && e.sent.Load() {
		e.unseen = true // cutting the connection does not stop a reply that is made in one piece
	}
	switch {
	case errors.Is(e.cause, errLeft), errors.Is(e.cause, errStuck):
		e.broken = true
		return // nobody is there to be told
	case errors.Is(e.cause, errDeadline):
		f = failure{http.StatusGatewayTimeout, wire.Failure{Message: "The call took longer than this gateway allows.", Type: "server_error", Code: "deadline"}}
	case errors.Is(e.cause, errClosing):
		f = failure{http.StatusServiceUnavailable, wire.Failure{Message: "The gateway is closing.", Type: "server_error", Code: "closing"}}
	}
	c.finish(e) // booked before the caller is told, so that what they read next is right
	if out.begunNow() {
		f.Status = f.status
		_ = out.write(c.errorEvent(e, f.Failure), nil)
		return
	}
	out.stop()
	c.answerFailure(f)
}

func (c *call) answerFailure(f failure) {
	c.heldHeaders()
	tell(c.w, c.voice, told{answer: answer{status: f.status, kind: f.Type, code: f.Code}, message: f.Message})
}

// ourCause is why we ended a call, nil if we did not.
func ourCause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

func unreachable(err error) failure {
	return failure{http.StatusBadGateway, wire.Failure{
		Message: "The provider could not be reached: " + connectionWords(err) + ". Nothing was charged.",
		Type:    "server_error", Code: "provider_unreachable"}}
}

func broken(text string) failure {
	return failure{http.StatusBadGateway, wire.Failure{Message: text, Type: "server_error", Code: "provider_failed"}}
}

// relayError passes on a provider's error: its status, its words less our key, and how long it
// asks to wait.
func (c *call) relayError(ctx context.Context, e *ending, out *stream, resp *http.Response) {
	c.log.Warn("the provider answered with an error", "status", resp.StatusCode, "provider", c.target.Provider.Name)
	if resp.StatusCode < http.StatusBadRequest { // the body of a 101 has no end
		c.fail(ctx, e, out, notAReply())
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil || isEncoded(resp.Header) {
		body = nil // half an error, or one in which no key can be found, is told in our own words
	}
	c.passError(ctx, e, out, resp.Header, resp.StatusCode, body)
}

// passError passes a provider's own error on: as it stands, while nothing has been said, else in the
// words of the caller's dialect.
func (c *call) passError(ctx context.Context, e *ending, out *stream, from http.Header, status int, body []byte) {
	e.failed = true
	body = c.redact(body)
	if out.begunNow() || c.retold != nil || len(bytes.TrimSpace(body)) == 0 {
		out.headers(func() { c.answerHeaders(from) })
		c.fail(ctx, e, out, saidSo(status, body))
		return
	}
	out.stop()
	c.finish(e)
	c.answerHeaders(from)
	c.writeWhole(status, body)
}

// saidSo tells a provider's own error where it cannot be passed on as it stands.
func saidSo(status int, body []byte) failure {
	return failure{status, wire.FailureOf(body)}
}

// notAReply is told where a provider answers with a page, a redirect, or the like.
func notAReply() failure {
	return broken("The provider answered with something that is not a reply. Please tell the owner of this gateway.")
}

// maxErrorBody bounds how much of a provider's error is passed on, in bytes.
const maxErrorBody = 1 << 20

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
