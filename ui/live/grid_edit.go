package live

import (
	"context"
	"errors"
	"slices"

	"perdiem/meter"
)

// GridDesk is what an edit of the grid writes.
type GridDesk interface {
	PurseDesk
	SetAllowance(ctx context.Context, a meter.Allowance) error
	RemoveAllowance(ctx context.Context, h meter.Holder, model string) error
}

// Edit is what the owner typed into a cell: nothing to inherit, else a limit in one unit.
type Edit struct {
	Holder  meter.Holder
	Model   string
	Before  Cell
	Unit    Unit
	Limit   *int64
	Inherit bool
}

// Apply writes the edit; it is in effect on the next request.
//
// The first row found decides both units, so a row that is set here takes over the other unit's limit as it was
// inherited: limiting tokens must not lift a limit on requests. The exception is a "not allowed" there, which would make
// the new limit worth nothing.
func (e Edit) Apply(ctx context.Context, desk GridDesk) error {
	if e.Unit == Money {
		return e.applyPurse(ctx, desk)
	}
	if e.Inherit {
		if !e.Before.Own {
			return nil
		}
		return gone(desk.RemoveAllowance(ctx, e.Holder, e.Model))
	}
	limits := e.Before.Limits
	this, other := &limits.Tokens, &limits.Requests
	if e.Unit == Requests {
		this, other = other, this
	}
	*this = e.Limit
	allows := e.Limit == nil || *e.Limit > 0
	if *other != nil && **other == 0 && allows {
		*other = nil
	}
	return desk.SetAllowance(ctx, meter.Allowance{Holder: e.Holder, Model: e.Model, Limits: limits})
}

// Undo puts back what stood before the edit.
func (e Edit) Undo(ctx context.Context, desk GridDesk) error {
	switch {
	case e.Unit == Money && e.Before.Purse != nil && e.Before.Purse.Own:
		return desk.SetPurse(ctx, meter.Purse{Holder: e.Holder, CostMicroUSD: e.Before.Purse.Budget.Max})
	case e.Unit == Money:
		return gone(desk.RemovePurse(ctx, e.Holder))
	case e.Before.Own:
		return desk.SetAllowance(ctx, meter.Allowance{Holder: e.Holder, Model: e.Model, Limits: e.Before.Limits})
	}
	return gone(desk.RemoveAllowance(ctx, e.Holder, e.Model))
}

// gone takes it as done that what was to be removed is not there.
func gone(err error) error {
	if errors.Is(err, meter.ErrNotFound) {
		return nil
	}
	return err
}

// Edits are edits made at once, and undone at once.
type Edits []Edit

// Apply writes them all, or as many as it could: how many tells.
func (es Edits) Apply(ctx context.Context, desk GridDesk) (done int, err error) {
	for i, e := range es {
		if err := e.Apply(ctx, desk); err != nil {
			return i, err
		}
	}
	return len(es), nil
}

// Undo puts back what stood before, the last first.
func (es Edits) Undo(ctx context.Context, desk GridDesk) error {
	for _, e := range slices.Backward(es) {
		if err := e.Undo(ctx, desk); err != nil {
			return err
		}
	}
	return nil
}

// Range is which cells are set at once.
type Range int

// The ranges, from a cell in focus.
const (
	WholeRow    Range = iota // this holder, each model
	WholeColumn              // each person, this model
	TierColumn               // each person of the tier, this model
	TierBlock                // each person of the tier, each model
)

// Spread are the edits that set a limit in a whole range around a cell. Tier is whom the tier's ranges are for.
func (g Grid) Spread(r Range, row, col int, tier string, unit Unit, limit *int64, inherit bool) Edits {
	var all Edits
	if unit == Money {
		col = 0 // a purse is across models
	}
	for i, h := range g.Rows {
		person := h.Holder.Kind == meter.ForPerson
		for j, model := range g.Models {
			in := false
			switch r {
			case WholeRow:
				in = i == row && (j > 0 || unit == Money)
			case WholeColumn:
				in = person && j == col
			case TierColumn:
				in = person && h.Tier == tier && j == col
			case TierBlock:
				in = person && h.Tier == tier && (j > 0 || unit == Money)
			}
			if in && g.Cells[i][j].Editable(unit) {
				all = append(all, Edit{Holder: h.Holder, Model: model, Before: g.Cells[i][j], Unit: unit, Limit: limit, Inherit: inherit})
			}
		}
	}
	return all
}
