// Package metertest is the conformance suite of the meter: the same cases run on every store.
package metertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"perdiem/meter"
)

// T is what a case asks of its test, or of one try of a property.
type T interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Open opens a fresh, empty store for one test and closes it at the test's end.
type Open func(t T) meter.Store

// Run runs every case on stores that open makes.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *Books){
		"the first to write a setting once decides": testSettings,
		"an object is its maker's":                  testObjects,
		"people and passes":                         testPeople,
		"a pass opens until revoked or expired":     testPasses,
		"a join code gives one pass, once":          testJoin,
		"room for ten admits ten of two hundred":    testParallel,
		"a ceiling is shared across models":         testSharedCeiling,
		"limits are looked up in order":             testLookupOrder,
		"a limit counts from the next request":      testLimitEdit,
		"every edit of the team is seen by others":  testTeamEditions,
		"a team that goes back is seen":             testTeamGoesBack,
		"a grant admits for today":                  testGrant,
		"a reply is cut to the room left":           testCut,
		"a refusal names the first budget":          testRefusalOrder,
		"a purse limits money":                      testPurse,
		"the key with the most room serves":         testKeys,
		"a lost key's room goes to the next":        testLastRoomOfAKey,
		"credit pays when the day is out":           testCredit,
		"a hold moves to another key or model":      testMove,
		"a budget tells 50, 80 and 100 once a day":  testAlerts,
		"what is old is pruned, and usage stays":    testPrune,
		"one key gives one record and one charge":   testIdempotency,
		"a dead request frees its key":              testIdempotencyExpiry,
		"guests are held to their ceilings":         testGuests,
		"every end ends a hold once":                testEnds,
		"a move whose answer is lost stands":        testLostMove,
		"the worst case can be given back":          testGiveBack,
		"an expired hold books what was observed":   testExpiry,
		"a settle after expiry books the rest":      testLateSettle,
		"a hold settles on its own day":             testMidnight,
		"recover ends what dead gateways left":      testRecover,
		"verify finds a row that was tampered with": testVerify,
		"rates slide over the minute":               testRates,
		"rates slide in a shared store":             testSharedRates,
		"rates outlive a restart":                   testRatesAcrossARestart,
		"refusals are logged with their figures":    testRefusalLog,
		"the day divides into hours":                testHours,
		"reports add up days, people and models":    testReports,
		"how requests ended is told in order":       testActivity,
		"the books hold under any sequence":         testProperties,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newBooks(t, open))
		})
	}
}

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

// Noon is when every test begins.
var Noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// Books is a meter on a fresh store with a clock to turn.
type Books struct {
	*meter.Meter
	Store meter.Store
	Clock *Clock
	t     T
	open  Open
}

func newBooks(t T, open Open) *Books {
	clock := &Clock{at: Noon}
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
