package metertest

import (
	"context"
	"strings"
	"testing"

	"perdiem/meter"
)

func testRefusalLog(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(0), nil)
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, n(1), nil)
	b.mustReserve(p, model, 1, 1)
	_, err := b.reserve(p, model, 1, 1)
	no := refusalIn(t, err, meter.DailyRequestLimit)
	no.Tool = strings.Repeat("openai-python/2 ", 20)
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "MODEL_NOT_FOUND", Model: "a\x00b\xff\n"}); err != nil {
		t.Fatalf("words that cannot be stored: %v", err)
	}
	for range 3 {
		if err := b.LogRefusal(ctx, no); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "PASS_INVALID"}); err != nil {
		t.Fatal(err)
	}
	all, err := b.Refusals(ctx, meter.RefusalFilter{})
	if err != nil || len(all) != 5 || all[4].Model != "ab" || all[0].Reason != "PASS_INVALID" {
		t.Fatalf("%+v, %v", all, err)
	}
	got := all[1]
	if got.Person != "Ada" || got.Model != model || got.Figures.UsedRequests+got.Figures.HeldRequests != 1 || *got.Figures.MaxRequests != 1 ||
		!got.ResetsAt.Equal(*no.ResetsAt) || !strings.HasPrefix(got.Tool, "openai-python/2") || len(got.Tool) > 120 {
		t.Errorf("logged as %+v", got)
	}
	page, err := b.Refusals(ctx, meter.RefusalFilter{PersonID: p.ID, Before: got.Seq, Limit: 1})
	if err != nil || len(page) != 1 || page[0].Seq >= got.Seq {
		t.Errorf("the next page is %+v, %v", page, err)
	}
	if totals, err := b.Totals(ctx, meter.Day(b.Now())); err != nil || totals.Refusals != 5 {
		t.Errorf("totals %+v, %v", totals, err)
	}
}
