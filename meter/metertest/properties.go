package metertest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"perdiem/meter"
)

// testProperties runs random sequences of verbs and checks after each that no hold took a budget
// above its limit, that nothing is negative, and that the books verify.
func testProperties(t *testing.T, b *Books) {
	rapid.Check(t, func(r *rapid.T) {
		m := newMachine(r, newBooks(r, b.open)) // a try leaves no store behind for the next
		r.Repeat(map[string]func(*rapid.T){
			"reserve":   m.reserve,
			"settle":    m.settle,
			"touch":     m.touch,
			"release":   m.release,
			"end again": m.endAgain,
			"grant":     m.grant,
			"credit":    m.credit,
			"move":      m.move,
			"limit":     m.limit,
			"restart":   m.restart,
			"wait":      m.wait,
			"":          m.check,
		})
	})
}

// machine is a team under random verbs.
type machine struct {
	*Books
	people      []meter.Person
	open, ended []meter.Hold
}

const teamTokens = 700

func newMachine(r *rapid.T, b *Books) *machine {
	m := &machine{Books: b, people: []meter.Person{b.person("Ada", n(5), n(500)), b.person("Bo", nil, n(300))}}
	must(r, b.SetCeiling(context.Background(), meter.Ceiling{Model: meter.AnyModel, Caps: meter.Caps{Tokens: n(teamTokens)}}))
	return m
}

func take(r *rapid.T, from []meter.Hold) meter.Hold {
	if len(from) == 0 {
		r.Skip("no hold")
	}
	return rapid.SampledFrom(from).Draw(r, "hold")
}

// takeOpen takes a hold out of those whose request still runs.
func (m *machine) takeOpen(r *rapid.T) meter.Hold {
	h := take(r, m.open)
	m.open = slices.DeleteFunc(m.open, func(o meter.Hold) bool { return o == h })
	m.ended = append(m.ended, h)
	return h
}

func (m *machine) reserve(r *rapid.T) {
	p := rapid.SampledFrom(m.people).Draw(r, "person")
	output := rapid.Int64Range(0, 300).Draw(r, "output")
	h, err := m.Reserve(context.Background(), meter.Request{
		ID: "r", PersonID: p.ID, Model: model, Input: rapid.Int64Range(0, 200).Draw(r, "input"),
		Output: output, MinOutput: rapid.Int64Range(0, output).Draw(r, "least"), Price: randomPrice, Keys: randomKeys,
	})
	if no := (*meter.Refusal)(nil); errors.As(err, &no) {
		return
	}
	must(r, err)
	m.open = append(m.open, h)
	m.checkRoom(r, p, h)
}

// checkRoom checks that a hold took no budget above its limit.
func (m *machine) checkRoom(r *rapid.T, p meter.Person, h meter.Hold) {
	s := m.standing(p, model)
	credit, err := m.Credit(context.Background(), p.ID)
	must(r, err)
	if h.Credit && credit.Balance() < 0 {
		r.Fatalf("%s: a hold made the credit %+v", p.Name, credit)
	}
	if !h.Credit && s.MaxRequests != nil && s.UsedRequests+s.HeldRequests > *s.MaxRequests {
		r.Fatalf("%s: a hold made it %d requests of %d", p.Name, s.UsedRequests+s.HeldRequests, *s.MaxRequests)
	}
	if !h.Credit && s.MaxTokens != nil && s.UsedTokens+s.HeldTokens > *s.MaxTokens {
		r.Fatalf("%s: a hold made it %d tokens of %d", p.Name, s.UsedTokens+s.HeldTokens, *s.MaxTokens)
	}
	totals, err := m.Totals(context.Background(), h.Day)
	must(r, err)
	if got := totals.Tokens + totals.HeldTokens; got > teamTokens {
		r.Fatalf("a hold made it %d tokens under a ceiling of %d", got, teamTokens)
	}
}

// settle may find its hold expired meanwhile, and may book more than was held.
func (m *machine) settle(r *rapid.T) {
	h := m.takeOpen(r)
	u := meter.Usage{Input: rapid.Int64Range(0, 400).Draw(r, "input"), Output: rapid.Int64Range(0, 400).Draw(r, "output")}
	must(r, m.Settle(context.Background(), h.ID, u, meter.Reported))
}

