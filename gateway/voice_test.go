package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// Each dialect's callers are told no in the shape that makes their SDK show the message and stop.
func TestARefusalSpeaksItsCallersDialect(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	h.Clock.Set(time.Date(2026, 11, 29, 23, 58, 0, 0, time.UTC))
	says := "m is out of today's requests (1 of 1). It resets at 00:00 UTC, in 2 min."
	messages := `{"model":"` + model + `","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}`
	gemini := `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`
	goog := http.Header{"X-Goog-Api-Key": {pass}}
	for path, c := range map[string]struct {
		body   string
		header http.Header
		want   map[string]string // of the body, by path
		sent   map[string]string // of the headers
	}{
		"/v1/chat/completions": {ask(model), bearer(pass), map[string]string{
			"error.message": says, "error.type": "insufficient_quota", "error.code": "insufficient_quota", "error.param": "model",
		}, map[string]string{"Retry-After": "120", "X-Ratelimit-Remaining-Requests": "0"}},
		"/v1/responses": {`{"model":"` + model + `","input":"Hi"}`, bearer(pass), map[string]string{
			"error.message": says, "error.type": "usage_limit_reached", "error.resets_at": "1795996800",
		}, map[string]string{"X-Codex-Promo-Message": says}},
		"/v1/messages": {messages, http.Header{"X-Api-Key": {pass}}, map[string]string{
			"type": "error", "error.type": "rate_limit_error", "error.message": says,
		}, map[string]string{"Anthropic-Ratelimit-Requests-Remaining": "0", "Anthropic-Ratelimit-Requests-Reset": "2026-11-30T00:00:00Z"}},
		"/v1beta/models/" + model + ":generateContent": {gemini, goog, map[string]string{
			"error.code": "429", "error.status": "RESOURCE_EXHAUSTED", "error.message": says, "error.details.0.retryDelay": "301s",
		}, nil},
		"/v1/models/" + model + ":streamGenerateContent?alt=sse": {gemini, goog, map[string]string{"error.code": "429"}, nil},
	} {
		a := exchange{path: path, body: c.body, header: c.header}.do(t, h)
		a.WantStatus(t, 429)
		for at, want := range c.want {
			if got := gjson.GetBytes(a.Body, at).String(); got != want {
				t.Errorf("%s: %s is %q, want %q", path, at, got, want)
			}
		}
		for at, want := range map[string]string{"reason": "DAILY_REQUEST_LIMIT", "modelId": model, "usedRequests": "1", "maxRequests": "1", "resetsAt": "2026-11-30T00:00:00Z", "fits": "true"} {
			if got := gjson.GetBytes(a.Body, at).String(); got != want {
				t.Errorf("%s: %s is %q, want %q", path, at, got, want)
			}
		}
		if a.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: an SDK would try again", path)
		}
		for name, want := range c.sent {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestModelsAreListedAsEachClientReadsThem(t *testing.T) {
	h, _, pass := house(t)
	for name, c := range map[string]struct {
		path   string
		header http.Header
		want   string
	}{
		"OpenAI":        {"/v1/models", bearer(pass), `data.0.id`},
		"Anthropic":     {"/v1/models?limit=1000", http.Header{"X-Api-Key": {pass}, "Anthropic-Version": {"2023-06-01"}}, `first_id`},
		"Google, /v1":   {"/v1/models", http.Header{"X-Goog-Api-Key": {pass}}, `models.0.name`},
		"Google, beta":  {"/v1beta/models", http.Header{"X-Goog-Api-Key": {pass}}, `models.0.name`},
		"one of OpenAI": {"/v1/models/" + model, bearer(pass), `id`},
		"one of Google": {"/v1beta/models/" + model, http.Header{"X-Goog-Api-Key": {pass}}, `name`},
	} {
		a := exchange{method: http.MethodGet, path: c.path, header: c.header}.do(t, h)
		a.WantStatus(t, 200)
		if got := strings.TrimPrefix(gjson.GetBytes(a.Body, c.want).String(), "models/"); got != model {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
}

func TestAWebsocketIsDeclinedSoThatCodexFallsBack(t *testing.T) {
	h, _, pass := house(t)
	header := bearer(pass)
	header["Upgrade"], header["Connection"] = []string{"websocket"}, []string{"Upgrade"}
	exchange{method: http.MethodGet, path: "/v1/responses", header: header}.do(t, h).WantStatus(t, http.StatusUpgradeRequired)
}

func TestCountingTokensCostsNothing(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	for range 25 { // beyond the rate, and with nothing left of the day
		a := exchange{path: "/v1/messages/count_tokens?beta=true", body: `{"model":"` + model + `","messages":[{"role":"user","content":"Hi"}]}`, header: http.Header{"X-Api-Key": {pass}}}.do(t, h)
		a.WantStatus(t, 200)
	}
	if got := h.Booked(); got.Requests != 1 {
		t.Errorf("booked %+v", got)
	}
	exchange{path: "/v1/messages/count_tokens", body: `{"model":"` + model + `"}`}.do(t, h).WantStatus(t, 401)
}
