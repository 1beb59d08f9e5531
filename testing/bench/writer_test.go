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
	const people, stretch = 256, 32
	store := engines["sqlite"](b)
	m := meter.New(store, meter.Options{})
	ids := team(b, m, people)
	plenty := int64(1 << 50)
	if err := m.SetPurse(b.Context(), meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: &plenty}); err != nil {
		b.Fatal(err)
	}
	hold, settle := time.Hour, time.Hour
	// inStretches does one thing for each person, and gives the best of what one took.
	inStretches := func(best time.Duration, do func(i int) error) (time.Duration, error) {
		for from := 0; from < people; from += stretch {
			began := time.Now()
			for i := from; i < from+stretch; i++ {
				if err := do(i); err != nil {
					return best, err
				}
			}
			best = min(best, time.Since(began)/stretch)
		}
		return best, nil
	}
	for b.Loop() {
		err := store.Write(b.Context(), func(ctx context.Context, tx meter.Tx) (err error) {
			in := meter.New(within{store, tx}, meter.Options{})
			held := make([]string, people)
			hold, err = inStretches(hold, func(i int) error {
				h, err := in.Reserve(ctx, meter.Request{ID: "r", PersonID: ids[i], Model: model, Input: 100, Output: 500, MinOutput: 10, Price: &meter.Price{Input: 1, Output: 1}})
				held[i] = h.ID
				return err
			})
			if err != nil {
				return err
			}
			settle, err = inStretches(settle, func(i int) error {
				return in.Settle(ctx, held[i], meter.Usage{Input: 100, Output: 200}, meter.Reported)
			})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(hold.Nanoseconds())/1000, "hold-µs")
	b.ReportMetric(float64(settle.Nanoseconds())/1000, "settle-µs")
}

// within is a store whose writes are all one transaction's.
type within struct {
	meter.Store
	tx meter.Tx
}

func (w within) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	return do(ctx, w.tx)
}
