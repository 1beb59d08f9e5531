package live

import (
	"context"
	"slices"

	"perdiem/meter"
)

// PeopleBooks is what the page of people reads.
type PeopleBooks interface {
	People(ctx context.Context) ([]meter.Person, error)
	Tiers(ctx context.Context) ([]string, error)
	Passes(ctx context.Context, personID string) ([]meter.Pass, error)
	Standings(ctx context.Context, people []meter.Person, models []string) ([]meter.Standing, error)
	Credit(ctx context.Context, personID string) (meter.Credit, error)
}

// Person is a teammate with what they used today.
type Person struct {
	meter.Person
	Requests, Tokens, CostMicroUSD int64
}

// People is the team, and the passes and credit of the one person in focus.
type People struct {
	All    []Person
	Tiers  []string
	Passes []meter.Pass
	Credit meter.Credit // of the person in focus
}

// TryLabel is the label of the passes that live only as long as a call of the owner's own; nobody needs to see them after.
const TryLabel = "Try it"

// ReadPeople reads the team with today's use over models, and the passes of the person in focus ("" for none).
func ReadPeople(ctx context.Context, books PeopleBooks, models []string, focus string) (People, error) {
	var team People
	people, err := books.People(ctx)
	if err != nil {
		return team, err
	}
	at := map[string]int{}
	for i, p := range people {
		at[p.ID] = i
		team.All = append(team.All, Person{Person: p})
	}
	standings, err := books.Standings(ctx, people, models)
	if err != nil {
		return team, err
	}
	for _, s := range standings {
		if i, ok := at[s.PersonID]; ok && s.Model != meter.AnyModel {
			p := &team.All[i]
			p.Requests += s.UsedRequests
			p.Tokens += s.UsedTokens
			p.CostMicroUSD += s.CostMicroUSD
		}
	}
	if team.Tiers, err = books.Tiers(ctx); err != nil {
		return team, err
	}
	if _, ok := at[focus]; ok {
		if team.Passes, err = books.Passes(ctx, focus); err != nil {
			return team, err
		}
		team.Passes = slices.DeleteFunc(team.Passes, func(p meter.Pass) bool { return p.Label == TryLabel && p.RevokedAt != nil })
		team.Credit, err = books.Credit(ctx, focus)
	}
	return team, err
}

// Matching are the people whose name or tier has the words looked for, in any case.
func (p People) Matching(words string) []Person {
	return Matching(p.All, words, func(one Person) string { return one.Name + " " + one.Tier })
}
