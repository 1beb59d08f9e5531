package bench

import (
	"context"
	"testing"
	"time"

	"perdiem/meter"
)

// BenchmarkWriter is what a hold and its settle on four budgets take of the one that writes to SQLite:
// many in one transaction, without the disk. Of short stretches the best counts, so that the figures
// stand on a busy machine too.
func BenchmarkWriter(b *testing.B) {
	const people = 256
	store := engines["sqlite"](b)
	m := meter.New(store, meter.Options{})
	ids := team(b, m, people)
	plenty := int64(1 << 50)
	if err := m.SetPurse(b.Context(), meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: &plenty}); err != nil {
		b.Fatal(err)
	}
	hold, settle := time.Hour, time.Hour
	for b.Loop() {
		writes(b, store, ids, model, &hold, &settle)
	}
	b.ReportMetric(micros(hold), "hold-µs")
	b.ReportMetric(micros(settle), "settle-µs")
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// writes holds and settles once for each person, in one transaction, and lowers hold and settle to what
// one took at best, on average over a stretch.
func writes(b *testing.B, store meter.Store, people []string, model string, hold, settle *time.Duration) {
	b.Helper()
	const stretch = 32
	inStretches := func(best *time.Duration, do func(i int) error) error {
		for from := 0; from+stretch <= len(people); from += stretch {
			began := time.Now()
			for i := from; i < from+stretch; i++ {
				if err := do(i); err != nil {
					return err
				}
			}
			*best = min(*best, time.Since(began)/stretch)
		}
		return nil
	}
	err := store.Write(b.Context(), func(ctx context.Context, tx meter.Tx) error {
		in := meter.New(within{store, tx}, meter.Options{})
		held := make([]string, len(people))
		err := inStretches(hold, func(i int) error {
			h, err := in.Reserve(ctx, meter.Request{ID: "r", PersonID: people[i], Model: model, Input: 100, Output: 500, MinOutput: 10, Price: &meter.Price{Input: 1, Output: 1}})
			held[i] = h.ID
			return err
		})
		if err != nil {
			return err
		}
		return inStretches(settle, func(i int) error {
			return in.Settle(ctx, held[i], meter.Usage{Input: 100, Output: 200}, meter.Reported)
		})
	})
	if err != nil {
		b.Fatal(err)
	}
}

// within is a store whose writes are all one transaction's.
type within struct {
	meter.Store
	tx meter.Tx
}

func (w within) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	return do(ctx, w.tx)
}
