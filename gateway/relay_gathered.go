package gateway

import (
	"bytes"
	"context"
	"net/http"

	"perdiem/providers/sse"
	"perdiem/providers/wire"
)

// relayGathered makes one reply of a stream that nobody asked for: who wants one body cannot read
// events. Like such a body it is read to its end, though its caller left.
func (c *call) relayGathered(ctx context.Context, cancel context.CancelCauseFunc, e *ending, out *stream, resp *http.Response) {
	resp.Header.Set("Content-Type", "application/json")
	var all [][]byte
	var size int64
	events := sse.NewScanner(resp.Body)
	idle := c.stopIdle(cancel)
	defer idle.Stop()
	for {
		event, err := events.Next()
		if err != nil {
			c.endGathered(ctx, e, out, resp, all)
			return
		}
		if len(event.Error) > 0 {
			c.passError(ctx, e, out, resp.Header, wire.FailureOf(event.Error).Status, event.Error)
			return
		}
		if len(event.Data) == 0 || event.Partial && !wholeData(event.Data) {
			continue
		}
		seen := c.read(e, event)
		if seen.Error && !seen.Done { // a failed response is one all the same
			c.passError(ctx, e, out, resp.Header, wire.FailureOf(event.Data).Status, event.Data)
			return
		}
		if size += int64(len(event.Data)); size > c.g.Limits.Reply {
			c.failTooLarge(ctx, e, out)
			return
		}
		all = append(all, bytes.Clone(event.Data))
		if seen.Done {
			c.endGathered(ctx, e, out, resp, all)
			return
		}
		if e.reader.Finished() {
			idle.Reset(c.g.Limits.AfterDone)
		}
	}
}

// endGathered ends a call whose events have come.
func (c *call) endGathered(ctx context.Context, e *ending, out *stream, resp *http.Response, all [][]byte) {
	if !e.reader.Finished() {
		c.fail(ctx, e, out, broken("The provider broke off before its reply was whole."))
		return
	}
	body, err := c.ask.wire.AsWhole(all)
	if err != nil {
		c.fail(ctx, e, out, notAReply())
		return
	}
	c.sayWhole(ctx, e, out, resp, body)
}
