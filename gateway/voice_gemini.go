package gateway

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"perdiem/meter"
)

// gemini is the voice of Google's API.
type gemini struct{}

// geminiError is Google's error with Perdiem's figures beside it.
type geminiError struct {
	Error geminiDetail `json:"error"`
	*refusalFigures
}

type geminiDetail struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details,omitempty"`
}

// retryInfo tells when to try again; above 300 seconds Gemini CLI stops at once and shows the message.
type retryInfo struct {
	Type  string `json:"@type"`
	Delay string `json:"retryDelay"`
}

// leastGeminiWait is the shortest wait at which Gemini CLI does not try again by itself, in seconds.
const leastGeminiWait = 301

// geminiStatuses are Google's words for statuses.
// https://cloud.google.com/apis/design/errors#handling_errors
var geminiStatuses = map[int]string{
	http.StatusUnauthorized:       "UNAUTHENTICATED",
	http.StatusForbidden:          "PERMISSION_DENIED",
	http.StatusNotFound:           "NOT_FOUND",
	http.StatusConflict:           "ABORTED",
	http.StatusTooManyRequests:    "RESOURCE_EXHAUSTED",
	http.StatusServiceUnavailable: "UNAVAILABLE",
	http.StatusGatewayTimeout:     "DEADLINE_EXCEEDED",
}

func (gemini) errorBody(t told) any {
	body := geminiError{Error: geminiDetail{Code: t.status, Message: t.message}, refusalFigures: t.figures}
	switch status, known := geminiStatuses[t.status]; {
	case known:
		body.Error.Status = status
	case t.status >= http.StatusInternalServerError:
		body.Error.Status = "INTERNAL"
	default:
		body.Error.Status = "INVALID_ARGUMENT"
	}
	if t.status == http.StatusTooManyRequests && t.wait > 0 {
		seconds := int64(math.Ceil(t.wait.Seconds()))
		if t.daily {
			seconds = max(seconds, leastGeminiWait)
		}
		body.Error.Details = []any{retryInfo{"type.googleapis.com/google.rpc.RetryInfo", fmt.Sprintf("%ds", seconds)}}
	}
	return body
}

func (gemini) mark(http.Header, told) {}

func (gemini) budget(h http.Header, left meter.Left, now time.Time) { openAI{}.budget(h, left, now) }
