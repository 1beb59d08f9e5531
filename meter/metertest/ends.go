package metertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"perdiem/meter"
)

func testEnds(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	settle := func(h meter.Hold) error {
		return b.Settle(ctx, h.ID, meter.Usage{Input: 3, Output: 4}, meter.Reported)
	}
	release := func(h meter.Hold) error { return b.Release(ctx, h.ID, "refused") }
	for name, c := range map[string]struct {
		first, second func(meter.Hold) error
		requests      int64
		tokens        int64
	}{
		"settle twice":        {settle, settle, 1, 7},
		"settle then release": {settle, release, 1, 7},
		"release then settle": {release, settle, 0, 0},
		"release twice":       {release, release, 0, 0},
	} {
		before := b.standing(p, model)
		h := b.mustReserve(p, model, 10, 20)
		if err := errors.Join(c.first(h), c.second(h)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		b.wantStanding(p, model, before.UsedRequests+c.requests, 0, before.UsedTokens+c.tokens, 0)
	}
	h := b.mustReserve(p, model, 10, 20)
	before := b.standing(p, model)
	b.settle(h, 1000, 2000) // above the hold: booked all the same
	b.wantStanding(p, model, before.UsedRequests+1, 0, before.UsedTokens+3000, 0)

	if err := b.Release(ctx, "nobody's", ""); !errors.Is(err, meter.ErrNotFound) {
		t.Errorf("an unknown hold gave %v", err)
	}
	for _, u := range []meter.Usage{{Input: -1}, {Output: -1_000_000}, {Input: 1 << 60}} {
		h := b.mustReserve(p, model, 1, 1)
		if err := b.Settle(ctx, h.ID, u, meter.Reported); !errors.Is(err, meter.ErrInvalid) {
			t.Errorf("usage %+v gave %v", u, err)
		}
		if err := b.Release(ctx, h.ID, "test"); err != nil {
			t.Error(err)
		}
	}
}

// lossy is a store whose writes stand and whose caller hears of an error, as where a connection is lost during the
// commit, while told so.
type lossy struct {
	meter.Store
	losing bool
}

func (l *lossy) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	err := l.Store.Write(ctx, do)
	if err == nil && l.losing {
		return errors.New("the connection was lost")
	}
	return err
}

