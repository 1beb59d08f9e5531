package gateway

import (
	"net/http"
	"strconv"
	"time"

	"perdiem/meter"
)

// anthropic is the voice of the messages API.
type anthropic struct{}

// anthropicError is Anthropic's error with Perdiem's figures beside it.
type anthropicError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	RequestID string `json:"request_id,omitempty"`
	*refusalFigures
}

// anthropicKinds are Anthropic's words for statuses.
// https://docs.anthropic.com/en/api/errors
var anthropicKinds = map[int]string{
	http.StatusUnauthorized:          "authentication_error",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	http.StatusServiceUnavailable:    "overloaded_error",
}

func (anthropic) errorBody(t told) any {
	body := anthropicError{Type: "error", RequestID: t.requestID, refusalFigures: t.figures}
	body.Error.Message = t.message
	switch kind, known := anthropicKinds[t.status]; {
	case known:
		body.Error.Type = kind
	case t.status >= http.StatusInternalServerError:
		body.Error.Type = "api_error"
	default:
		body.Error.Type = "invalid_request_error"
	}
	return body
}

func (anthropic) mark(h http.Header, t told) { h.Set("Request-Id", t.requestID) }

// budget writes integers and the time of the reset.
func (anthropic) budget(h http.Header, left meter.Left, now time.Time) {
	for _, b := range budgetsOf(left) {
		h.Set("Anthropic-Ratelimit-"+b.of+"-Limit", strconv.FormatInt(b.limit, 10))
		h.Set("Anthropic-Ratelimit-"+b.of+"-Remaining", strconv.FormatInt(b.remaining, 10))
		h.Set("Anthropic-Ratelimit-"+b.of+"-Reset", meter.ResetsAt(now).Format(time.RFC3339))
	}
}
