package live

import (
	"context"

	"perdiem/meter"
	"perdiem/providers"
)

// GuideBooks is what tells how far a first run has come.
type GuideBooks interface {
	People(ctx context.Context) ([]meter.Person, error)
	Allowances(ctx context.Context) ([]meter.Allowance, error)
	Ends(ctx context.Context, before int64, limit int) ([]meter.End, error)
}

// Step is one thing to do before a team can work.
type Step int

// The steps, in order; Ready is after the last.
const (
	AddProvider Step = iota
	ImportModel
	AddPerson
	Allow
	MakeCall
	Ready
)

// Guide is which steps of a first run are done.
type Guide struct {
	Done [Ready]bool
}

// Next is the first step that is not done.
func (g Guide) Next() Step {
	for i, done := range g.Done {
		if !done {
			return Step(i)
		}
	}
	return Ready
}

// ReadGuide tells how far a first run has come.
func ReadGuide(ctx context.Context, books GuideBooks, shelf interface {
	Providers(ctx context.Context) ([]providers.Provider, error)
	Models(ctx context.Context) ([]providers.Model, error)
}) (Guide, error) {
	var g Guide
	found, err := shelf.Providers(ctx)
	if err != nil {
		return g, err
	}
	models, err := shelf.Models(ctx)
	if err != nil {
		return g, err
	}
	people, err := books.People(ctx)
	if err != nil {
		return g, err
	}
	allowances, err := books.Allowances(ctx)
	if err != nil {
		return g, err
	}
	ends, err := books.Ends(ctx, 0, 1)
	if err != nil {
		return g, err
	}
	g.Done = [Ready]bool{len(found) > 0, len(models) > 0, len(people) > 0, len(allowances) > 0, len(ends) > 0}
	return g, nil
}
