package bench

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/sqlite"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// BenchmarkGrowth is what one request costs by how much a team has behind it, up to two hundred people
// who ask each of twenty models each day of a year: the hold and the settle without the disk, and a whole
// call of one caller. Of short stretches the best counts.
func BenchmarkGrowth(b *testing.B) {
	for _, past := range []history{
		{people: 32, models: 2, days: 23, requests: 1_460},
		{people: 50, models: 5, days: 58, requests: 14_600},
		{people: 100, models: 10, days: 146, requests: 146_000},
		{people: 200, models: 20, days: 365, requests: 1_460_000},
	} {
		b.Run(fmt.Sprintf("requests=%d", past.requests), func(b *testing.B) {
			h := harness.Start(b, harness.Options{})
			books, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(h.Data, "perdiem.db")})
			if err != nil {
				b.Fatal(err)
			}
			closed(b, books, err)
			past.fill(b, books, harness.Noon)
			people, passes := make([]string, past.people), make([]string, past.people)
			for i := range people {
				people[i] = fmt.Sprintf("p%03d", i)
				if _, passes[i], err = h.Meter.IssuePass(b.Context(), people[i], "", nil); err != nil {
					b.Fatal(err)
				}
			}
			for i := range past.models {
				m := providers.Model{Provider: harness.Provider, Upstream: fmt.Sprintf("m%d", i), Price: &providers.Price{Input: 1, Output: 1}}
				if _, err := h.Providers.AddModel(b.Context(), m); err != nil {
					b.Fatal(err)
				}
				h.Upstream.On(m.Upstream, fakeprovider.Chat{}.Answer)
			}
			h.NoRate()
			b.Run("hold and settle", func(b *testing.B) {
				hold, settle := time.Hour, time.Hour
				for b.Loop() {
					writes(b, books, people, past.modelIDs()[0], &hold, &settle)
				}
				b.ReportMetric(micros(hold), "hold-µs")
				b.ReportMetric(micros(settle), "settle-µs")
			})
			b.Run("call", func(b *testing.B) { calls(b, h, passes) })
		})
	}
}

// BenchmarkOpenStreams is what a call of one caller costs while others have their streams open.
func BenchmarkOpenStreams(b *testing.B) {
	for _, open := range []int{0, 10, 100, 1000} {
		b.Run(fmt.Sprintf("open=%d", open), func(b *testing.B) {
			h := harness.Start(b, harness.Options{Models: []string{"m0", "open"}})
			h.NoRate()
			h.Upstream.On("m0", fakeprovider.Chat{}.Answer)
			gate := fakeprovider.NewGate()
			h.Upstream.On("open", fakeprovider.Chat{}.Held(1, gate))
			p, pass := h.Person("Ada")
			h.Allow(p, meter.AnyModel, nil, nil)
			ends := make([]func() harness.Answer, open)
			for i := range ends {
				ends[i] = h.Begin(pass, harness.Provider+"/open", harness.Question{Stream: true})
			}
			gate.Await(b, open)
			b.Run("call", func(b *testing.B) { calls(b, h, []string{pass}) })
			gate.Open()
			for _, end := range ends {
				end().WantStatus(b, http.StatusOK)
			}
		})
	}
}

// calls asks one call after the other, and tells what one took at best, on average over a stretch.
func calls(b *testing.B, h *harness.House, passes []string) {
	const stretch = 10
	best := time.Hour
	for i := 0; b.Loop(); {
		began := time.Now()
		for range stretch {
			h.Ask(passes[i%len(passes)], harness.Provider+"/m0", harness.Question{}).WantStatus(b, http.StatusOK)
			i++
		}
		best = min(best, time.Since(began)/stretch)
	}
	b.ReportMetric(micros(best), "call-µs")
}
