package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"perdiem/providers/tokens"
	"perdiem/providers/wire"
)

// relayWhole passes on a reply that came as one body. It is read to its end first, though its
// caller left: the provider bills it all the same.
func (c *call) relayWhole(ctx context.Context, e *ending, out *stream, resp *http.Response) {
	body, err := readReply(resp, c.g.Limits.Reply)
	seen := e.reader.Body(body)
	e.failed = seen.Error || !seen.Output && !e.reader.Finished() // {"detail":…} is no reply either
	c.flight.output.Store(e.reader.Delivered())
	c.keepObject(body)
	switch {
	case errors.Is(err, errReplyTooLarge):
		c.failTooLarge(ctx, e, out)
		return
	case err != nil && (!wire.Valid(body) || !e.reader.Finished()): // else it is its length that was wrong
		e.partial = countText(body)
		c.fail(ctx, e, out, broken("The provider broke off before its reply was whole."))
		return
	case !wire.Valid(body):
		c.fail(ctx, e, out, notAReply())
		return
	}
	if c.facts.Stream {
		c.wrap(ctx, e, out, resp.Header, c.redact(body))
		return
	}
	c.sayWhole(ctx, e, out, resp, body)
}

func (c *call) failTooLarge(ctx context.Context, e *ending, out *stream) {
	e.unseen = true
	c.log.Error("a reply was larger than the gateway takes", "limit", c.g.Limits.Reply)
	c.fail(ctx, e, out, broken("The provider's reply is larger than this gateway takes."))
}

// sayWhole books a call, and answers with its reply.
func (c *call) sayWhole(ctx context.Context, e *ending, out *stream, resp *http.Response, body []byte) {
	body = c.redact(body)
	if c.retold != nil {
		said, ok := c.retold.whole(body)
		if !ok {
			c.fail(ctx, e, out, c.retold.unsaid(e, body))
			return
		}
		body = said
	}
	if !e.failed {
		c.kept.add(body)
		c.kept.end(e, resp.StatusCode, c.replyType(resp.Header))
	}
	c.finish(e)
	if resp.Header.Get("Content-Type") == "" { // SDKs would take it for text
		resp.Header.Set("Content-Type", "application/json")
	}
	c.answerHeaders(resp.Header)
	c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	c.writeWhole(resp.StatusCode, body)
}

// wrap gives the caller the stream that they asked for: agents that get a plain body instead ask
// again without end.
func (c *call) wrap(ctx context.Context, e *ending, out *stream, from http.Header, body []byte) {
	events, err := c.ask.wire.AsStream(body, c.ask.facts.UsageAsked)
	if err != nil {
		c.passError(ctx, e, out, from, wire.FailureOf(body).Status, body)
		return
	}
	if c.retold != nil {
		events = c.retold.events(events)
	}
	c.sayEnd(e, out, events)
}

// countText counts half a body as text; the provider made it, and bills it.
func countText(body []byte) int64 {
	var count tokens.Counter
	count.Add(string(body))
	return count.Tokens()
}

var errReplyTooLarge = errors.New("the reply is too large")

func readReply(resp *http.Response, most int64) ([]byte, error) {
	body, err := readOn(nil, io.LimitReader(resp.Body, most+1), resp.ContentLength)
	if int64(len(body)) > most {
		return body[:most], errReplyTooLarge
	}
	return body, err
}
