package metertest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"perdiem/meter"
)

// Clock is a clock that stands until it is moved.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now tells the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Set moves the clock, forth or back.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = t
}

// Add moves the clock on.
func (c *Clock) Add(d time.Duration) { c.Set(c.Now().Add(d)) }

// noon is when every test begins.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// Books is a meter on a fresh store with a clock to turn.
type Books struct {
	*meter.Meter
	Store meter.Store
	Clock *Clock
	t     T
	open  Open
}

func newBooks(t T, open Open) *Books {
	clock := &Clock{at: noon}
	store := open(t)
	b := &Books{Store: store, Clock: clock, t: t, open: open, Meter: meter.New(store, meter.Options{Now: clock.Now, Gateway: "this"})}
	t.Cleanup(b.mustVerify)
	return b
}

// another is a second meter on the same store, as another gateway process would have.
func (b *Books) another(gateway string) *meter.Meter {
	return meter.New(b.Store, meter.Options{Now: b.Clock.Now, Gateway: gateway})
}

func (b *Books) mustVerify() {
	report, err := b.Verify(context.Background())
	if err != nil {
		b.t.Errorf("verify: %v", err)
	} else if !report.Clean() && !b.t.Failed() {
		b.t.Errorf("the books are wrong: %+v", report)
	}
}

const model = "acme/gauge"

func n(v int64) *int64 { return &v }

// person adds a teammate with an allowance of their own.
func (b *Books) person(name string, requests, tokens *int64) meter.Person {
	b.t.Helper()
	p, err := b.AddPerson(context.Background(), name, "")
	if err != nil {
		b.t.Fatal(err)
	}
	b.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model, requests, tokens)
	return p
}

func (b *Books) allow(h meter.Holder, model string, requests, tokens *int64) {
	b.t.Helper()
	err := b.SetAllowance(context.Background(), meter.Allowance{Holder: h, Model: model, Limits: meter.Limits{Requests: requests, Tokens: tokens}})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *Books) reserve(p meter.Person, model string, input, output int64) (meter.Hold, error) {
	return b.Reserve(context.Background(), meter.Request{
		ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: output, Counts: meter.CountTotal,
	})
}

func (b *Books) mustReserve(p meter.Person, model string, input, output int64) meter.Hold {
	b.t.Helper()
	h, err := b.reserve(p, model, input, output)
	if err != nil {
		b.t.Fatalf("reserve %d+%d: %v", input, output, err)
	}
	return h
}

func (b *Books) settle(h meter.Hold, input, output int64) {
	b.t.Helper()
	if err := b.Settle(context.Background(), h.ID, meter.Usage{Input: input, Output: output}, meter.Reported); err != nil {
		b.t.Fatalf("settle: %v", err)
	}
}

// settleHeld books the worst case: what the hold had reserved.
func (b *Books) settleHeld(h meter.Hold) error {
	return b.Settle(context.Background(), h.ID, meter.Usage{Input: h.Input, Output: h.Output}, meter.Held)
}

func (b *Books) standing(p meter.Person, model string) meter.Standing {
	b.t.Helper()
	s, err := standingIn(b.Meter, p, model)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func standingIn(m *meter.Meter, p meter.Person, model string) (meter.Standing, error) {
	all, err := m.Standings(context.Background(), []meter.Person{p}, []string{model})
	if err != nil {
		return meter.Standing{}, err
	}
	return all[0], nil
}

// guard is Guard by the team of this moment.
func guard(m *meter.Meter, p meter.Person, network string, images int64) error {
	team, err := m.Team(context.Background())
	if err != nil {
		return err
	}
	return m.Guard(context.Background(), team, p, network, images)
}

// wantStanding compares the figures that matter to most cases.
func (b *Books) wantStanding(p meter.Person, model string, requests, heldRequests, tokens, heldTokens int64) {
	b.t.Helper()
	s := b.standing(p, model)
	got := [4]int64{s.UsedRequests, s.HeldRequests, s.UsedTokens, s.HeldTokens}
	if want := [4]int64{requests, heldRequests, tokens, heldTokens}; got != want {
		b.t.Errorf("used, held requests and used, held tokens are %v, want %v", got, want)
	}
}

// wantRefusal fails the test unless err is a refusal with the reason.
func wantRefusal(t *testing.T, err error, reason meter.Reason) {
	t.Helper()
	_ = refusalIn(t, err, reason)
}

// refusalIn finds the refusal with the reason in err.
func refusalIn(t *testing.T, err error, reason meter.Reason) *meter.Refusal {
	t.Helper()
	var no *meter.Refusal
	if !errors.As(err, &no) {
		t.Fatalf("got %v, want the refusal %s", err, reason)
	}
	if no.Reason != reason {
		t.Fatalf("refused with %s (%v), want %s", no.Reason, no, reason)
	}
	return no
}

func inParallel(callers int, call func(i int)) {
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { call(i) })
	}
	all.Wait()
}

func must(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
