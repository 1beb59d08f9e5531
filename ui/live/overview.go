package live

import (
	"context"
	"time"

	"perdiem/meter"
)

// OverviewBooks is what the overview reads of the meter.
type OverviewBooks interface {
	Totals(ctx context.Context, day string) (meter.Totals, error)
	CeilingStandings(ctx context.Context) ([]meter.CeilingStanding, error)
	Refusals(ctx context.Context, f meter.RefusalFilter) ([]meter.Refusal, error)
	People(ctx context.Context) ([]meter.Person, error)
	WorstBooks
}

// Overview is today at a glance.
type Overview struct {
	Totals   meter.Totals
	Ceilings []Ceiling
	Refusals []Refusal
	Worst    []WorstCase
}

// Ceiling is one limit of one team ceiling.
type Ceiling struct {
	Of     meter.Ceiling // all its limits
	Name   string        // "Everything", a model's id, with "guests" where it binds them alone
	Budget Budget
	Words  string
}

// latest is how many refusals the overview shows; the rest have their own page.
const latest = 6

// ReadOverview reads today as it stands at now.
func ReadOverview(ctx context.Context, books OverviewBooks, now time.Time) (Overview, error) {
	var o Overview
	day := meter.Day(now)
	var err error
	if o.Totals, err = books.Totals(ctx, day); err != nil {
		return o, err
	}
	ceilings, err := books.CeilingStandings(ctx)
	if err != nil {
		return o, err
	}
	for _, c := range ceilings {
		o.Ceilings = append(o.Ceilings, ceilingLimits(c)...)
	}
	refusals, err := books.Refusals(ctx, meter.RefusalFilter{Limit: latest})
	if err != nil {
		return o, err
	}
	for _, r := range refusals {
		o.Refusals = append(o.Refusals, refusalOf(r))
	}
	people, err := books.People(ctx)
	if err != nil {
		return o, err
	}
	o.Worst, err = readWorst(ctx, books, day, people)
	return o, err
}

// ceilingLimits gives each limit of a ceiling a bar of its own.
func ceilingLimits(c meter.CeilingStanding) []Ceiling {
	name := CeilingName(c.Ceiling)
	var limits []Ceiling
	add := func(b Budget, words string) {
		if b.Max != nil {
			limits = append(limits, Ceiling{c.Ceiling, name, b, words})
		}
	}
	requests := Budget{c.Used.Requests, c.Held.Requests, c.Caps.Requests}
	tokens := Budget{c.Used.Tokens, c.Held.Tokens, c.Caps.Tokens}
	cost := Budget{c.Used.Cost, c.Held.Cost, c.Caps.CostMicroUSD}
	add(requests, requests.Words()+" requests")
	add(tokens, tokens.Words()+" tokens")
	if cost.Max != nil {
		add(cost, Cents(cost.Used)+" of "+Cents(*cost.Max))
	}
	return limits
}

// CeilingName says what a ceiling is on, and whom it binds where that is not everybody.
func CeilingName(c meter.Ceiling) string {
	name := c.Model
	if name == meter.AnyModel {
		name = "Everything"
	}
	if c.Guests {
		name += " (guests)"
	}
	return name
}

// Flight is one request that is running.
type Flight struct {
	Person, Model, Tool       string // a guest has no name
	Started                   time.Time
	InputTokens, OutputTokens int64 // counted so far
}
