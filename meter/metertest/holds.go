package metertest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"perdiem/meter"
)

// tenOfTwoHundred has two hundred ask at once, ten of whom have room.
func tenOfTwoHundred(t *testing.T, ask func(i int) error) {
	t.Helper()
	var admitted, refused atomic.Int64
	inParallel(200, func(i int) {
		err := ask(i)
		var no *meter.Refusal
		switch {
		case err == nil:
			admitted.Add(1)
		case errors.As(err, &no) && no.Reason == meter.DailyRequestLimit:
			refused.Add(1)
		default:
			t.Errorf("reserve: %v", err)
		}
	})
	if admitted.Load() != 10 || refused.Load() != 190 {
		t.Fatalf("%d admitted and %d refused, want 10 and 190", admitted.Load(), refused.Load())
	}
}

func testParallel(t *testing.T, b *Books) {
	p := b.person("Ada", n(10), nil)
	holds := make([]meter.Hold, 200)
	tenOfTwoHundred(t, func(i int) (err error) {
		holds[i], err = b.reserve(p, model, 10, 10)
		return err
	})
	b.wantStanding(p, model, 0, 10, 0, 200)
	inParallel(200, func(i int) {
		if holds[i].ID != "" {
			b.settle(holds[i], 7, 5)
		}
	})
	b.wantStanding(p, model, 10, 0, 120, 0)
}

func testSharedCeiling(t *testing.T, b *Books) {
	everyone := meter.Holder{Kind: meter.ForEveryone}
	b.allow(everyone, meter.AnyModel, nil, nil)
	if err := b.SetCeiling(context.Background(), meter.Ceiling{Model: meter.AnyModel, Caps: meter.Caps{Tokens: n(1000)}}); err != nil {
		t.Fatal(err)
	}
	var people []meter.Person
	for _, name := range []string{"Ada", "Bo", "Cy"} {
		p, err := b.AddPerson(context.Background(), name, "")
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, p)
	}
	var admitted atomic.Int64
	inParallel(200, func(i int) {
		_, err := b.reserve(people[i%3], []string{"acme/a", "acme/b"}[i%2], 40, 60)
		if err == nil {
			admitted.Add(1)
			return
		}
		wantRefusal(t, err, meter.TeamCeiling)
	})
	if admitted.Load() != 10 {
		t.Errorf("%d admitted, want 10", admitted.Load())
	}
	totals, err := b.Totals(context.Background(), meter.Day(b.Now()))
	if err != nil || totals.HeldTokens != 1000 || totals.HeldRequests != 10 {
		t.Errorf("totals %+v, %v", totals, err)
	}
}

func testCut(t *testing.T, b *Books) {
	p := b.person("Ada", nil, n(1000))
	ask := func(input, output, least int64) (meter.Hold, error) {
		return b.Reserve(context.Background(), meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: least})
	}
	h, err := ask(100, 4000, 50)
	if err != nil || h.Output != 900 || !h.Cut || !h.Limited {
		t.Fatalf("got %+v, %v; want 900 of output, cut", h, err)
	}
	b.settle(h, 100, 700)
	h, err = ask(100, 4000, 50)
	if err != nil || h.Output != 100 {
		t.Fatalf("got %+v, %v; want 100 of output", h, err)
	}
	_, err = ask(1, 4000, 50)
	no := refusalIn(t, err, meter.DailyTokenLimit)
	f := no.Figures
	if f.UsedTokens != 800 || f.HeldTokens != 200 || *f.MaxTokens != 1000 || f.NeededTokens != 51 || f.NeverFits {
		t.Errorf("figures %+v", f)
	}
	_, err = ask(1000, 4000, 50)
	if no := refusalIn(t, err, meter.DailyTokenLimit); !no.Figures.NeverFits {
		t.Error("a request above the whole allowance must be told that no fresh day fits it")
	}
	if no.ResetsAt == nil || !no.ResetsAt.Equal(meter.ResetsAt(b.Now())) {
		t.Errorf("resets at %v", no.ResetsAt)
	}
}

func testRefusalOrder(t *testing.T, b *Books) {
	p := b.person("Ada", n(1), n(100))
	ctx := context.Background()
	if err := b.SetCeiling(ctx, meter.Ceiling{Model: model, Caps: meter.Caps{Tokens: n(50)}}); err != nil {
		t.Fatal(err)
	}
	_, err := b.reserve(p, model, 200, 0)
	if no := refusalIn(t, err, meter.DailyTokenLimit); no.Figures.Scope != meter.ScopePerson {
		t.Errorf("blamed %s, want the person's own budget first", no.Figures.Scope)
	}
	_, err = b.reserve(p, model, 60, 0)
	wantRefusal(t, err, meter.TeamCeiling)
	b.wantStanding(p, model, 0, 0, 0, 0) // nothing of it was held
	b.mustReserve(p, model, 10, 0)
	_, err = b.reserve(p, model, 1, 0)
	wantRefusal(t, err, meter.DailyRequestLimit)
}

func testPurse(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	if err := b.SetPurse(ctx, meter.Purse{Holder: meter.Holder{Kind: meter.ForEveryone}, CostMicroUSD: n(1000)}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.reserve(p, model, 1, 1); err == nil {
		t.Fatal("a model without a price was let through under a budget of money")
	} else {
		wantRefusal(t, err, meter.PriceUnknown)
	}
	price := &meter.Price{Input: 3_000_000, Cached: 300_000, Written: 3_750_000, Output: 15_000_000} // $3, $0.30, $3.75, $15 a million
	ask := func(input, output, least int64) (meter.Hold, error) {
		return b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: least, Price: price})
	}
	h, err := ask(100, 1000, 10) // 300 µ$ of input leave 700 for 46 tokens of output
	if err != nil || h.Output != 46 {
		t.Fatalf("got %+v, %v; want 46 of output", h, err)
	}
	if err := b.Settle(ctx, h.ID, meter.Usage{Input: 100, Cached: 50, Written: 20, Output: 10}, meter.Reported); err != nil {
		t.Fatal(err)
	}
	purse, err := b.PurseStanding(ctx, p)
	if err != nil || purse.UsedMicroUSD != 30*3+15+75+150 || purse.HeldMicroUSD != 0 {
		t.Errorf("purse %+v, %v; want 330 used", purse, err)
	}
	_, err = ask(300, 1000, 10)
	wantRefusal(t, err, meter.DailyCostLimit)
}

func testGuests(t *testing.T, b *Books) {
	ctx := context.Background()
	_, err := b.reserve(meter.Person{}, model, 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed) // no ceiling, no guests
	for _, c := range []meter.Ceiling{
		{Guests: true, Model: model, Caps: meter.Caps{Requests: n(2)}},
		{Model: meter.AnyModel, Caps: meter.Caps{Requests: n(5)}},
	} {
		if err := b.SetCeiling(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	guest := meter.Person{}
	b.mustReserve(guest, model, 1, 1)
	b.mustReserve(guest, model, 1, 1)
	_, err = b.reserve(guest, model, 1, 1)
	wantRefusal(t, err, meter.TeamCeiling)
	p := b.person("Ada", nil, nil)
	for range 3 {
		b.mustReserve(p, model, 1, 1)
	}
	_, err = b.reserve(p, model, 1, 1) // the guests' two and the person's three make five
	wantRefusal(t, err, meter.TeamCeiling)
}
