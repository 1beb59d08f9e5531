package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestADailyRefusalSaysWhyAndWhenItEnds(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(1), n(10_000))
	h.Upstream.Next(fakeprovider.Chat{Prompt: 40, Words: 60}.Answer)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	h.Clock.Set(time.Date(2026, 11, 29, 18, 47, 30, 0, time.UTC))
	a := exchange{header: bearer(pass)}.do(t, h)
	no := wantReason(t, a, 429, "DAILY_REQUEST_LIMIT")
	if no.Error.Type != "insufficient_quota" || no.Error.Code != "insufficient_quota" || no.Error.Param != "model" {
		t.Errorf("error %+v", no.Error)
	}
	if want := "m is out of today's requests (1 of 1). It resets at 00:00 UTC, in 5 h 13 min."; no.Error.Message != want {
		t.Errorf("says %q, want %q", no.Error.Message, want)
	}
	h.Model("other")
	h.Allow(p, harness.Provider+"/other", n(1), nil)
	if again := (exchange{header: bearer(pass)}).do(t, h).Refusal(t); !strings.HasSuffix(again.Error.Message, "; your other models are still available.") {
		t.Errorf("with another model left it says %q", again.Error.Message)
	}
	if no.ModelID != model || no.UsedRequests != 1 || *no.MaxRequests != 1 || no.UsedTokens != 100 || *no.MaxTokens != 10_000 || no.HeldTokens != 0 || no.NeededTokens == 0 || !*no.Fits {
		t.Errorf("figures %+v", no)
	}
	if !no.ResetsAt.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("resets at %v", no.ResetsAt)
	}
	for name, want := range map[string]string{
		"X-Should-Retry": "false", "Retry-After": "18750", "Content-Type": "application/json",
		"X-Ratelimit-Limit-Requests": "1", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "5h12m30s",
		"X-Ratelimit-Limit-Tokens": "10000", "X-Ratelimit-Remaining-Tokens": "9900",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(string(a.Body), `{"error":{`) {
		t.Error("error is not the first key")
	}
	all, err := h.Meter.Refusals(t.Context(), meter.RefusalFilter{})
	if err != nil || len(all) != 2 || all[1].Person != "Ada" || all[1].Tool != "Go-http-client/1.1" || all[1].RequestID != no.RequestID {
		t.Errorf("logged %+v, %v", all, err)
	}
}

func TestRetryAfterIsWhatEachClientCanBear(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	for name, c := range map[string]struct {
		at         time.Time
		agent      string
		retryAfter string
		status     int
	}{
		"in the evening":              {harness.Noon, "OpenAI/JS 7.59", "43200", 429},
		"just before midnight":        {time.Date(2026, 11, 29, 23, 59, 30, 0, time.UTC), "OpenAI/JS 7.59", "61", 429},
		"an agent that goes on at it": {harness.Noon, "opencode/1.18.33", "", 402},
	} {
		h.Clock.Set(c.at)
		header := bearer(pass)
		header.Set("User-Agent", c.agent)
		a := exchange{header: header}.do(t, h)
		wantReason(t, a, c.status, "DAILY_REQUEST_LIMIT")
		if got := a.Header.Get("Retry-After"); got != c.retryAfter || a.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: Retry-After %q, want %q; X-Should-Retry %q", name, got, c.retryAfter, a.Header.Get("X-Should-Retry"))
		}
	}
}

func TestARateRefusalTellsItsTrueWait(t *testing.T) {
	h, _, pass := house(t)
	for range meter.DefaultRate {
		exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	}
	a := exchange{header: bearer(pass)}.do(t, h)
	wantReason(t, a, 429, "RATE_LIMIT")
	wait, err := time.ParseDuration(a.Header.Get("Retry-After") + "s")
	if err != nil || wait <= 0 || wait > 2*time.Minute || a.Header.Get("X-Should-Retry") != "true" {
		t.Fatalf("headers %v", a.Header)
	}
	h.Clock.Set(h.Clock.Now().Add(wait))
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
}

func TestWhatNeverFitsSaysSo(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, nil, n(20))
	no := wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, "DAILY_TOKEN_LIMIT")
	if no.Fits == nil || *no.Fits || !strings.Contains(no.Error.Message, "fresh day") {
		t.Errorf("got %+v", no)
	}
}

// Agents retry on these words wherever they stand in an error.
func TestFinalRefusalsKeepClearOfWordsThatAgentsRetryOn(t *testing.T) {
	words := []string{"429", "500", "502", "503", "504", "rate_limit", "too many requests", "try again in", "try again later"}
	reset := harness.Noon
	for _, r := range []meter.Reason{meter.PersonSuspended, meter.ModelNotAllowed, meter.PriceUnknown, meter.DailyRequestLimit, meter.DailyTokenLimit, meter.DailyCostLimit, meter.TeamCeiling, meter.KeysSpent} {
		no := &meter.Refusal{Reason: r, ResetsAt: &reset, Figures: meter.Figures{MaxRequests: n(1), MaxTokens: n(1), MaxCost: n(1)}}
		text := strings.ToLower(no.Words(harness.Noon.Add(-time.Hour), "Gauge"))
		if text == "" {
			t.Errorf("%s says nothing", r)
		}
		for _, w := range words {
			if strings.Contains(text, w) {
				t.Errorf("%s says %q: %s", r, w, text)
			}
		}
	}
}

