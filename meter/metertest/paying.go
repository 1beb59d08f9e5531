package metertest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
)

func keyBudgets(tokens ...int64) []meter.KeyBudget {
	keys := make([]meter.KeyBudget, len(tokens))
	for i, t := range tokens {
		keys[i] = meter.KeyBudget{ID: string(rune('a' + i)), Caps: meter.Caps{Tokens: n(t)}}
	}
	return keys
}

func testKeys(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	keys := keyBudgets(100, 1000, 1000)
	ask := func(tokens int64) (meter.Hold, error) {
		return b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: tokens, Keys: keys})
	}
	want := func(tokens int64, key string) {
		t.Helper()
		h, err := ask(tokens)
		if err != nil || h.KeyID != key {
			t.Fatalf("%d tokens got the key %q, %v; want %q", tokens, h.KeyID, err, key)
		}
	}
	want(600, "b") // all are whole, but the first has no room for it
	want(50, "a")  // a and c are whole, and a was named first
	want(200, "c") // the only whole one
	want(400, "c") // b has 40 % left, a 50 % but no room for it, c 80 %
	want(400, "b") // as much left as c has, and named first
	want(400, "c")
	_, err := ask(400)
	wantRefusal(t, err, meter.KeysSpent)
	want(50, "a")
}

func testLastRoomOfAKey(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	keys := keyBudgets(1000, 1000)
	var byKey [2]atomic.Int64
	inParallel(100, func(int) {
		h, err := b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 100, Keys: keys})
		if err == nil {
			byKey[h.KeyID[0]-'a'].Add(1)
			return
		}
		no := refusalIn(t, err, meter.KeysSpent)
		if no.Figures.Scope != meter.ScopeKey || no.ResetsAt == nil {
			t.Errorf("refused with %+v", no)
		}
	})
	if byKey[0].Load() != 10 || byKey[1].Load() != 10 {
		t.Errorf("the keys served %d and %d, want 10 each", byKey[0].Load(), byKey[1].Load())
	}
}

func testCredit(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(1), nil)
	price := &meter.Price{Input: 1_000_000, Output: 1_000_000} // a micro-dollar a token
	ask := func(input, output, least int64) (meter.Hold, error) {
		return b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: least, Price: price})
	}
	wantCredit := func(paidIn, spent, held int64) {
		t.Helper()
		if c, err := b.Credit(ctx, p.ID); err != nil || c != (meter.Credit{PaidIn: paidIn, Spent: spent, Held: held}) {
			t.Errorf("credit %+v, %v; want %d paid in, %d spent, %d held", c, err, paidIn, spent, held)
		}
	}
	must(t, b.AddCredit(ctx, p.ID, 500, "birthday"))
	h, err := ask(10, 10, 10)
	if err != nil || h.Credit {
		t.Fatalf("the allowance pays first: %+v, %v", h, err)
	}
	h, err = ask(100, 1000, 50)
	if err != nil || !h.Credit || h.Output != 400 || !h.Limited {
		t.Fatalf("then credit, and the reply is cut to it: %+v, %v", h, err)
	}
	wantCredit(500, 0, 500)
	_, err = ask(1, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit) // names the allowance, which ends at midnight
	b.settle(h, 100, 150)
	wantCredit(500, 250, 0)
	if s := b.standing(p, model); s.UsedRequests != 0 || s.HeldRequests != 1 || s.InputTokens != 100 || s.OutputTokens != 150 {
		t.Errorf("the allowance counts nothing of it, but shows its tokens: %+v", s)
	}
	h, err = ask(100, 100, 100)
	must(t, err)
	wantCredit(500, 250, 200)
	if err := b.AddCredit(ctx, p.ID, -100, "more than is left"); !errors.Is(err, meter.ErrInvalid) {
		t.Errorf("taking out what is held gave %v", err)
	}
	must(t, b.Release(ctx, h.ID, "test"))
	must(t, b.AddCredit(ctx, p.ID, -100, "refund"))
	wantCredit(400, 250, 0)
	h, err = ask(10, 100, 100)
	must(t, err)
	b.Clock.Add(24 * time.Hour) // expires; credit is of no day
	_, err = b.Expire(ctx)
	must(t, err)
	wantCredit(400, 250, 0)
	b.settle(h, 10, 20)
	wantCredit(400, 280, 0)

	must(t, b.AddCredit(ctx, p.ID, 880, "room for ten"))
	b.mustReserve(p, model, 1, 1) // the new day's one request
	var admitted atomic.Int64
	inParallel(100, func(int) {
		if _, err := ask(50, 50, 50); err == nil {
			admitted.Add(1)
		}
	})
	if admitted.Load() != 10 {
		t.Errorf("%d admitted by credit for ten", admitted.Load())
	}
	wantCredit(1280, 280, 1000)
}

