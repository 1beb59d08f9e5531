package gateway

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"perdiem/meter"
	"perdiem/providers/wire"
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

func (gemini) errorBody(t told) any {
	detail := geminiDetail{Code: t.status, Message: t.message, Status: wire.GeminiStatus(t.status)}
	if t.status == http.StatusTooManyRequests && t.wait > 0 {
		seconds := int64(math.Ceil(t.wait.Seconds()))
		if t.daily {
			seconds = max(seconds, leastGeminiWait)
		}
		detail.Details = []any{retryInfo{"type.googleapis.com/google.rpc.RetryInfo", fmt.Sprintf("%ds", seconds)}}
	}
	return geminiError{detail, t.figures}
}

func (gemini) mark(http.Header, told) {}

func (gemini) budget(h http.Header, left meter.Left, now time.Time) { openAI{}.budget(h, left, now) }