func TestAReplyIsCappedToTheRoomLeft(t *testing.T) {
	h, p, pass := house(t)
	type sent struct {
		MaxTokens           *int64 `json:"max_tokens"`
		MaxCompletionTokens *int64 `json:"max_completion_tokens"`
		StreamOptions       *struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Seed json.Number `json:"seed"`
	}
	last := func() sent {
		t.Helper()
		all := h.Upstream.Requests()
		var s sent
		if err := json.Unmarshal(all[len(all)-1].Body, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}

	exchange{header: bearer(pass), body: askWith(`,"seed":9007199254740993`)}.do(t, h).WantStatus(t, 200)
	if s := last(); s.MaxTokens != nil || s.MaxCompletionTokens != nil || s.Seed != "9007199254740993" {
		t.Errorf("without a budget of tokens the body was changed: %+v", s)
	}
	h.Allow(p, model, nil, n(1_000_000))
	exchange{header: bearer(pass), body: askWith("")}.do(t, h).WantStatus(t, 200)
	if s := last(); s.MaxTokens == nil || *s.MaxTokens != 4096 {
		t.Errorf("with room the default is written: %+v", s)
	}
	a := exchange{header: bearer(pass), body: askWith(`,"max_completion_tokens":100,"stream":true`)}.do(t, h)
	if s := last(); *s.MaxCompletionTokens != 100 || s.MaxTokens != nil || !s.StreamOptions.IncludeUsage {
		t.Errorf("the caller's own maximum stays: %+v", s)
	}
	if strings.Contains(string(a.Body), `"usage":{`) || a.Header.Get("X-Perdiem-Notice") != "" {
		t.Errorf("a usage event that was not asked for: %s", a.Body)
	}
	used := h.Booked().Tokens
	h.Allow(p, model, nil, n(used+500))
	a = exchange{header: bearer(pass), body: askWith(`,"max_tokens":4000,"n":2`)}.do(t, h)
	a.WantStatus(t, 200)
	s := last()
	if s.MaxTokens == nil || *s.MaxTokens < 200 || *s.MaxTokens > 250 || !strings.Contains(a.Header.Get("X-Perdiem-Notice"), "capped at") {
		t.Errorf("each of two replies is capped to half the room left: %+v, %v", s, a.Header)
	}
	h.AtRest()
}

func TestAnUpstreamsRefusalIsPassedOn(t *testing.T) {
	h, _, pass := house(t)
	h.Upstream.Next(fakeprovider.Error(429, "slow_down", "Slow down.", "Retry-After", "30", "Retry-After-Ms", "29500", "Set-Cookie", "a=b", "X-Request-Id", "theirs", "X-Ratelimit-Limit-Requests", "9").Always())
	a := exchange{header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 429)
	for name, want := range map[string]string{"Retry-After": "30", "Retry-After-Ms": "29500", "Set-Cookie": "", "X-Upstream-Request-Id": "theirs", "X-Ratelimit-Limit-Requests": ""} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(string(a.Body), "Slow down.") || a.Header.Get("X-Request-Id") == "theirs" {
		t.Errorf("%s %v", a.Body, a.Header)
	}
	h.Upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		return fakeprovider.EchoKey(r.Header.Get("Authorization"))
	})
	a = exchange{header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 401)
	if strings.Contains(string(a.Body), fakeprovider.Key) || !strings.Contains(string(a.Body), "[key]") {
		t.Errorf("the key came back: %s", a.Body)
	}
	h.AtRest()
}

// A silent provider must not make callers give up: the headers come early, then bare newlines
// between events, and an error that comes after that is an event.
func TestASilentStreamIsKeptAlive(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{Silence: 20 * time.Millisecond}})
	p, pass := h.Person("Ada")
	h.Allow(p, model, nil, nil)
	gate := fakeprovider.NewGate()
	late := fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate)
	failed := fakeprovider.NewGate()
	h.Upstream.Next(late, fakeprovider.Error(500, "down", "The provider is down.").HoldAt(fakeprovider.BeforeHeader, failed).Always())
	for _, c := range []struct {
		gate *fakeprovider.Gate
		want string
	}{
		{gate, "data: [DONE]"},
		{failed, `data: {"error":{"message":"The provider is down."`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/chat/completions",
			strings.NewReader(askWith(`,"stream":true`)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = bearer(pass)
		res, err := plainClient(t).Do(req) // returns with the headers, while the provider is still silent
		if err != nil {
			t.Fatal(err)
		}
		silence := make([]byte, 2)
		if _, err := io.ReadFull(res.Body, silence); err != nil || string(silence) != "\n\n" {
			t.Errorf("while the provider is silent: %q, %v", silence, err)
		}
		c.gate.Open()
		rest, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(rest), c.want) {
			t.Errorf("status %d, %v, body %q", res.StatusCode, err, rest)
		}
		_ = res.Body.Close()
	}
	h.AtRest()
}