func testMove(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(2), n(1000))
	other := "acme/other"
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, other, nil, n(50))
	b.Clock.Set(time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC))
	h, err := b.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 100, Output: 100, MinOutput: 100, Keys: keyBudgets(1000)})
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(2 * time.Minute) // over midnight: the hold keeps its day
	moved, err := b.Move(ctx, h.ID, meter.Request{Model: model, Input: 100, Output: 100, MinOutput: 100, Keys: keyBudgets(0, 500)[1:]})
	if err != nil || moved.KeyID != "b" || moved.Day != h.Day || moved.ID != h.ID {
		t.Fatalf("to another key: %+v, %v", moved, err)
	}
	_, err = b.Move(ctx, h.ID, meter.Request{Model: other, Input: 100, Output: 100, MinOutput: 100})
	wantRefusal(t, err, meter.DailyTokenLimit) // and the hold is as it was
	_, err = b.Move(ctx, h.ID, meter.Request{Model: other, Input: 10, Output: 100, MinOutput: 20})
	if err != nil {
		t.Fatalf("to another model, cut to its allowance: %v", err)
	}
	b.settle(h, 10, 15)
	if _, err := b.Move(ctx, h.ID, meter.Request{Model: model}); !errors.Is(err, meter.ErrEnded) {
		t.Errorf("moving what has ended gave %v", err)
	}
	b.Clock.Add(-2 * time.Minute)
	b.wantStanding(p, model, 0, 0, 0, 0)
	b.wantStanding(p, other, 1, 0, 25, 0)
}

// keyedBy makes a request that keys may serve, and tells which one did.
func keyedBy(p meter.Person, keys []meter.KeyBudget, want string, t *testing.T) func(*meter.Meter) {
	return func(m *meter.Meter) {
		r := one(p)
		r.Keys = keys
		if h, err := m.Reserve(context.Background(), r); err != nil || h.KeyID != want {
			t.Errorf("the key %q serves, %v; want %q", h.KeyID, err, want)
		}
	}
}

// testRaceForAKey lets two requests want the last room of the same key, which has the most, while
// another has some: the second gives way to that one and is not refused.
func testRaceForAKey(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", nil, nil)
	keys := []meter.KeyBudget{{ID: "a", Caps: meter.Caps{Requests: n(1)}}, {ID: "b", Caps: meter.Caps{Requests: n(100)}}}
	h, err := b.Reserve(context.Background(), meter.Request{ID: "r", PersonID: p.ID, Model: model, Keys: keys[1:]})
	if err != nil {
		t.Fatal(err)
	}
	b.settle(h, 1, 0) // b is not whole any more: a, which is, is wanted first by both
	overtake(t, e, b, keyedBy(p, keys, "a", t), keyedBy(p, keys, "b", t))
}

// testMoveWhileOneWaits moves a hold from a key with room for one to another, while a third caller,
// who has only the first key, waits for it: they get the room that the move gives back.
func testMoveWhileOneWaits(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", nil, nil)
	a, other := []meter.KeyBudget{{ID: "a", Caps: meter.Caps{Requests: n(1)}}}, []meter.KeyBudget{{ID: "b"}}
	h, err := b.Reserve(context.Background(), meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 10, Output: 10, MinOutput: 10, Keys: a})
	if err != nil {
		t.Fatal(err)
	}
	move := func(m *meter.Meter) {
		moved, err := m.Move(context.Background(), h.ID, meter.Request{Model: model, Input: 10, Output: 10, MinOutput: 10, Keys: other})
		if err != nil || moved.KeyID != "b" {
			t.Errorf("moved to %q, %v", moved.KeyID, err)
		}
	}
	overtake(t, e, b, move, keyedBy(p, a, "a", t))
	b.settle(h, 10, 5)
}
