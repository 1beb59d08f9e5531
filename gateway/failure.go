package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"perdiem/providers/wire"
)

// failure is what a call that the provider failed is told.
type failure struct {
	status int
	wire.Failure
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
	if resp.StatusCode < http.StatusBadRequest || resp.StatusCode > 599 { // the body of a 101 has no end
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
