package e2e

import (
	"net/http"
	"sync"
	"testing"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// question is what most tests ask: a stream of a few words.
var question = harness.Question{Stream: true, MaxTokens: 50}

// Two hundred callers at once want what there is room for ten times. Every provider's reply is held
// at a gate until the last refusal has come, so that all two hundred truly overlap.
func TestExactlyAsManyPassAsThereIsRoomFor(t *testing.T) {
	const callers, room = 200, 10
	limit := func(n int64) *int64 { return &n }
	cases := []struct {
		name   string
		models []string
		used   int // requests before the rush, so that the day's row is there already
		allow  func(h *harness.House, p meter.Person)
		reason meter.Reason
	}{
		{
			name: "no row of usage yet", models: []string{"a"}, reason: meter.DailyRequestLimit,
			allow: func(h *harness.House, p meter.Person) { h.Allow(p, "fake/a", limit(room), nil) },
		},
		{
			name: "a row of usage already", models: []string{"a"}, used: 3, reason: meter.DailyRequestLimit,
			allow: func(h *harness.House, p meter.Person) { h.Allow(p, "fake/a", limit(room+3), nil) },
		},
		{
			name: "tokens", models: []string{"a"}, reason: meter.DailyTokenLimit,
			allow: func(h *harness.House, p meter.Person) {
				h.Allow(p, "fake/a", nil, limit(room*h.Needs("fake/a", question)))
			},
		},
		{
			name: "two models under one ceiling", models: []string{"a", "b"}, reason: meter.TeamCeiling,
			allow: func(h *harness.House, p meter.Person) {
				h.Allow(p, meter.AnyModel, nil, nil)
				h.Ceiling(meter.Ceiling{Model: meter.AnyModel, Caps: meter.Caps{Requests: limit(room)}})
			},
		},
		{
			name: "two models under one ceiling, rows already", models: []string{"a", "b"}, used: 2, reason: meter.TeamCeiling,
			allow: func(h *harness.House, p meter.Person) {
				h.Allow(p, meter.AnyModel, nil, nil)
				h.Ceiling(meter.Ceiling{Model: meter.AnyModel, Caps: meter.Caps{Requests: limit(room + 2)}})
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: c.models})
			h.NoRate()
			p, pass := h.Person("alice")
			c.allow(h, p)
			for range c.used {
				h.Ask(pass, "fake/"+c.models[0], question).WantStatus(t, http.StatusOK)
			}
			before, booked := len(h.Upstream.Requests()), h.Booked().Requests

			gate := fakeprovider.NewGate()
			h.Upstream.On("", fakeprovider.Chat{}.Held(1, gate))
			refused := make(chan struct{}, callers)
			answers := make(chan harness.Answer, callers)
			var rush sync.WaitGroup
			for i := range callers {
				rush.Go(func() {
					answer := h.Ask(pass, "fake/"+c.models[i%len(c.models)], question)
					if answer.Status != http.StatusOK {
						refused <- struct{}{}
					}
					answers <- answer
				})
			}
			for range callers - room {
				<-refused
			}
			gate.Await(t, room)
			gate.Open()
			rush.Wait()
			close(answers)

			statuses := map[int]int{}
			for a := range answers {
				statuses[a.Status]++
				if a.Status == http.StatusTooManyRequests && a.Refusal(t).Reason != string(c.reason) {
					t.Errorf("refused for %s, want %s", a.Refusal(t).Reason, c.reason)
				}
			}
			if statuses[http.StatusOK] != room || statuses[http.StatusTooManyRequests] != callers-room {
				t.Errorf("answers by status: %v", statuses)
			}
			if got := len(h.Upstream.Requests()) - before; got != room {
				t.Errorf("%d requests reached the provider, want %d", got, room)
			}
			h.AtRest()
			if got := h.Booked().Requests - booked; got != room {
				t.Errorf("%d requests booked, want %d", got, room)
			}
		})
	}
}
