package metertest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
)

func testRates(t *testing.T, b *Books) { rates(t, b) }

// testSharedRates counts in the store, as gateways on one store do.
func testSharedRates(t *testing.T, b *Books) {
	b.Meter = meter.New(b.Store, meter.Options{Now: b.Clock.Now, SharedRates: true})
	rates(t, b)
	p := b.person("Bo", nil, nil)
	other := meter.New(b.Store, meter.Options{Now: b.Clock.Now, SharedRates: true})
	var admitted atomic.Int64
	inParallel(100, func(i int) {
		if err := guard([]*meter.Meter{b.Meter, other}[i%2], p, "", 0); err == nil {
			admitted.Add(1)
		}
	})
	if admitted.Load() != meter.DefaultRate {
		t.Errorf("two gateways admitted %d, want %d", admitted.Load(), meter.DefaultRate)
	}
}

func testRatesAcrossARestart(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	for range meter.DefaultRate {
		if err := guard(b.Meter, p, "", 0); err != nil {
			t.Fatal(err)
		}
	}
	b.mustReserve(p, model, 1, 1) // a hold carries the count along
	next := b.another("next")
	if err := next.LoadRates(ctx); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, guard(next, p, "", 0), meter.RateLimit)
	b.Clock.Add(2 * time.Minute)
	if err := next.LoadRates(ctx); err != nil {
		t.Fatal(err)
	}
	if err := guard(next, p, "", 0); err != nil {
		t.Errorf("two minutes later: %v", err)
	}
}

func rates(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	admitted := func(tries int) (passed int, last *meter.Refusal) {
		for range tries {
			if err := guard(b.Meter, p, "", 0); err != nil {
				last = refusalIn(t, err, meter.RateLimit)
				continue
			}
			passed++
		}
		return passed, last
	}
	b.Clock.Add(59 * time.Second)
	if got, _ := admitted(100); got != meter.DefaultRate {
		t.Fatalf("%d admitted, want %d", got, meter.DefaultRate)
	}
	b.Clock.Add(2 * time.Second) // over the minute's edge: a fixed window would admit as many again
	got, no := admitted(100)
	if got > 1 {
		t.Fatalf("%d admitted right after a full burst", got)
	}
	b.Clock.Add(no.RetryAfter(b.Now()))
	if got, _ := admitted(1); got != 1 {
		t.Error("the wait that was told did not suffice")
	}
	if err := b.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := admitted(300); got != 300 {
		t.Errorf("%d of 300 admitted without a rate", got)
	}
	if err := b.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Tokens: n(1000)}); err != nil {
		t.Fatal(err)
	}
	if err := b.NoteTokens(ctx, p, "", b.Now(), 1001); err != nil {
		t.Fatal(err)
	}
	if _, no := admitted(1); no == nil || no.Figures.Of != "tokens" {
		t.Error("tokens above the rate were admitted")
	}
	began := b.Now()
	b.Clock.Add(60 * time.Second) // what was not used is given back to the minute that it was held in
	if err := b.NoteTokens(ctx, p, "", began, -1001); err != nil {
		t.Fatal(err)
	}
	if got, _ := admitted(1); got != 1 {
		t.Error("tokens that were given back still count")
	}
	if err := b.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Requests: n(5)}); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(5 * time.Minute)
	for range 20 { // refused for another reason, a call does not count
		if got, _ := admitted(1); got != 1 {
			t.Fatal("a call that was taken back counts")
		}
		if err := b.TakeBack(ctx, p, "", b.Now(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Images: n(5)}); err != nil {
		t.Fatal(err)
	}
	for images, admits := range map[int64]bool{6: false, 0: true} {
		if err := guard(b.Meter, p, "", images); (err == nil) != admits {
			t.Errorf("%d images of 5 a minute: %v", images, err)
		}
	}
	for _, admits := range []bool{true, false} {
		if err := guard(b.Meter, p, "", 3); (err == nil) != admits {
			t.Errorf("three images of 5 a minute: %v", err)
		} else if !admits && refusalIn(t, err, meter.RateLimit).Figures.Of != "images" {
			t.Errorf("refused for %v", err)
		}
	}
	guest := meter.Person{}
	for range meter.DefaultRate {
		if err := guard(b.Meter, guest, "10.0.0.1", 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := guard(b.Meter, guest, "10.0.0.2", 0); err != nil {
		t.Errorf("another network was refused: %v", err)
	}
	wantRefusal(t, guard(b.Meter, guest, "10.0.0.1", 0), meter.RateLimit)
}
