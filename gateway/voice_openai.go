package gateway

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"perdiem/meter"
)

// openAI is the voice of chat completions and of all that has no other.
type openAI struct{}

// openAIError is OpenAI's error object with Perdiem's figures beside it, where SDKs leave them alone.
type openAIError struct {
	Error openAIDetail `json:"error"`
	*refusalFigures
}

type openAIDetail struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Param   *string `json:"param"`
	// ResetsAt, in Unix seconds, is where Codex looks.
	ResetsAt int64 `json:"resets_at,omitempty"`
}

func (openAI) errorBody(t told) any {
	body := openAIError{Error: openAIDetail{Message: t.message, Type: t.kind, Code: t.code}, refusalFigures: t.figures}
	if t.param != "" {
		body.Error.Param = &t.param
	}
	return body
}

func (openAI) mark(http.Header, told) {}

// budget writes integers, and a Go duration until the reset. A budget without a limit has no headers.
func (openAI) budget(h http.Header, left meter.Left, now time.Time) {
	reset := meter.ResetsAt(now).Sub(now).Truncate(time.Second).String()
	for _, b := range budgetsOf(left) {
		h.Set("X-Ratelimit-Limit-"+b.of, strconv.FormatInt(b.limit, 10))
		h.Set("X-Ratelimit-Remaining-"+b.of, strconv.FormatInt(b.remaining, 10))
		h.Set("X-Ratelimit-Reset-"+b.of, reset)
	}
}

// responses is the voice of OpenAI's responses: Codex goes on for hours unless it is told in this way
// that the limit is reached.
type responses struct{ openAI }

func (v responses) errorBody(t told) any {
	if !t.daily {
		return v.openAI.errorBody(t)
	}
	t.kind = "usage_limit_reached"
	body, _ := v.openAI.errorBody(t).(openAIError)
	if t.resetsAt != nil {
		body.Error.ResetsAt = t.resetsAt.Unix()
	}
	return body
}

func (responses) mark(h http.Header, t told) {
	if t.daily {
		h.Set("X-Codex-Promo-Message", headerText(t.message))
	}
}

// headerText keeps a text to what a header may hold.
func headerText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
