package live

import (
	"context"

	"perdiem/meter"
)

// PurseBooks is where purses stand.
type PurseBooks interface {
	Purses(ctx context.Context) ([]meter.Purse, error)
	PurseStanding(ctx context.Context, p meter.Person) (*meter.PurseStanding, error)
}

// PurseDesk writes purses.
type PurseDesk interface {
	SetPurse(ctx context.Context, p meter.Purse) error
	RemovePurse(ctx context.Context, h meter.Holder) error
}

// Purse is one holder's daily budget in money, across all models. Without one, money is not limited.
type Purse struct {
	Own      bool
	From     meter.Holder // whose purse it is; zero if there is none
	Measured bool         // a person's: the budget tells how the day stands
	Budget   Budget       // in micro-dollars
}

// addPurses fills in the purses, in the column of any model.
func (g *Grid) addPurses(ctx context.Context, books PurseBooks, people []meter.Person, rowOf map[string]int) error {
	purses, err := books.Purses(ctx)
	if err != nil {
		return err
	}
	set := make(map[meter.Holder]*int64, len(purses))
	for _, p := range purses {
		set[p.Holder] = p.CostMicroUSD
	}
	for i, row := range g.Rows {
		purse := &Purse{}
		for _, h := range []meter.Holder{row.Holder, {Kind: meter.ForTier, ID: row.Tier}, {Kind: meter.ForEveryone}} {
			if limit, ok := set[h]; ok {
				*purse = Purse{Own: h == row.Holder, From: h, Budget: Budget{Max: limit}}
				break
			}
		}
		g.Cells[i][0].Purse = purse
	}
	for _, p := range people {
		row := g.Cells[rowOf[p.ID]]
		purse := row[0].Purse
		purse.Measured = true
		var stands *meter.PurseStanding
		if purse.From != (meter.Holder{}) {
			if stands, err = books.PurseStanding(ctx, p); err != nil {
				return err
			}
		}
		if stands != nil { // what counts against the limit
			purse.Budget = Budget{stands.UsedMicroUSD, stands.HeldMicroUSD, stands.MaxMicroUSD}
			continue
		}
		for _, c := range row {
			purse.Budget.Used += c.CostMicroUSD
		}
	}
	return nil
}

// origin says in words where a purse's limit comes from.
func (p *Purse) origin() string {
	switch {
	case p == nil:
		return "Money is limited across all models, in the column “Any model”."
	case p.From == meter.Holder{}:
		return "Nothing is set, so money is not limited."
	case p.Own:
		return "Set here."
	case p.From.Kind == meter.ForTier:
		return "Inherited from the tier " + p.From.ID + "."
	}
	return "Inherited from everyone."
}

func (e Edit) applyPurse(ctx context.Context, desk PurseDesk) error {
	if e.Inherit {
		if e.Before.Purse == nil || !e.Before.Purse.Own {
			return nil
		}
		return gone(desk.RemovePurse(ctx, e.Holder))
	}
	return desk.SetPurse(ctx, meter.Purse{Holder: e.Holder, CostMicroUSD: e.Limit})
}

// Figure writes an amount in a unit, in full.
func (u Unit) Figure(n int64) string {
	if u == Money {
		return Cents(n)
	}
	return meter.Group(n)
}

// ShortFigure writes an amount in a unit where there is little room.
func (u Unit) ShortFigure(n int64) string {
	switch {
	case u != Money:
		return Short(n)
	case n < 100_000_000:
		return Cents(n)
	}
	return "$" + Short(n/1_000_000)
}

// Parse reads what a person types as a limit in a unit.
func (u Unit) Parse(text string) (limit *int64, inherit bool, err error) {
	if u == Money {
		return ParseMoney(text)
	}
	return ParseLimit(text)
}

// Text is a limit in a unit as one would type it.
func (u Unit) Text(limit *int64) string {
	switch {
	case u == Money:
		return MoneyText(limit)
	case limit == nil:
		return "none"
	}
	return meter.Group(*limit)
}
