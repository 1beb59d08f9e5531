package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/postgres"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
	"perdiem/testing/scratchpg"
)

// onALine is a house on a shared store, with the line between them, and one who may use everything.
func onALine(t *testing.T) (h *harness.House, line *scratchpg.Line, address, pass string) {
	t.Helper()
	scratchpg.Need(t)
	address = scratchpg.Schema(t)
	line, through := scratchpg.NewLine(t, address)
	h = harness.Start(t, harness.Options{Models: []string{"a"}, Store: through})
	p, pass := h.Person("Ada")
	h.Allow(p, meter.AnyModel, nil, nil)
	h.NoRate()
	return h, line, address, pass
}

// answers asks until the gateway answers well, as a teammate who tries again.
func answers(t *testing.T, h *harness.House, pass string) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	late := time.After(20 * time.Second)
	for {
		got := h.Ask(pass, "fake/a", question)
		if got.Status == http.StatusOK {
			return
		}
		select {
		case <-again.C:
		case <-late:
			t.Fatalf("it does not mend: status %d: %s", got.Status, got.Body)
		}
	}
}

func TestALostStoreRefusesAtOnceAndMendsItself(t *testing.T) {
	h, line, _, pass := onALine(t)
	h.Ask(pass, "fake/a", question).WantStatus(t, http.StatusOK)
	line.Cut(t)
	for range 30 { // more than there are connections, so that each is found out
		began := time.Now()
		got := h.Ask(pass, "fake/a", question)
		got.WantStatus(t, http.StatusServiceUnavailable)
		if no := got.Refusal(t); no.Reason != "METER_UNAVAILABLE" {
			t.Fatalf("refused with %+v", no)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Fatalf("the refusal took %s", took)
		}
	}
	if asked := len(h.Upstream.Requests()); asked != 1 {
		t.Errorf("the provider was asked %d times, want 1: nothing could be held", asked)
	}
	line.Mend(t)
	answers(t, h, pass)
	h.AtRest()
}

// The gateway loses its store while it streams, another one takes it for gone and ends its hold, and
// then it is back to settle.
func TestAStreamThatOutlivesItsStoreIsBookedOnce(t *testing.T) {
	h, line, address, pass := onALine(t)
	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Chat{Prompt: 40, Words: 9}.Held(200, gate))
	answer := h.Begin(pass, "fake/a", question)
	gate.Await(t, 1)
	line.Cut(t)
	other, err := postgres.Open(t.Context(), postgres.Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ended := 0
	for ended == 0 { // until the server has seen that the line is cut
		if ended, err = meter.New(other, meter.Options{}).Recover(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	gate.Open()
	answer().WantStatus(t, http.StatusOK) // the stream itself needs no store
	line.Mend(t)
	answers(t, h, pass)
	h.AtRest()
	const first, second = 40 + 9, 9 + 5
	look, late := time.NewTicker(10*time.Millisecond), time.After(20*time.Second)
	defer look.Stop()
	for h.Booked().Tokens != first+second { // the settle is tried again after a second
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("booked %+v, want %d tokens", h.Booked(), first+second)
		}
	}
	h.AtRest()
	if totals := h.Booked(); totals.Requests != 2 || totals.Tokens != first+second {
		t.Errorf("booked %+v, want 2 requests and %d tokens", totals, first+second)
	}
}
