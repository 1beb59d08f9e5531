package gateway

import (
	"io"
	"net/http"
)

// pipe passes a call on that costs nothing, and its answer back: there is no hold to end.
func (c *call) pipe() {
	if len(c.keys) > 0 {
		c.key = c.keys[0]
	}
	ctx, cancel := c.runContext()
	defer cancel(nil)
	resp, err := c.send(ctx, &ending{})
	if err != nil {
		c.answerFailure(unreachable(err))
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil || resp.StatusCode >= 300 && resp.StatusCode < 400 {
		c.answerFailure(notAReply())
		return
	}
	if resp.StatusCode >= http.StatusBadRequest {
		body = c.redact(body)
	}
	c.answerHeaders(resp.Header)
	c.w.WriteHeader(resp.StatusCode)
	_, _ = c.w.Write(body) // a caller who left is nobody to tell
}
