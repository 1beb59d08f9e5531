package live_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/ui/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// page is a view that reports each call on a channel.
type page struct{ calls chan string }

func newPage() page { return page{make(chan string, 16)} }

func (p page) Load(context.Context) func() { return func() { p.calls <- "load" } }
func (p page) Tick(time.Time) func()       { return func() { p.calls <- "tick" } }
func (p page) next(t *testing.T) string {
	t.Helper()
	select {
	case c := <-p.calls:
		return c
	case <-time.After(5 * time.Second):
		t.Fatal("the page was not drawn")
		return ""
	}
}

// rig is a running pump whose beats and book figure the test holds.
type rig struct {
	*live.Pump
	beats  chan time.Time
	figure chan uint64
	fail   error
}

func start(t *testing.T) *rig {
	r := &rig{beats: make(chan time.Time), figure: make(chan uint64, 1)}
	var last uint64
	r.Pump = live.NewPump(func(context.Context) (uint64, error) {
		select {
		case last = <-r.figure:
		default:
		}
		return last, r.fail
	}, func(f func()) { f() }, time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx, r.beats); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

func expect(t *testing.T, p page, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := p.next(t); got != w {
			t.Fatalf("the page got a %s, want a %s", got, w)
		}
	}
}

func TestAPageIsLoadedWhenItComesIntoView(t *testing.T) {
	r, p := start(t), newPage()
	r.Show(p)
	expect(t, p, "load", "tick")
}

func TestABeatWithoutChangeOnlyTicks(t *testing.T) {
	r, p := start(t), newPage()
	r.Show(p)
	expect(t, p, "load", "tick")
	r.beats <- time.Now()
	expect(t, p, "tick")
}

func TestAChangeOfTheBooksLoadsThePageOnce(t *testing.T) {
	r, p := start(t), newPage()
	r.Show(p)
	expect(t, p, "load", "tick")
	r.figure <- 7
	r.beats <- time.Now()
	expect(t, p, "load", "tick")
	r.beats <- time.Now()
	expect(t, p, "tick")
}

func TestAPageOutOfViewIsLeftAlone(t *testing.T) {
	r, first, second := start(t), newPage(), newPage()
	r.Show(first)
	expect(t, first, "load", "tick")
	r.Show(second)
	expect(t, second, "load", "tick")
	r.beats <- time.Now()
	expect(t, second, "tick")
	if len(first.calls) != 0 {
		t.Fatal("a page out of view was drawn")
	}
}

func TestAStoreThatCannotAnswerStillLoadsThePage(t *testing.T) {
	r := start(t)
	r.fail = errors.New("disk is gone")
	p := newPage()
	r.Show(p)
	expect(t, p, "load", "tick")
	r.beats <- time.Now()
	expect(t, p, "load", "tick")
}

func TestAScreenThatNeverDrawsDoesNotKeepThePumpFromEnding(t *testing.T) {
	asked := make(chan struct{})
	p := live.NewPump(func(context.Context) (uint64, error) { return 0, nil }, func(func()) { close(asked) }, time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { p.Run(ctx, nil); close(done) }()
	p.Show(newPage())
	<-asked
	cancel()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("the pump did not end")
	}
}

// slowPage takes a second of the clock to read.
type slowPage struct {
	page
	now *atomic.Int64
}

func (p slowPage) Load(ctx context.Context) func() {
	p.now.Add(int64(time.Second))
	return p.page.Load(ctx)
}

func TestASlowPageIsReadLessOftenButAtOnceWhenAsked(t *testing.T) {
	var now atomic.Int64
	var figure atomic.Uint64
	beats := make(chan time.Time)
	pump := live.NewPump(func(context.Context) (uint64, error) { return figure.Load(), nil }, func(f func()) { f() },
		func() time.Time { return time.Unix(0, now.Load()) })
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { pump.Run(ctx, beats); close(done) }()
	t.Cleanup(func() { cancel(); <-done })

	p := slowPage{newPage(), &now}
	pump.Show(p)
	expect(t, p.page, "load", "tick")
	figure.Store(1)
	beats <- time.Time{}
	expect(t, p.page, "tick") // changed, but the last reading took a second: four seconds of rest
	pump.Reload()
	expect(t, p.page, "load", "tick")
	figure.Store(2)
	beats <- time.Time{}
	expect(t, p.page, "tick")
	now.Add(int64(4 * time.Second))
	beats <- time.Time{}
	expect(t, p.page, "load", "tick") // the change is not forgotten
}
