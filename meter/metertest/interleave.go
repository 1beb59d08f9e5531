package metertest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"perdiem/meter"
)

// Interleave runs the cases in which the order of two writers is forced: one is stopped at a certain
// statement or before its commit, and goes on when the other is seen to wait for it.
func Interleave(t *testing.T, e Engine) {
	for name, test := range map[string]func(*testing.T, Engine, *Books){
		"expiry commits while a reserve waits":         testExpiryThenReserve,
		"a reserve that expires commits before expiry": testReserveThenExpiry,
		"a sweep commits under a blocked upsert":       testSweepUnderUpsert,
		"a reserve commits under a blocked upsert":     testReserveUnderUpsert,
		"the day's first row is inserted twice":        testFirstRowTwice,
		"reserve and settle lock the other way round":  testLockOrder,
		"a caller leaves inside a batch":               testCancelInBatch,
		"a settle waits for its hold's expiry":         testSettleDuringExpiry,
		"settle and release end one hold":              testSettleAndRelease,
		"room for ten admits ten over two gateways":    testParallelGateways,
		"the last room of one key goes to the first":   testRaceForAKey,
		"a key moves while a third caller waits":       testMoveWhileOneWaits,
		"the team is edited while a hold reads it":     testEditWhileTheTeamIsRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, e, newBooks(t, e.Open))
		})
	}
}

func (b *Books) over(s meter.Store, gateway string) *meter.Meter {
	return meter.New(s, meter.Options{Now: b.Clock.Now, Gateway: gateway})
}

// aside runs do beside the test, and gives what waits for its end.
func aside(do func()) (wait func()) {
	var running sync.WaitGroup
	running.Go(do)
	return running.Wait
}

func one(p meter.Person) meter.Request {
	return meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 10, Output: 10, MinOutput: 10}
}

// overtake stops first before its commit, sees second wait for it, and lets both go on.
func overtake(t *testing.T, e Engine, b *Books, first, second func(*meter.Meter)) {
	t.Helper()
	stopped := e.stop(t, b.Store, beforeCommit)
	firstEnds := aside(func() { first(b.over(stopped, "first")) })
	<-stopped.reached
	secondEnds := aside(func() { second(b.over(e.Again(t, b.Store), "second")) })
	e.await(t, b.Store, 1)
	stopped.letGo()
	firstEnds()
	secondEnds()
}

func mustExpire(t *testing.T) func(*meter.Meter) {
	return func(m *meter.Meter) {
		if _, err := m.Expire(context.Background()); err != nil {
			t.Errorf("expire: %v", err)
		}
	}
}

func mustAdmit(t *testing.T, p meter.Person) func(*meter.Meter) {
	return func(m *meter.Meter) {
		if _, err := m.Reserve(context.Background(), one(p)); err != nil {
			t.Errorf("there was room, but: %v", err)
		}
	}
}

func mustRefuse(t *testing.T, p meter.Person) func(*meter.Meter) {
	return func(m *meter.Meter) {
		_, err := m.Reserve(context.Background(), one(p))
		if no := (*meter.Refusal)(nil); !errors.As(err, &no) || no.Reason != meter.DailyRequestLimit {
			t.Errorf("got %v, want a refusal", err)
		} else if got := no.Figures.UsedRequests + no.Figures.HeldRequests; got != 1 {
			t.Errorf("the refusal tells of %d requests, want the 1 that took the room", got)
		}
	}
}

func testExpiryThenReserve(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(1), nil)
	b.mustReserve(p, model, 10, 10)
	b.Clock.Add(meter.HoldTTL)
	overtake(t, e, b, mustExpire(t), mustAdmit(t, p))
	b.wantStanding(p, model, 0, 1, 0, 20)
}

func testReserveThenExpiry(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(1), nil)
	b.mustReserve(p, model, 10, 10)
	b.Clock.Add(meter.HoldTTL)
	overtake(t, e, b, mustAdmit(t, p), mustExpire(t))
	b.wantStanding(p, model, 0, 1, 0, 20)
}

func testSweepUnderUpsert(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(1), nil)
	b.mustReserve(p, model, 10, 10) // by a gateway that is gone, and not yet over by itself
	recoverAll := func(m *meter.Meter) {
		if _, err := m.Recover(context.Background()); err != nil {
			t.Errorf("recover: %v", err)
		}
	}
	overtake(t, e, b, recoverAll, mustAdmit(t, p))
	b.wantStanding(p, model, 0, 1, 0, 20)
}

func testReserveUnderUpsert(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(1), nil)
	h := b.mustReserve(p, model, 10, 10)
	if err := b.Release(context.Background(), h.ID, "only to have the row"); err != nil {
		t.Fatal(err)
	}
	overtake(t, e, b, mustAdmit(t, p), mustRefuse(t, p))
	b.wantStanding(p, model, 0, 1, 0, 20)
}