// testLostMove ends a hold by what it holds, though whoever moved it does not know.
func testLostMove(t *testing.T, b *Books) {
	ctx := context.Background()
	p, store := b.person("Ada", nil, nil), &lossy{Store: b.Store}
	m := b.over(store, "lossy")
	for name, end := range map[string]func(meter.Hold) error{
		"settle":  func(h meter.Hold) error { return m.Settle(ctx, h.ID, meter.Usage{Input: 3, Output: 4}, meter.Reported) },
		"release": func(h meter.Hold) error { return m.Release(ctx, h.ID, "test") },
	} {
		r := one(p)
		r.Keys = []meter.KeyBudget{{ID: "a"}}
		h, err := m.Reserve(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		r.Keys = []meter.KeyBudget{{ID: "b"}}
		store.losing = true
		if _, err := m.Move(ctx, h.ID, r); err == nil {
			t.Fatal("the answer was to be lost")
		}
		store.losing = false
		if err := end(h); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		held, err := heldByKeys(b)
		if err != nil || len(held) != 2 || held["a"] != 0 || held["b"] != 0 {
			t.Errorf("after the %s the keys hold %v, %v; want nothing", name, held, err)
		}
	}
}

// heldByKeys is how many requests each key holds.
func heldByKeys(b *Books) (map[string]int64, error) {
	rows, err := b.Store.Read().QueryContext(context.Background(), `SELECT subject, held_requests FROM usage_daily WHERE scope = 'key'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	held := map[string]int64{}
	for rows.Next() {
		var key string
		var n int64
		if err := rows.Scan(&key, &n); err != nil {
			return nil, err
		}
		held[key] = n
	}
	return held, rows.Err()
}

func testGiveBack(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	worst := b.mustReserve(p, model, 10, 20)
	known := b.mustReserve(p, model, 10, 20)
	if err := b.settleHeld(worst); err != nil {
		t.Fatal(err)
	}
	b.settle(known, 10, 5)
	b.wantStanding(p, model, 2, 0, 45, 0)
	list, err := b.WorstCases(ctx, worst.Day)
	if err != nil || len(list) != 1 || list[0].HoldID != worst.ID || list[0].Usage.Output != 20 || list[0].PersonID != p.ID {
		t.Fatalf("listed %+v, %v", list, err)
	}
	for range 2 {
		if err := b.GiveBack(ctx, worst.ID); err != nil {
			t.Fatal(err)
		}
		b.wantStanding(p, model, 1, 0, 15, 0)
	}
	if err := b.GiveBack(ctx, known.ID); !errors.Is(err, meter.ErrInvalid) {
		t.Errorf("giving back what is known gave %v", err)
	}
	open := b.mustReserve(p, model, 1, 1)
	if err := b.GiveBack(ctx, open.ID); !errors.Is(err, meter.ErrInvalid) {
		t.Errorf("giving back what runs gave %v", err)
	}
	if list, err := b.WorstCases(ctx, worst.Day); err != nil || len(list) != 0 {
		t.Errorf("still listed %+v, %v", list, err)
	}
}

func testExpiry(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", n(3), nil)
	never := b.mustReserve(p, model, 10, 20)
	running := b.mustReserve(p, model, 10, 20)
	kept := b.mustReserve(p, model, 10, 20)
	touch := func(h meter.Hold, o meter.Observed) {
		t.Helper()
		if alive, err := b.Touch(ctx, h.ID, o); err != nil || !alive {
			t.Fatalf("touch: alive %v, %v", alive, err)
		}
	}
	b.Clock.Add(14 * time.Minute)
	touch(running, meter.Observed{Accepted: true, Input: 9, Output: 4})
	b.Clock.Add(2 * time.Minute)
	touch(kept, meter.Observed{Accepted: true, Input: 9}) // late, but nobody had ended it yet
	// No sweeper ran: the next hold itself ends the one that is over, and so finds room.
	extra := b.mustReserve(p, model, 1, 1)
	b.wantStanding(p, model, 0, 3, 0, 62)
	b.Clock.Add(14 * time.Minute)
	touch(kept, meter.Observed{Accepted: true, Input: 9, Output: 1})
	if ended, err := b.Expire(ctx); err != nil || ended != 1 { // running, touched 16 minutes ago
		t.Fatalf("%d ended, %v", ended, err)
	}
	b.wantStanding(p, model, 1, 2, 13, 32)
	for _, h := range []meter.Hold{never, running} {
		if alive, err := b.Touch(ctx, h.ID, meter.Observed{}); err != nil || alive {
			t.Errorf("an ended hold was touched: alive %v, %v", alive, err)
		}
	}
	b.settle(kept, 9, 2)
	b.settle(extra, 1, 1)
	b.wantStanding(p, model, 3, 0, 13+11+2, 0)
}

func testLateSettle(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	accepted := b.mustReserve(p, model, 10, 20)
	unreached := b.mustReserve(p, model, 10, 20)
	if _, err := b.Touch(ctx, accepted.ID, meter.Observed{Accepted: true, Input: 9, Output: 4}); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(meter.HoldTTL)
	if ended, err := b.Expire(ctx); err != nil || ended != 2 {
		t.Fatalf("%d ended, %v", ended, err)
	}
	b.wantStanding(p, model, 1, 0, 13, 0)
	for range 2 { // the second time changes nothing
		b.settle(accepted, 11, 2)
		b.settle(unreached, 5, 5)
		b.wantStanding(p, model, 2, 0, 23, 0)
	}
	if err := b.Release(ctx, accepted.ID, "too late"); err != nil {
		t.Error(err)
	}
	b.wantStanding(p, model, 2, 0, 23, 0)
}

func testMidnight(t *testing.T, b *Books) {
	ctx := context.Background()
	b.Clock.Set(time.Date(2026, 11, 29, 23, 59, 50, 0, time.UTC))
	p := b.person("Ada", n(1), nil)
	h := b.mustReserve(p, model, 10, 20)
	if _, err := b.reserve(p, model, 10, 20); err == nil {
		t.Fatal("the day's one request was held twice")
	}
	b.Clock.Add(20 * time.Second)
	next := b.mustReserve(p, model, 1, 1) // a fresh day
	b.settle(h, 8, 9)
	b.wantStanding(p, model, 0, 1, 0, 2)
	for day, requests := range map[string]int64{"2026-11-29": 1, "2026-11-30": 0} {
		totals, err := b.Totals(ctx, day)
		if err != nil || totals.Requests != requests {
			t.Errorf("%s: %+v, %v; want %d requests", day, totals, err, requests)
		}
	}
	b.settle(next, 1, 1)
	b.Clock.Add(-20 * time.Second) // the clock is set back over midnight: that day's spend still counts
	_, err := b.reserve(p, model, 1, 1)
	wantRefusal(t, err, meter.DailyRequestLimit)
}

func testRecover(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	dead := b.another("dead")
	for i := range 250 { // more than one batch
		h, err := dead.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 10, Output: 10, MinOutput: 10})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			if _, err := dead.Touch(ctx, h.ID, meter.Observed{Accepted: true, Input: 10, Output: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	mine := b.mustReserve(p, model, 5, 5)
	ended, err := b.Recover(ctx)
	if err != nil || ended != 250 {
		t.Fatalf("%d ended, %v; want 250", ended, err)
	}
	b.wantStanding(p, model, 125, 1, 125*11, 10)
	b.settle(mine, 5, 5)
}

func testVerify(t *testing.T, b *Books) {
	ctx := context.Background()
	p := b.person("Ada", nil, nil)
	b.settle(b.mustReserve(p, model, 5, 5), 5, 5)
	tamper := func(by string) {
		t.Helper()
		err := b.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE usage_daily SET tokens = tokens `+by+` WHERE scope = 'person'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tamper("- 3")
	report, err := b.Verify(ctx)
	if err != nil || len(report.Mismatches) != 1 {
		t.Fatalf("%+v, %v; want one mismatch", report, err)
	}
	if m := report.Mismatches[0]; m.Stands.Used.Tokens != 7 || m.Ledger.Used.Tokens != 10 || m.Subject != p.ID {
		t.Errorf("mismatch %+v", m)
	}
	b.wantStanding(p, model, 1, 0, 7, 0) // reported, not mended
	tamper("+ 3")
	for _, statement := range []string{`UPDATE ledger SET input = 0`, `DELETE FROM ledger`} {
		err := b.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
		if err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}
