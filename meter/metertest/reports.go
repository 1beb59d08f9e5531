package metertest

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"perdiem/meter"
)

func sum(requests, tokens, input, output, cost int64) meter.Sum {
	return meter.Sum{Requests: requests, Tokens: tokens, InputTokens: input, OutputTokens: output, CostMicroUSD: cost}
}

func testReports(t *testing.T, b *Books) {
	ctx := context.Background()
	ada, bo := b.person("Ada", nil, nil), b.person("Bo", nil, nil)
	b.allow(meter.Holder{Kind: meter.ForEveryone}, "acme/other", nil, nil)
	use := func(p meter.Person, model string, input, output int64) {
		t.Helper()
		h, err := b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Price: &meter.Price{Input: 1_000_000, Output: 2_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		b.settle(h, input, output)
	}
	use(ada, model, 10, 1)
	use(ada, "acme/other", 1, 1)
	use(bo, model, 5, 50)
	b.Clock.Add(24 * time.Hour)
	use(bo, model, 1, 0)
	if err := b.RemovePerson(ctx, ada.ID); err != nil {
		t.Fatal(err)
	}
	const first, second = "2026-11-29", "2026-11-30"
	want := func(got any, err error, want any) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	day1, day2 := sum(3, 68, 16, 52, 120), sum(1, 1, 1, 0, 1)
	history, err := b.History(ctx, first, second)
	want(history, err, []meter.DaySum{{Day: first, Sum: day1}, {Day: second, Sum: day2}})
	history, err = b.History(ctx, second, "2027-01-01")
	want(history, err, []meter.DaySum{{Day: second, Sum: day2}})
	history, err = b.PersonHistory(ctx, bo.ID, first, second)
	want(history, err, []meter.DaySum{{Day: first, Sum: sum(1, 55, 5, 50, 105)}, {Day: second, Sum: sum(1, 1, 1, 0, 1)}})
	spenders, err := b.Spenders(ctx, first, second)
	want(spenders, err, []meter.PersonSum{{PersonID: bo.ID, Name: "Bo", Sum: sum(2, 56, 6, 50, 106)}, {PersonID: ada.ID, Sum: sum(2, 13, 11, 2, 15)}})
	models, err := b.ModelsUsed(ctx, first, first)
	want(models, err, []meter.ModelSum{{Model: model, Sum: sum(2, 66, 15, 51, 117)}, {Model: "acme/other", Sum: sum(1, 2, 1, 1, 3)}})
	if _, err := b.History(ctx, "yesterday", second); !errors.Is(err, meter.ErrInvalid) {
		t.Errorf("a day that is none gave %v", err)
	}
}

func testHours(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	b.settle(b.mustReserve(p, model, 1, 1), 3, 4)
	b.Clock.Add(3 * time.Hour)
	late := b.mustReserve(p, model, 1, 1)
	expired := b.mustReserve(p, model, 1, 1)
	if _, err := b.Touch(ctx, expired.ID, meter.Observed{Accepted: true, Input: 5}); err != nil {
		t.Fatal(err)
	}
	b.settle(late, 10, 10)
	b.Clock.Add(time.Hour)
	if _, err := b.Expire(ctx); err != nil {
		t.Fatal(err)
	}
	b.settle(expired, 5, 6)
	if err := b.LogRefusal(ctx, &meter.Refusal{At: b.Now(), Reason: "X"}); err != nil {
		t.Fatal(err)
	}
	hours, err := b.Hours(ctx, meter.Day(b.Now()))
	want := [24]meter.Hour{12: {Requests: 1, Tokens: 7}, 15: {Requests: 1, Tokens: 20}, 16: {Requests: 1, Tokens: 11, Refusals: 1}}
	if err != nil || hours != want {
		t.Errorf("got %+v, %v", hours, err)
	}

	b.settle(b.mustReserve(p, model, 1, 1), 2, 3) // what was added up before stands
	hours, err = b.Hours(ctx, meter.Day(b.Now()))
	want[16].Requests, want[16].Tokens = 2, 16
	if err != nil || hours != want {
		t.Errorf("after one more: %+v, %v", hours, err)
	}
	if hours, err = b.Hours(ctx, meter.Day(b.Now().AddDate(0, 0, -1))); err != nil || hours != ([24]meter.Hour{}) {
		t.Errorf("the day before: %+v, %v", hours, err)
	}
	if hours, err = b.Hours(ctx, meter.Day(b.Now())); err != nil || hours != want {
		t.Errorf("this day again: %+v, %v", hours, err)
	}
}
