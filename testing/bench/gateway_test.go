package bench

import (
	"testing"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// BenchmarkCall is a call that is metered and relayed, one after the other and many at once.
func BenchmarkCall(b *testing.B) {
	for _, c := range []struct {
		name     string
		question harness.Question
	}{
		{"whole", harness.Question{}},
		{"streamed", harness.Question{Stream: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := harness.Start(b, harness.Options{Models: []string{"m"}})
			h.NoRate()
			h.Upstream.On("m", fakeprovider.Chat{}.Answer) // at once, without a look for a recording
			p, pass := h.Person("Ada")
			h.Allow(p, harness.Provider+"/m", nil, nil)
			ask := func() {
				if a := h.Ask(pass, harness.Provider+"/m", c.question); a.Status != 200 || a.Err != nil {
					b.Errorf("status %d, %v", a.Status, a.Err)
				}
			}
			b.Run("alone", func(b *testing.B) {
				for b.Loop() {
					ask()
				}
			})
			b.Run("many", func(b *testing.B) {
				b.SetParallelism(32)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						ask()
					}
				})
			})
		})
	}
}
