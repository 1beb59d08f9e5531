package metertest

import (
	"context"
	"testing"
	"time"

	"perdiem/meter"
)

func testPrune(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, n(1000))
	open := b.mustReserve(p, model, 1, 1)
	b.settle(b.mustReserve(p, model, 900, 0), 900, 0)
	h, err := b.keyed(p, "k", "hash")
	must(t, err)
	must(t, b.SettleWith(ctx, h.ID, meter.Usage{Input: 1}, meter.Reported, &meter.Answer{Status: 200}))
	for range 600 { // more than one batch
		must(t, b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "OLD"}))
	}
	if _, err := b.Alerts(ctx, 0); err != nil { // raises them
		t.Fatal(err)
	}
	b.Clock.Add(80 * 24 * time.Hour)
	must(t, b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "NEW"}))
	b.Clock.Add(20 * 24 * time.Hour)
	pruned, err := b.Prune(ctx, meter.KeepActivity)
	must(t, err)
	if want := 600 + 2 + 2 + 1; pruned != want { // refusals; alerts at 50 and 80 %; ended holds; the key
		t.Errorf("%d rows went, want %d", pruned, want)
	}
	all, err := b.Refusals(ctx, meter.RefusalFilter{})
	must(t, err)
	if len(all) != 1 || all[0].Reason != "NEW" {
		t.Errorf("left %+v", all)
	}
	b.settle(open, 1, 1) // what runs is never pruned
	if totals, err := b.Totals(ctx, open.Day); err != nil || totals.Tokens != 903 {
		t.Errorf("the usage of that day is %+v, %v", totals, err)
	}
}