func testFirstRowTwice(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(1), nil)
	overtake(t, e, b, mustAdmit(t, p), mustRefuse(t, p))
	b.wantStanding(p, model, 0, 1, 0, 20)
}

// testLockOrder stops a settle that has its hold and wants usage, while a reserve that expires two
// holds, this one among them, comes the other way.
func testLockOrder(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(3), nil)
	b.mustReserve(p, model, 10, 10)
	settled := b.mustReserve(p, model, 10, 10)
	b.Clock.Add(meter.HoldTTL)
	settling := e.stop(t, b.Store, "INSERT INTO usage_daily")
	settleEnds := aside(func() {
		if err := b.over(settling, "first").Settle(context.Background(), settled.ID, meter.Usage{Input: 3, Output: 4}, meter.Reported); err != nil {
			t.Errorf("settle: %v", err)
		}
	})
	<-settling.reached
	reserving := e.stop(t, b.Store, beforeCommit)
	reserving.letGo() // only its runs are counted
	reserveEnds := aside(func() { mustAdmit(t, p)(b.over(reserving, "second")) })
	e.await(t, b.Store, 1)
	settling.letGo()
	settleEnds()
	reserveEnds()
	if settling.runs.Load() != 1 || reserving.runs.Load() != 1 {
		t.Errorf("they met in a deadlock: the settle ran %d times, the reserve %d", settling.runs.Load(), reserving.runs.Load())
	}
	b.wantStanding(p, model, 1, 1, 7, 20)
}

// testCancelInBatch lets one of several waiting callers leave just as its hold is being written.
func testCancelInBatch(t *testing.T, e Engine, b *Books) {
	const others = 8
	p := b.person("Ada", n(others+2), nil)
	blocker := e.stop(t, b.Store, beforeCommit)
	ends := []func(){aside(func() { mustAdmit(t, p)(b.over(blocker, "first")) })}
	<-blocker.reached
	leaving := e.stop(t, b.Store, "INSERT INTO holds")
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	ends = append(ends, aside(func() {
		if _, err := b.over(leaving, "second").Reserve(ctx, one(p)); err != nil {
			t.Errorf("its hold was being written, but: %v", err)
		}
	}))
	for range others {
		ends = append(ends, aside(func() { mustAdmit(t, p)(b.over(e.Again(t, b.Store), "third")) }))
	}
	e.await(t, b.Store, 1+others)
	blocker.letGo()
	<-leaving.reached
	leave()
	leaving.letGo()
	for _, end := range ends {
		end()
	}
	b.wantStanding(p, model, 0, others+2, 0, 20*(others+2))
}

func testSettleDuringExpiry(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", nil, nil)
	h := b.mustReserve(p, model, 10, 10)
	if _, err := b.Touch(context.Background(), h.ID, meter.Observed{Accepted: true, Input: 10, Output: 1}); err != nil {
		t.Fatal(err)
	}
	b.Clock.Add(meter.HoldTTL)
	overtake(t, e, b, mustExpire(t), func(m *meter.Meter) {
		if err := m.Settle(context.Background(), h.ID, meter.Usage{Input: 9, Output: 4}, meter.Reported); err != nil {
			t.Errorf("settle: %v", err)
		}
	})
	b.wantStanding(p, model, 1, 0, 13, 0)
	b.wantVerbs(h, "reserve", "expire", "correct")
}

func testSettleAndRelease(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", nil, nil)
	h := b.mustReserve(p, model, 10, 10)
	overtake(t, e, b, func(m *meter.Meter) {
		if err := m.Settle(context.Background(), h.ID, meter.Usage{Input: 9, Output: 4}, meter.Reported); err != nil {
			t.Errorf("settle: %v", err)
		}
	}, func(m *meter.Meter) {
		if err := m.Release(context.Background(), h.ID, "test"); err != nil {
			t.Errorf("release: %v", err)
		}
	})
	b.wantStanding(p, model, 1, 0, 13, 0)
	b.wantVerbs(h, "reserve", "settle")
}

// wantVerbs compares what the ledger tells of a hold.
func (b *Books) wantVerbs(h meter.Hold, want ...string) {
	b.t.Helper()
	rows, err := b.Store.Read().QueryContext(context.Background(), `SELECT verb FROM ledger WHERE hold = $1 ORDER BY seq`, h.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var verb string
		if err := rows.Scan(&verb); err != nil {
			b.t.Fatal(err)
		}
		got = append(got, verb)
	}
	if err := rows.Err(); err != nil {
		b.t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("the ledger tells %v of the hold, want %v", got, want)
	}
}

func testParallelGateways(t *testing.T, e Engine, b *Books) {
	p := b.person("Ada", n(10), nil)
	gateways := []*meter.Meter{b.over(e.Again(t, b.Store), "first"), b.over(e.Again(t, b.Store), "second")}
	tenOfTwoHundred(t, func(i int) error {
		_, err := gateways[i%2].Reserve(context.Background(), one(p))
		return err
	})
	b.wantStanding(p, model, 0, 10, 0, 200)
}
