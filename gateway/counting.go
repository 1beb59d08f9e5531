package gateway

import (
	"net/http"

	"perdiem/providers"
	"perdiem/providers/tokens"
)

// countHere answers a call that counts tokens where its provider does not speak the dialect: by our own
// count, which is what Perdiem would hold for the prompt.
func (c *call) countHere() {
	if c.invalid != nil {
		c.refuse(c.checkValid())
		return
	}
	n := tokens.Count(c.body, c.target.Model.Upstream)
	c.w.Header().Add(noticeHeader, "counted by this gateway: the model's provider does not speak this dialect")
	if c.dialect == providers.Gemini {
		writeJSON(c.w, http.StatusOK, map[string]int64{"totalTokens": n})
		return
	}
	writeJSON(c.w, http.StatusOK, map[string]int64{"input_tokens": n})
}

// pipe passes a call on that costs nothing, and its answer back: there is no hold to end.
func (c *call) pipe() {
	if c.ask.translation != nil {
		c.countHere()
		return
	}
	ctx, cancel := c.runContext()
	defer cancel(nil)
	for i := range c.keys {
		c.key = c.keys[i]
		resp, err := c.send(ctx, &ending{})
		switch {
		case err != nil:
			c.answerFailure(unreachable(err))
		case c.refusedKey(ctx, resp) && i+1 < len(c.keys):
			_ = resp.Body.Close()
			continue
		default:
			c.passBack(resp)
		}
		return
	}
}
