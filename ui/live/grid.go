package live

import (
	"context"
	"slices"

	"perdiem/meter"
)

// GridBooks is what the grid of allowances reads.
type GridBooks interface {
	People(ctx context.Context) ([]meter.Person, error)
	Tiers(ctx context.Context) ([]string, error)
	Allowances(ctx context.Context) ([]meter.Allowance, error)
	Standings(ctx context.Context, people []meter.Person, models []string) ([]meter.Standing, error)
	PurseBooks
}

// Unit is what a daily limit counts.
type Unit int

// The units: what an allowance limits, and what a purse does.
const (
	Tokens Unit = iota
	Requests
	Money // micro-dollars
)

func (u Unit) String() string { return [...]string{"tokens", "requests", "money"}[u] }

// Grid is who may use what: everyone, the tiers and the people, by any model and each model.
type Grid struct {
	Rows   []GridRow
	Models []string // meter.AnyModel first
	Cells  [][]Cell // by row, then by model
}

// GridRow is whom a row of the grid is for.
type GridRow struct {
	Holder meter.Holder
	Name   string
	Note   string // a person's tier, or what the row is
	Tier   string // a person's
	Muted  bool   // suspended
}

// Cell is one holder's allowance on one model.
type Cell struct {
	Own    bool         // set in this very cell; else inherited
	From   meter.Source // the row that decides; zero if none does
	Limits meter.Limits // for the day, without grants
	// Of a person on a model: how the day stands, grants included.
	Measured        bool
	Tokens          Budget
	Requests        Budget
	GrantedTokens   int64
	GrantedRequests int64
	Purse           *Purse // in the column of any model: a purse is across models
	CostMicroUSD    int64  // on this model, today
}

// Shows tells whether the cell has a day of its own in a unit, with a bar.
func (c Cell) Shows(u Unit) bool {
	if u == Money {
		return c.Purse != nil && c.Purse.Measured
	}
	return c.Measured
}

// Editable tells whether a limit in this unit can be set here.
func (c Cell) Editable(u Unit) bool { return u != Money || c.Purse != nil }

// SetHere tells whether the limit in a unit is set in this very cell; else it is inherited.
func (c Cell) SetHere(u Unit) bool {
	if u == Money {
		return c.Purse != nil && c.Purse.Own
	}
	return c.Own
}

// Budget is the cell's budget in a unit. A zero in the other unit is "not allowed" all the same.
func (c Cell) Budget(u Unit) Budget {
	if u == Money {
		if c.Purse == nil {
			return Budget{Used: c.CostMicroUSD}
		}
		return c.Purse.Budget
	}
	this, other := c.Tokens, c.Requests
	if u == Requests {
		this, other = other, this
	}
	if other.Level() == NotAllowed {
		this.Max = other.Max
	}
	return this
}

// Blocked is the unit that stands in the way although u does not: its own budget is spent.
func (c Cell) Blocked(u Unit) (by Unit, blocked bool) {
	if u == Money {
		return u, false
	}
	by = Requests
	if u == Requests {
		by = Tokens
	}
	return by, c.Measured && c.Budget(by).Level() == Spent && c.Budget(u).Level() != Spent
}

// Limit is the cell's limit in a unit, without grants.
func (c Cell) Limit(u Unit) *int64 {
	switch {
	case u == Requests:
		return c.Limits.Requests
	case u == Tokens:
		return c.Limits.Tokens
	case c.Purse != nil:
		return c.Purse.Budget.Max
	}
	return nil
}

// ReadGrid reads the grid over the given models.
func ReadGrid(ctx context.Context, books GridBooks, models []string) (Grid, error) {
	people, err := books.People(ctx)
	if err != nil {
		return Grid{}, err
	}
	tiers, err := books.Tiers(ctx)
	if err != nil {
		return Grid{}, err
	}
	allowances, err := books.Allowances(ctx)
	if err != nil {
		return Grid{}, err
	}
	set := make(map[meter.Source]meter.Limits, len(allowances))
	for _, a := range allowances {
		set[meter.Source{Holder: a.Holder, Model: a.Model}] = a.Limits
		// An allowance on a model that is gone would otherwise lie in wait unseen.
		if a.Model != meter.AnyModel && !slices.Contains(models, a.Model) {
			models = append(slices.Clip(models), a.Model)
		}
	}
	g := Grid{Models: append([]string{meter.AnyModel}, models...)}
	g.addRow(GridRow{Holder: meter.Holder{Kind: meter.ForEveryone}, Name: "Everyone", Note: "default"}, set, "")
	for _, t := range tiers {
		g.addRow(GridRow{Holder: meter.Holder{Kind: meter.ForTier, ID: t}, Name: t, Note: "tier"}, set, "")
	}
	rowOf := make(map[string]int, len(people))
	for _, p := range people {
		rowOf[p.ID] = len(g.Rows)
		note := p.Tier
		if p.Suspended {
			note = "suspended"
		}
		g.addRow(GridRow{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Name: p.Name, Note: note, Tier: p.Tier, Muted: p.Suspended}, set, p.Tier)
	}
	if err = g.measure(ctx, books, people, models, rowOf); err != nil {
		return g, err
	}
	err = g.addPurses(ctx, books, people, rowOf)
	return g, err
}

