package gateway

import (
	"net/http"
	"strconv"
	"time"

	"perdiem/meter"
	"perdiem/providers/wire"
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

func (anthropic) errorBody(t told) any {
	body := anthropicError{Type: "error", RequestID: t.requestID, refusalFigures: t.figures}
	body.Error.Type, body.Error.Message = wire.AnthropicErrorType(t.status), t.message
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
