package metertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"perdiem/meter"
)

func testLookupOrder(t *testing.T, b *Books) {
	ctx := context.Background()
	if err := b.AddTier(ctx, "staff"); err != nil {
		t.Fatal(err)
	}
	p, err := b.AddPerson(ctx, "Ada", "staff")
	if err != nil {
		t.Fatal(err)
	}
	person, tier, everyone := meter.Holder{Kind: meter.ForPerson, ID: p.ID}, meter.Holder{Kind: meter.ForTier, ID: "staff"}, meter.Holder{Kind: meter.ForEveryone}
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	// From the most general to the nearest, each one takes over from the last, columns and all.
	for i, from := range []meter.Source{
		{Holder: everyone, Model: meter.AnyModel}, {Holder: everyone, Model: model},
		{Holder: tier, Model: meter.AnyModel}, {Holder: tier, Model: model},
		{Holder: person, Model: meter.AnyModel}, {Holder: person, Model: model},
	} {
		limit := int64(100 + i)
		if i%2 == 0 {
			b.allow(from.Holder, from.Model, n(limit), nil)
		} else {
			b.allow(from.Holder, from.Model, nil, n(limit))
		}
		s := b.standing(p, model)
		if s.From != from || (i%2 == 0) != (s.MaxRequests != nil) || (i%2 == 1) != (s.MaxTokens != nil) {
			t.Errorf("after setting %+v: %+v", from, s)
		}
	}
	b.allow(person, model, n(0), nil)
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	if err := b.RemoveAllowance(ctx, person, model); err != nil {
		t.Fatal(err)
	}
	b.mustReserve(p, model, 1, 1)
	b.allow(meter.Holder{Kind: meter.ForTier, ID: "staff"}, "acme/other", n(0), n(0))
	if s := b.standing(p, "acme/other"); !s.Allowed() {
		t.Errorf("the person's own row for any model decides over the tier's: %+v", s)
	}
	for _, bad := range []meter.Allowance{
		{Holder: meter.Holder{Kind: meter.ForTier, ID: "kings"}, Model: model},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "nobody"}, Model: model},
		{Holder: meter.Holder{Kind: "club"}, Model: model},
		{Holder: everyone, Model: ""},
		{Holder: everyone, Model: model, Limits: meter.Limits{Tokens: n(-1)}},
	} {
		if err := b.SetAllowance(ctx, bad); !errors.Is(err, meter.ErrInvalid) && !errors.Is(err, meter.ErrNotFound) {
			t.Errorf("%+v gave %v", bad, err)
		}
	}
}

func testLimitEdit(t *testing.T, b *Books) {
	p := b.person("Ada", n(1), nil)
	own := meter.Holder{Kind: meter.ForPerson, ID: p.ID}
	b.mustReserve(p, model, 1, 1)
	_, err := b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit)
	b.allow(own, model, n(2), nil)
	b.mustReserve(p, model, 1, 1)
	b.allow(own, model, n(1), nil) // below what is held already
	_, err = b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit)
}

func testGrant(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(1), n(10))
	b.settle(b.mustReserve(p, model, 5, 5), 5, 5)
	if err := b.Grant(ctx, p.ID, model, 1, 20); err != nil {
		t.Fatal(err)
	}
	b.settle(b.mustReserve(p, model, 10, 10), 10, 10)
	_, err := b.reserve(p, model, 1, 0)
	wantRefusal(t, err, meter.DailyRequestLimit)

	// To a model that is not allowed: what is not granted of is not limited.
	_, err = b.reserve(p, "acme/other", 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	if err := b.Grant(ctx, p.ID, "acme/other", 0, 10); err != nil {
		t.Fatal(err)
	}
	b.settle(b.mustReserve(p, "acme/other", 5, 5), 5, 5)
	_, err = b.reserve(p, "acme/other", 1, 0)
	wantRefusal(t, err, meter.DailyTokenLimit)

	b.Clock.Add(24 * time.Hour)
	_, err = b.reserve(p, "acme/other", 1, 1)
	wantRefusal(t, err, meter.ModelNotAllowed)
	for _, bad := range [][2]int64{{0, 0}, {-1, 5}, {1, -5}} {
		if err := b.Grant(ctx, p.ID, model, bad[0], bad[1]); !errors.Is(err, meter.ErrInvalid) {
			t.Errorf("a grant of %v gave %v", bad, err)
		}
	}
}
