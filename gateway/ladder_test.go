package gateway_test

import (
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

const smaller = harness.Provider + "/smaller"

// ladder is a house whose model has a smaller one to fall back to, and asks for a ladder at zero.
func ladder(t *testing.T, change func(*providers.Model)) (*harness.House, meter.Person, string) {
	t.Helper()
	h, p, pass := house(t)
	h.Model("smaller")
	changeModel(t, h, model, func(m *providers.Model) {
		m.AtZero, m.Fallback, m.Title = providers.Ladder, smaller, "Big"
		change(m)
	})
	return h, p, pass
}

func TestAtZeroACallGoesOnWithTheFallback(t *testing.T) {
	h, p, pass := ladder(t, func(*providers.Model) {})
	h.Allow(p, model, n(1), nil)
	h.Allow(p, smaller, n(1), nil)
	for i, want := range []string{"m", "smaller"} {
		a := exchange{header: bearer(pass)}.do(t, h)
		a.WantStatus(t, 200)
		notice := ""
		if i == 1 {
			notice = "answered by smaller in place of Big"
		}
		if got := h.Upstream.Requests()[i].Model; got != want || a.Header.Get("X-Perdiem-Notice") != notice {
			t.Errorf("call %d: upstream was asked for %q, and the notice is %q", i, got, a.Header.Get("X-Perdiem-Notice"))
		}
	}
	// The fallback is held on its own allowance; what is told then is about the model asked for.
	no := wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, meter.DailyRequestLimit)
	if no.ModelID != model || !strings.HasPrefix(no.Error.Message, "Big is out of") {
		t.Errorf("refused with %+v", no)
	}
	h.AtRest()
}

// The same model at another provider has the same title as a rule; its caller is told all the same who answered.
func TestAFallbackOfTheSameTitleIsTold(t *testing.T) {
	h, p, pass := ladder(t, func(*providers.Model) {})
	changeModel(t, h, smaller, func(m *providers.Model) { m.Title = "Big" })
	h.Allow(p, model, n(1), nil)
	h.Allow(p, smaller, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	a := exchange{header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 200)
	if got, want := a.Header.Get("X-Perdiem-Notice"), "answered by "+smaller+" in place of "+model; got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
	h.AtRest()
}

func TestWithoutTheLadderZeroIsZero(t *testing.T) {
	h, p, pass := ladder(t, func(m *providers.Model) { m.AtZero = providers.Refuse })
	h.Allow(p, model, n(1), nil)
	h.Allow(p, smaller, nil, nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, meter.DailyRequestLimit)
}

func TestAFallbackThatTheCallerMayNotUseIsNone(t *testing.T) {
	h, p, pass := ladder(t, func(*providers.Model) {})
	h.Allow(p, model, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if no := wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, meter.DailyRequestLimit); no.ModelID != model {
		t.Errorf("refused with %+v", no)
	}
}

func TestWhereTheProviderFailsTheFallbackAnswers(t *testing.T) {
	h, p, pass := ladder(t, func(m *providers.Model) { m.AtZero = providers.Refuse })
	h.Allow(p, smaller, nil, n(100_000))
	h.Upstream.Next(fakeprovider.Error(503, "down", "Down for now.").Always())
	a := exchange{header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 200)
	if a.Header.Get("X-Perdiem-Notice") != "answered by smaller in place of Big" {
		t.Errorf("headers %v", a.Header)
	}
	h.AtRest()
	for m, requests := range map[string]int64{model: 0, smaller: 1} {
		if s := harness.Standing(t, h.Meter, p, m); s.UsedRequests != requests || s.HeldRequests != 0 {
			t.Errorf("%s: %+v; want %d requests", m, s, requests)
		}
	}
}

// A call that went on to its fallback is shown and noted as what it is now.
func TestACallThatFellBackRunsAsItsFallback(t *testing.T) {
	h, p, pass := ladder(t, func(m *providers.Model) { m.AtZero = providers.Refuse })
	h.Allow(p, smaller, nil, n(100_000))
	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Error(503, "down", "Down for now.").Always(), fakeprovider.Chat{}.Held(1, gate))
	answer := h.Begin(pass, model, harness.Question{Body: ask(model)})
	gate.Await(t, 1)
	if running := h.InFlight(); len(running) != 1 || running[0].Model != smaller {
		t.Errorf("running: %+v, want one call of %s", running, smaller)
	}
	gate.Open()
	answer().WantStatus(t, 200)
	h.AtRest()
}

func TestOlderTurnsAreLeftOutWhereTheOwnerLetsThem(t *testing.T) {
	h, p, pass := ladder(t, func(m *providers.Model) { m.Fallback, m.MayDropTurns = "", true })
	h.Allow(p, model, nil, n(300))
	long := strings.Repeat("many words ", 100)
	body := `{"model":"` + model + `","messages":[{"role":"system","content":"S"},{"role":"user","content":"` + long + `"},{"role":"assistant","content":"a"},` +
		`{"role":"user","content":"` + long + `"},{"role":"assistant","content":"b"},{"role":"user","content":"Say a few words."}]}`
	a := exchange{body: body, header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 200)
	if got := string(h.Upstream.Requests()[0].Body); strings.Contains(got, "many words") || !strings.Contains(got, `"S"`) || !strings.Contains(got, "Say a few words.") {
		t.Errorf("upstream got %s", got)
	}
	if a.Header.Get("X-Perdiem-Notice") == "" || !strings.Contains(strings.Join(a.Header.Values("X-Perdiem-Notice"), ";"), "the oldest turns were left out: 2") {
		t.Errorf("headers %v", a.Header)
	}
	h.AtRest()
}
