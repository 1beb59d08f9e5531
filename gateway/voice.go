package gateway

import (
	"net/http"
	"time"

	"perdiem/meter"
)

// voice is how the callers of one dialect are told errors and what is left, so that their SDKs and
// agents show the message and stop when trying again is no use.
type voice interface {
	// errorBody is the JSON body of an error.
	errorBody(t told) any
	// mark adds the headers that this dialect's clients look for in an error.
	mark(h http.Header, t told)
	// budget tells what is left of a daily budget, in headers.
	budget(h http.Header, left meter.Left, now time.Time)
}

// told is an error to be told, in no dialect yet.
type told struct {
	answer
	message   string
	param     string // the field of the request that it is about
	requestID string
	daily     bool
	wait      time.Duration // until trying again may help; zero if unknown
	resetsAt  *time.Time
	figures   *refusalFigures // nil for what is not a refusal
}

// tell writes an error in the caller's dialect.
func tell(w http.ResponseWriter, v voice, t told) {
	t.requestID = w.Header().Get("X-Request-Id")
	v.mark(w.Header(), t)
	writeJSON(w, t.status, v.errorBody(t))
}

// limited is a budget that has a limit.
type limited struct {
	of               string // Requests or Tokens
	limit, remaining int64
}

func budgetsOf(left meter.Left) []limited {
	var all []limited
	add := func(of string, used int64, limit *int64) {
		if limit != nil {
			all = append(all, limited{of, *limit, max(*limit-used, 0)})
		}
	}
	add("Requests", left.Requests, left.MaxRequests)
	add("Tokens", left.Tokens, left.MaxTokens)
	return all
}
