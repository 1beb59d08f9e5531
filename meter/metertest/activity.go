package metertest

import (
	"context"
	"testing"

	"perdiem/meter"
)

func testActivity(t *testing.T, b *Books) {
	ctx := context.Background()
	ada := b.person("Ada", nil, nil)
	hold := func() meter.Hold {
		t.Helper()
		h, err := b.Reserve(ctx, meter.Request{ID: "r", PersonID: ada.ID, Model: model, Input: 30, Output: 20})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	settled, released, worst := hold(), hold(), hold()
	hold() // still running: no end
	b.settle(settled, 7, 3)
	for _, err := range []error{b.Release(ctx, released.ID, "refused upstream"), b.settleHeld(worst), b.GiveBack(ctx, worst.ID)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.Ends(ctx, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind       meter.EndKind
		hold       string
		provenance meter.Provenance
		usage      meter.Usage
		note       string
	}{
		{meter.EndReturned, worst.ID, "", meter.Usage{Input: -30, Output: -20}, ""},
		{meter.EndSettled, worst.ID, meter.Held, meter.Usage{Input: 30, Output: 20}, ""},
		{meter.EndReleased, released.ID, "", meter.Usage{}, "refused upstream"},
		{meter.EndSettled, settled.ID, meter.Reported, meter.Usage{Input: 7, Output: 3}, ""},
	}
	if len(all) != len(want) {
		t.Fatalf("%d ends, want %d: %+v", len(all), len(want), all)
	}
	for i, w := range want {
		e := all[i]
		if e.Kind != w.kind || e.HoldID != w.hold || e.Provenance != w.provenance || e.Usage != w.usage || e.Note != w.note || e.Person != "Ada" || e.Model != model {
			t.Errorf("end %d is %+v, want %+v", i, e, w)
		}
	}
	rest, err := b.Ends(ctx, all[1].Seq, 1)
	if err != nil || len(rest) != 1 || rest[0].HoldID != released.ID {
		t.Errorf("read on after the second: %+v, %v", rest, err)
	}
}
