package gateway_test

import (
	"encoding/json"
	"testing"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
)

func TestACallerSeesTheirOwnUsage(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(5), nil)
	h.Upstream.Next(fakeprovider.Chat{Prompt: 40, Words: 2}.Answer)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	a := exchange{method: "GET", path: "/v1/usage", header: bearer(pass)}.do(t, h)
	a.WantStatus(t, 200)
	want := `{"person":"Ada","day":"2026-11-29","resetsAt":"2026-11-30T00:00:00Z","models":[{"modelId":"fake/m","title":"m",` +
		`"usedRequests":1,"heldRequests":0,"maxRequests":5,"usedTokens":42,"heldTokens":0,"maxTokens":null,` +
		`"inputTokens":40,"outputTokens":2,"costMicroUSD":0}],"purse":null,"credit":null}`
	if string(a.Body) != want {
		t.Errorf("got  %s\nwant %s", a.Body, want)
	}
	wantReason(t, exchange{method: "GET", path: "/v1/usage"}.do(t, h), 401, "PASS_REQUIRED")
	for range 75 { // reading costs nothing, against rate or allowance
		exchange{method: "GET", path: "/v1/models", header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	}
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := h.Booked(); got.Requests != 2 {
		t.Errorf("booked %+v", got)
	}
}

func TestCreditPaysWhenTheDayIsOutAndSaysSo(t *testing.T) {
	h, p, pass := house(t)
	ctx := t.Context()
	changeModel(t, h, model, func(m *providers.Model) {
		m.Price = &providers.Price{Input: 1_000_000, Output: 1_000_000, Source: "test", Date: "2026-11-29"}
	})
	h.Allow(p, model, n(1), nil)
	if err := h.Meter.AddCredit(ctx, p.ID, 10_000, "test"); err != nil {
		t.Fatal(err)
	}
	for i, notice := range []string{"", "paid from your credit: the day's allowance is spent"} {
		a := exchange{header: bearer(pass)}.do(t, h)
		a.WantStatus(t, 200)
		if got := a.Header.Get("X-Perdiem-Notice"); got != notice {
			t.Errorf("call %d says %q, want %q", i, got, notice)
		}
	}
	var usage struct {
		Credit *struct{ BalanceMicroUSD, HeldMicroUSD int64 }
		Purse  *struct{}
	}
	if err := json.Unmarshal(exchange{method: "GET", path: "/v1/usage", header: bearer(pass)}.do(t, h).Body, &usage); err != nil {
		t.Fatal(err)
	}
	if usage.Credit == nil || usage.Credit.BalanceMicroUSD != 10_000-14 || usage.Credit.HeldMicroUSD != 0 {
		t.Errorf("usage %+v", usage.Credit)
	}
	if err := h.Meter.AddCredit(ctx, p.ID, -(10_000 - 14), "test"); err != nil {
		t.Fatal(err)
	}
	wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, meter.DailyRequestLimit)
	h.AtRest()
}
