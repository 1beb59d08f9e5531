// Package bench measures what a hold and its settle cost, on both engines. The docs tell what was
// measured; run `make bench` for this machine's own figures.
package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/postgres"
	"perdiem/meter/sqlite"
	"perdiem/testing/scratchpg"
)

// engines open a store, fresh and on a disk.
var engines = map[string]func(b *testing.B) meter.Store{
	"sqlite": func(b *testing.B) meter.Store {
		s, err := sqlite.Open(b.Context(), sqlite.Options{
			Path: filepath.Join(b.TempDir(), "perdiem.db"), Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
		})
		return closed(b, s, err)
	},
	"postgres": func(b *testing.B) meter.Store {
		scratchpg.Need(b)
		return shared(b, scratchpg.Schema(b))
	},
}

func shared(b *testing.B, address string) meter.Store {
	s, err := postgres.Open(b.Context(), postgres.Options{
		URL: address, Migrations: []migrations.Set{{Name: "meter", Files: meter.PostgresMigrations}},
	})
	return closed(b, s, err)
}

func closed[S interface {
	meter.Store
	Close() error
}](b *testing.B, s S, err error) meter.Store {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Errorf("close: %v", err)
		}
	})
	return s
}

const model = "acme/gauge"

// team is some people who may use everything.
func team(b *testing.B, m *meter.Meter, size int) (ids []string) {
	b.Helper()
	ctx := b.Context()
	if err := m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		b.Fatal(err)
	}
	for i := range size {
		p, err := m.AddPerson(ctx, fmt.Sprint("person ", i), "")
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	return ids
}

// BenchmarkHoldAndSettle is one request's writes by the number of callers at the same time.
func BenchmarkHoldAndSettle(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		for _, callers := range []int{1, 32, 256} {
			b.Run(fmt.Sprintf("%s/callers=%d", name, callers), func(b *testing.B) {
				m := meter.New(engines[name](b), meter.Options{})
				people := team(b, m, callers)
				plenty := int64(1 << 50)
				if err := m.SetPurse(b.Context(), meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: &plenty}); err != nil {
					b.Fatal(err)
				}
				measure(b, callers, func(caller int) error {
					return holdAndSettle(m, meter.Request{ID: "r", PersonID: people[caller], Model: model, Input: 100, Output: 500, MinOutput: 10, Price: &meter.Price{Input: 1, Output: 1}})
				})
			})
		}
	}
}

// BenchmarkGateways is what several gateways do together on one store, with 32 callers each.
func BenchmarkGateways(b *testing.B) {
	scratchpg.Need(b)
	for _, gateways := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("postgres/gateways=%d", gateways), func(b *testing.B) {
			address := scratchpg.Schema(b)
			var meters []*meter.Meter
			for range gateways {
				meters = append(meters, meter.New(shared(b, address), meter.Options{}))
			}
			people := team(b, meters[0], 32*gateways)
			measure(b, len(people), func(caller int) error {
				return holdAndSettle(meters[caller%gateways], meter.Request{ID: "r", PersonID: people[caller], Model: model, Input: 100, Output: 500, MinOutput: 10})
			})
		})
	}
}

// BenchmarkBudgets is one caller's request by how many budgets it is held on.
func BenchmarkBudgets(b *testing.B) {
	for _, name := range []string{"sqlite", "postgres"} {
		for budgets := 3; budgets <= 5; budgets++ { // the person's and two ceilings; a purse; a key
			b.Run(fmt.Sprintf("%s/budgets=%d", name, budgets), func(b *testing.B) {
				m := meter.New(engines[name](b), meter.Options{})
				r := meter.Request{ID: "r", PersonID: team(b, m, 1)[0], Model: model, Input: 100, Output: 500, MinOutput: 10, Price: &meter.Price{Input: 1, Output: 1}}
				plenty := int64(1 << 50)
				if budgets >= 4 {
					if err := m.SetPurse(b.Context(), meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: &plenty}); err != nil {
						b.Fatal(err)
					}
				}
				if budgets >= 5 {
					r.Keys = []meter.KeyBudget{{ID: "key", Caps: meter.Caps{Tokens: &plenty}}}
				}
				measure(b, 1, func(int) error { return holdAndSettle(m, r) })
			})
		}
	}
}

func holdAndSettle(m *meter.Meter, r meter.Request) error {
	h, err := m.Reserve(context.Background(), r)
	if err != nil {
		return err
	}
	return m.Settle(context.Background(), h.ID, meter.Usage{Input: 100, Output: 200}, meter.Reported)
}

// measure runs b.N times what do does, by so many callers, and reports the rate and how long one
// takes: half of them no longer than p50, 99 of 100 no longer than p99.
func measure(b *testing.B, callers int, do func(caller int) error) {
	b.Helper()
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	spent := cpu(b)
	for caller := range callers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				began := time.Now()
				if err := do(caller); err != nil {
					b.Errorf("caller %d: %v", caller, err)
					return
				}
				took[i-1] = time.Since(began)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-spent).Nanoseconds())/1000/float64(b.N), "cpu-µs/request")
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	for _, percent := range []int{50, 99} {
		b.ReportMetric(float64(took[(len(took)-1)*percent/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", percent))
	}
}

// cpu is the processor time that this process took so far, of user and system together.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
