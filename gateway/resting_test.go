package gateway

import (
	"net/http"
	"testing"
	"time"
)

func TestAKeyRestsForAsLongAsItsVendorSays(t *testing.T) {
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	const google = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17.5s"}]}}`
	for name, c := range map[string]struct {
		header map[string]string
		body   string
		want   time.Duration
	}{
		"nothing":                    {want: restByDefault},
		"seconds":                    {header: map[string]string{"Retry-After": "60"}, want: time.Minute},
		"a fraction":                 {header: map[string]string{"Retry-After": "1.5"}, want: 1500 * time.Millisecond},
		"a date":                     {header: map[string]string{"Retry-After": "Sun, 29 Nov 2026 12:00:50 GMT"}, want: 50 * time.Second},
		"milliseconds":               {header: map[string]string{"Retry-After": "2", "Retry-After-Ms": "1500"}, want: 1500 * time.Millisecond},
		"nonsense":                   {header: map[string]string{"Retry-After": "soon", "Retry-After-Ms": "NaN"}, want: restByDefault},
		"long ago":                   {header: map[string]string{"Retry-After": "Sun, 29 Nov 2020 12:00:50 GMT"}, want: restByDefault},
		"for ever":                   {header: map[string]string{"Retry-After": "99999999999999999999"}, want: restAtMost},
		"OpenAI's spent budget":      {header: map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "6m0s", "X-Ratelimit-Remaining-Tokens": "9", "X-Ratelimit-Reset-Tokens": "9m0s"}, want: 6 * time.Minute},
		"Anthropic's input tokens":   {header: map[string]string{"Anthropic-Ratelimit-Input-Tokens-Remaining": "0", "Anthropic-Ratelimit-Input-Tokens-Reset": "2026-11-29T12:03:00Z"}, want: 3 * time.Minute},
		"OpenRouter's":               {header: map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1795953900000"}, want: 5 * time.Minute},
		"Google's":                   {body: google, want: 17500 * time.Millisecond},
		"Google's, in a list":        {body: "[" + google + "]", want: 17500 * time.Millisecond},
		"Google's, beside a header":  {header: map[string]string{"Retry-After": "60"}, body: google, want: time.Minute},
		"a body that is no JSON":     {body: "<html>", want: restByDefault},
		"details that are no detail": {body: `{"error":{"details":["x",1,{"@type":5,"retryDelay":7}]}}`, want: restByDefault},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := restUntil(h, []byte(c.body), noon).Sub(noon); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
