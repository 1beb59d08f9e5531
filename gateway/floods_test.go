package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/testing/harness"
)

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