func (m *machine) touch(r *rapid.T) {
	h := take(r, m.open)
	_, err := m.Touch(context.Background(), h.ID, meter.Observed{
		Accepted: rapid.Bool().Draw(r, "accepted"), Input: h.Input, Output: rapid.Int64Range(0, 400).Draw(r, "so far"),
	})
	must(r, err)
}

func (m *machine) release(r *rapid.T) {
	must(r, m.Release(context.Background(), m.takeOpen(r).ID, "test"))
}

func (m *machine) endAgain(r *rapid.T) {
	h := take(r, m.ended)
	must(r, m.Release(context.Background(), h.ID, "again"))
}

func (m *machine) grant(r *rapid.T) {
	p := rapid.SampledFrom(m.people).Draw(r, "person")
	must(r, m.Grant(context.Background(), p.ID, model, rapid.Int64Range(0, 2).Draw(r, "requests"), rapid.Int64Range(1, 100).Draw(r, "tokens")))
}

var (
	randomPrice = &meter.Price{Input: 1_000_000, Cached: 100_000, Output: 2_000_000}
	randomKeys  = []meter.KeyBudget{{ID: "k1", Caps: meter.Caps{Tokens: n(400)}}, {ID: "k2", Caps: meter.Caps{Requests: n(3)}}, {ID: "k3"}}
)

func (m *machine) credit(r *rapid.T) {
	p := rapid.SampledFrom(m.people).Draw(r, "person")
	err := m.AddCredit(context.Background(), p.ID, rapid.Int64Range(-300, 1000).Filter(func(n int64) bool { return n != 0 }).Draw(r, "credit"), "test")
	if err != nil && !errors.Is(err, meter.ErrInvalid) { // more than there is cannot be taken out
		r.Fatal(err)
	}
}

func (m *machine) move(r *rapid.T) {
	h := take(r, m.open)
	output := rapid.Int64Range(0, 300).Draw(r, "output")
	moved, err := m.Move(context.Background(), h.ID, meter.Request{
		Model: model, Input: rapid.Int64Range(0, 200).Draw(r, "input"), Output: output, MinOutput: output, Price: randomPrice, Keys: randomKeys[1:],
	})
	if errors.As(err, new(*meter.Refusal)) || errors.Is(err, meter.ErrEnded) {
		return
	}
	must(r, err)
	if moved.Day != h.Day || moved.ID != h.ID {
		r.Fatalf("%+v moved to %+v", h, moved)
	}
	m.open[slices.Index(m.open, h)] = moved
}

func (m *machine) limit(r *rapid.T) {
	p := rapid.SampledFrom(m.people).Draw(r, "person")
	m.allow(meter.Holder{Kind: meter.ForPerson, ID: p.ID}, model,
		rapid.Ptr(rapid.Int64Range(0, 8), true).Draw(r, "requests"), rapid.Ptr(rapid.Int64Range(0, 600), true).Draw(r, "tokens"))
}

// restart loses every request that runs, as a crash does, and recovers as the next start does.
func (m *machine) restart(r *rapid.T) {
	m.Meter = m.another(rapid.StringMatching("[a-z]{8}").Draw(r, "gateway"))
	_, err := m.Recover(context.Background())
	must(r, err)
	m.ended, m.open = append(m.ended, m.open...), nil
}

func (m *machine) wait(r *rapid.T) {
	m.Clock.Add(time.Duration(rapid.IntRange(1, 90).Draw(r, "minutes")) * time.Minute)
}

func (m *machine) check(r *rapid.T) {
	report, err := m.Verify(context.Background())
	must(r, err)
	if !report.Clean() {
		r.Fatalf("the books are wrong: %+v", report)
	}
	if report.OpenHolds > len(m.open) {
		r.Fatalf("%d open holds for %d running requests", report.OpenHolds, len(m.open))
	}
	for _, p := range m.people {
		s := m.standing(p, model)
		if min(s.UsedRequests, s.HeldRequests, s.UsedTokens, s.HeldTokens, s.InputTokens, s.OutputTokens) < 0 {
			r.Fatalf("%s: something is negative: %+v", p.Name, s)
		}
	}
}
