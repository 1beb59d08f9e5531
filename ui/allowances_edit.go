package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// apply writes edits and remembers them, to be undone.
func (a *allowances) apply(edits live.Edits) {
	done := 0
	a.d.work(quick, func(ctx context.Context) (err error) {
		done, err = edits.Apply(ctx, a.d.services.Meter)
		return err
	}, func(err error) {
		a.remember(edits[:done])
		if err != nil {
			a.d.shell.tell(colorSpent, "Could not save the allowance: "+live.Plain(err))
		}
	})
}

func (a *allowances) remember(edits live.Edits) {
	if len(edits) == 0 {
		return
	}
	a.done = append(a.done, edits)
	if len(a.done) > undoable {
		a.done = a.done[1:]
	}
	a.undo.Enable()
}

// takeBack puts back what stood before the latest edit.
func (a *allowances) takeBack() {
	if len(a.done) == 0 {
		return
	}
	last := a.done[len(a.done)-1]
	a.done = a.done[:len(a.done)-1]
	if len(a.done) == 0 {
		a.undo.Disable()
	}
	a.d.work(quick, func(ctx context.Context) error { return last.Undo(ctx, a.d.services.Meter) }, func(err error) {
		if err != nil {
			a.d.shell.tell(colorSpent, "Could not undo: "+live.Plain(err))
			return
		}
		a.d.shell.tell(theme.ColorNamePrimary, undoneWords(last))
	})
}

func undoneWords(edits live.Edits) string {
	if len(edits) == 1 {
		return "Undone: the limit is as it was before."
	}
	return fmt.Sprintf("Undone: %d limits are as they were before.", len(edits))
}

// askSeveral asks for a limit for a whole row, column or tier around the cell in focus.
func (a *allowances) askSeveral() {
	row, model, _, ok := a.focus()
	if !ok {
		return
	}
	unit, data := a.chosenUnit(), a.whole // out of sight of the search, too: "each" means each
	i, j, ok := data.Find(row.Holder, model)
	if !ok {
		return
	}
	on := model
	switch {
	case unit == live.Money:
		on = "all models together"
	case model == meter.AnyModel:
		on = "any model"
	}
	type choice struct {
		name string
		of   live.Range
	}
	choices := []choice{{row.Name + ", each model", live.WholeRow}, {"Each person, on " + on, live.WholeColumn}}
	if row.Tier != "" {
		choices = append(choices, choice{"Each person of " + row.Tier + ", on " + on, live.TierColumn}, choice{"Each person of " + row.Tier + ", each model", live.TierBlock})
	}
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.name
	}
	which, figure, said := widget.NewSelect(names, nil), newEntry("10,000, none, or nothing to inherit"), caption("").clipped()
	edits := func(limit *int64, inherit bool) live.Edits {
		return data.Spread(choices[which.SelectedIndex()].of, i, j, row.Tier, unit, limit, inherit)
	}
	which.OnChanged = func(string) {
		said.say(fmt.Sprintf("Sets %s. Undo takes it back.", live.Many(int64(len(edits(nil, false))), "limit")))
	}
	which.SetSelectedIndex(0)
	a.d.openSheet("Set several limits", stack(edge, labelled("For", which), labelled(live.Sentence(unit.String())+" a day", figure), said), action{
		label: "Set", limit: quick,
		check: func() (func(context.Context) error, error) {
			limit, inherit, err := unit.Parse(figure.Text)
			if err != nil {
				return nil, err
			}
			all := edits(limit, inherit)
			return func(ctx context.Context) error {
				done, err := all.Apply(ctx, a.d.services.Meter)
				a.d.draw(func() { a.remember(all[:done]) })
				return err
			}, nil
		},
	}, figure)
}