// addRow adds a holder with what is set for them and what they inherit.
func (g *Grid) addRow(row GridRow, set map[meter.Source]meter.Limits, tier string) {
	cells := make([]Cell, len(g.Models))
	for i, model := range g.Models {
		cells[i] = decide(row.Holder, tier, model, set)
	}
	g.Rows, g.Cells = append(g.Rows, row), append(g.Cells, cells)
}

// decide finds the first row that decides, in the meter's own order of look-up. For a person on a model the meter's
// answer replaces this one, so the two cannot drift apart where it matters.
func decide(h meter.Holder, tier, model string, set map[meter.Source]meter.Limits) Cell {
	holders := []meter.Holder{h}
	if h.Kind == meter.ForPerson && tier != "" {
		holders = append(holders, meter.Holder{Kind: meter.ForTier, ID: tier})
	}
	if h.Kind != meter.ForEveryone {
		holders = append(holders, meter.Holder{Kind: meter.ForEveryone})
	}
	for _, holder := range holders {
		for _, m := range []string{model, meter.AnyModel} {
			source := meter.Source{Holder: holder, Model: m}
			if limits, ok := set[source]; ok {
				return Cell{Own: holder == h && m == model, From: source, Limits: limits,
					Tokens: Budget{Max: limits.Tokens}, Requests: Budget{Max: limits.Requests}}
			}
		}
	}
	none := Cell{Limits: meter.Limits{Tokens: new(int64), Requests: new(int64)}}
	none.Tokens.Max, none.Requests.Max = none.Limits.Tokens, none.Limits.Requests
	return none
}

// measure fills in how the day stands for each person on each model.
func (g *Grid) measure(ctx context.Context, books GridBooks, people []meter.Person, models []string, rowOf map[string]int) error {
	if len(people) == 0 || len(models) == 0 {
		return nil
	}
	standings, err := books.Standings(ctx, people, models)
	if err != nil {
		return err
	}
	column := make(map[string]int, len(g.Models))
	for i, m := range g.Models {
		column[m] = i
	}
	for _, s := range standings {
		row, known := rowOf[s.PersonID]
		col, listed := column[s.Model]
		if !known || !listed {
			continue // added while this was read; the next reading has it
		}
		c := &g.Cells[row][col]
		c.From, c.Measured = s.From, true
		c.Own = s.From == meter.Source{Holder: g.Rows[row].Holder, Model: s.Model}
		c.Tokens = Budget{s.UsedTokens, s.HeldTokens, s.MaxTokens}
		c.Requests = Budget{s.UsedRequests, s.HeldRequests, s.MaxRequests}
		c.GrantedTokens, c.GrantedRequests = s.GrantedTokens, s.GrantedRequests
		c.CostMicroUSD = s.CostMicroUSD
	}
	return nil
}

// Origin says in words where a cell's limits come from.
func (g Grid) Origin(row, col int, u Unit) string {
	c := g.Cells[row][col]
	if u == Money {
		return c.Purse.origin()
	}
	switch {
	case c.From == meter.Source{}:
		return "Nothing is set, so this is not allowed."
	case c.Own:
		return "Set here."
	}
	words := "Inherited from everyone"
	switch {
	case c.From.Holder == g.Rows[row].Holder:
		words = "Inherited from this row"
	case c.From.Holder.Kind == meter.ForTier:
		words = "Inherited from the tier " + c.From.Holder.ID
	}
	if c.From.Model == meter.AnyModel {
		words += ", any model"
	}
	return words + "."
}
