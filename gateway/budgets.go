package gateway

import (
	"net/http"
	"strconv"
	"time"

	"perdiem/meter"
)

// setBudgetHeaders tells what is left in the headers that OpenAI's SDKs read: integers, and a Go
// duration until the reset. A budget without a limit has no headers.
func setBudgetHeaders(h http.Header, left meter.Left, now time.Time) {
	reset := meter.ResetsAt(now).Sub(now).Truncate(time.Second).String()
	set := func(of string, used int64, limit *int64) {
		if limit == nil {
			return
		}
		h.Set("X-Ratelimit-Limit-"+of, strconv.FormatInt(*limit, 10))
		h.Set("X-Ratelimit-Remaining-"+of, strconv.FormatInt(max(*limit-used, 0), 10))
		h.Set("X-Ratelimit-Reset-"+of, reset)
	}
	set("Requests", left.Requests, left.MaxRequests)
	set("Tokens", left.Tokens, left.MaxTokens)
}

// budgetHeaders tells what is left of the budget that refused.
func (c *call) budgetHeaders(no *meter.Refusal, now time.Time) {
	f := no.Figures
	setBudgetHeaders(c.w.Header(), meter.Left{
		Requests: f.UsedRequests + f.HeldRequests, MaxRequests: f.MaxRequests,
		Tokens: f.UsedTokens + f.HeldTokens, MaxTokens: f.MaxTokens,
	}, now)
}
