package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/harness"
)

func TestAPageFromElsewhereGetsNothingWithoutAPass(t *testing.T) {
	h, _, pass := house(t)
	h.Model("open")
	const open = harness.Provider + "/open"
	changeModel(t, h, open, func(m *providers.Model) { m.Guests = true })
	h.Ceiling(meter.Ceiling{Guests: true, Model: open, Caps: meter.Caps{Requests: n(9)}})
	root := strings.TrimSuffix(h.URL, "/v1")
	get := http.MethodGet
	for _, e := range []exchange{
		{body: ask(open)}, {method: get, path: "/v1/models"}, {method: get, path: "/v1/models/" + open},
		{method: get, path: "/healthz"}, {method: get, path: "/metrics"}, {method: get, path: "/page/main.js"}, {path: "/page/api/join", body: `{"code":"x"}`},
	} {
		for name, header := range map[string]http.Header{
			"another origin":       {"Origin": {"http://evil.example"}},
			"none that it tells":   {"Origin": {"null"}},
			"another port here":    {"Origin": {"http://127.0.0.1:1"}},
			"by what browsers say": {"Origin": {root}, "Sec-Fetch-Site": {"cross-site"}},
			"a sister of ours":     {"Sec-Fetch-Site": {"same-site"}},
		} {
			e.header = header
			if a := e.do(t, h); a.Status != 403 || a.Refusal(t).Reason != "FOREIGN_HOST" {
				t.Errorf("%s %s: %d %s", e.path, name, a.Status, a.Body)
			}
		}
		for name, header := range map[string]http.Header{
			"our own page":             {"Origin": {root}},
			"our own, behind a proxy":  {"Origin": {"https://gateway.example"}, "Sec-Fetch-Site": {"same-origin"}},
			"a program":                nil,
			"who typed the address in": {"Sec-Fetch-Site": {"none"}},
		} {
			e.header = header
			if a := e.do(t, h); a.Status == 403 && strings.Contains(string(a.Body), "FOREIGN_HOST") {
				t.Errorf("%s %s: %s", e.path, name, a.Body)
			}
		}
	}
	if got := len(h.Upstream.Requests()); got != 4 {
		t.Errorf("%d reached the provider, want those of our own", got)
	}
	header := bearer(pass)
	header.Set("Origin", "http://page.example")
	exchange{header: header}.do(t, h).WantStatus(t, 200)
	for _, path := range []string{"/", "/page/main.js", "/healthz"} {
		if a := (exchange{method: get, path: path}).do(t, h); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("every page may read %s", path)
		}
	}
	h.AtRest()
}

func TestAFloodOfStrangersIsMergedInTheLog(t *testing.T) {
	h, _, _ := house(t)
	for range 200 {
		wantReason(t, exchange{}.do(t, h), 401, "PASS_REQUIRED")
	}
	rows := func() int {
		t.Helper()
		all, err := h.Meter.Refusals(t.Context(), meter.RefusalFilter{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if got := rows(); got != 60 {
		t.Errorf("%d rows, want 60", got)
	}
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := h.Booked().Refusals; rows() != 61 || got != 200 {
		t.Errorf("%d rows for %d refusals, want 61 for 200", rows(), got)
	}
}

// What was merged shows when its minute is over, though nobody is refused after it.
func TestAFloodIsSummedUpWhenItIsOver(t *testing.T) {
	now := harness.Noon
	m := meter.New(newStore(t), meter.Options{Now: func() time.Time { return now }})
	g := gateway.New(gateway.Options{Meter: m, Catalogue: fixedModel{}})
	for range 70 {
		g.ServeHTTP(deadlines{httptest.NewRecorder()}, httptest.NewRequest(http.MethodPost, "http://localhost/v1/chat/completions", strings.NewReader(ask(model))))
	}
	for minutes, want := range []int{60, 61, 61} {
		now = harness.Noon.Add(time.Duration(minutes) * time.Minute)
		if err := g.SumUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := m.Refusals(t.Context(), meter.RefusalFilter{Limit: 1000})
		if err != nil || len(all) != want {
			t.Errorf("after %d minutes: %d rows, %v; want %d", minutes, len(all), err, want)
		}
	}
}

// Refused calls count against no rate: who is out of their day, and asks on, would fill the disk.
func TestAFloodOfOnePersonsRefusalsIsMergedInTheLog(t *testing.T) {
	h, ada, pass := house(t)
	h.NoRate()
	h.Allow(ada, model, n(0), nil)
	other, others := h.Person("Bob")
	h.Allow(other, model, n(0), nil)
	for range 200 {
		wantReason(t, exchange{header: bearer(pass)}.do(t, h), 404, "MODEL_NOT_ALLOWED")
	}
	wantReason(t, exchange{header: bearer(others)}.do(t, h), 404, "MODEL_NOT_ALLOWED")
	rows := func(p meter.Person) []meter.Refusal {
		t.Helper()
		all, err := h.Meter.Refusals(t.Context(), meter.RefusalFilter{PersonID: p.ID, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if hers, his := len(rows(ada)), len(rows(other)); hers != 60 || his != 1 {
		t.Errorf("%d and %d rows, want 60 and 1", hers, his)
	}
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	if all := rows(ada); len(all) != 61 || all[0].Times != 140 || all[0].Model != model || h.Booked().Refusals != 201 {
		t.Errorf("%d rows, the last for %d: %d refusals in all", len(all), all[0].Times, h.Booked().Refusals)
	}
}
