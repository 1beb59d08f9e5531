package metertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"perdiem/meter"
)

func testAlerts(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(100), n(1000))
	if err := b.SetCeiling(ctx, meter.Ceiling{Model: meter.AnyModel, Caps: meter.Caps{Tokens: n(10_000)}}); err != nil {
		t.Fatal(err)
	}
	seen := int64(0)
	want := func(percents ...int) {
		t.Helper()
		alerts, err := b.Alerts(ctx, seen)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, a := range alerts {
			if a.Scope != meter.ScopePerson || a.Subject != p.ID || a.Model != model || a.Day != meter.Day(b.Now()) || !a.At.Equal(b.Now()) {
				t.Errorf("alert %+v", a)
			}
			got, seen = append(got, a.Percent), a.Seq
		}
		if !slices.Equal(got, percents) {
			t.Errorf("alerts at %v, want %v", got, percents)
		}
	}
	use := func(tokens int64) { t.Helper(); b.settle(b.mustReserve(p, model, tokens, 0), tokens, 0) }
	use(499)
	want()
	b.mustReserve(p, model, 400, 0) // what is held alone is not told
	want()
	use(1)
	want(50)
	use(50)
	want()
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, n(100), n(100_000))
	use(1)
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, n(100), n(1000))
	b.Clock.Add(meter.HoldTTL) // the held 400 are given back
	use(400)                   // crosses 50 % once more, by the raise and the cut, and 80 %
	want(80)
	use(49)
	want(100)
	b.Clock.Add(24 * time.Hour)
	use(1000)
	want(50, 80, 100)
}
