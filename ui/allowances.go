package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// gridDesk is what the page of allowances writes.
type gridDesk interface {
	live.GridDesk
	AddTier(ctx context.Context, name string) error
	Grant(ctx context.Context, personID, model string, requests, tokens int64) error
}

// allowances is who may use what: the grid, and below it the cell in focus in full.
type allowances struct {
	d       *Desk
	body    fyne.CanvasObject
	grid    *grid
	unit    *choice
	search  *entry
	empty   *either
	found   *either       // what the search leaves, or that it leaves nothing
	name    *text         // the cell in focus
	words   *widget.Label // its figures in full, or what is wrong with what was typed
	edit    *widget.Button
	inherit *widget.Button
	grant   *widget.Button
	several *widget.Button
	undo    *widget.Button
	done    []live.Edits // what may be undone, the latest last
	whole   live.Grid
	data    live.Grid // what the search leaves of it
}

// undoable is how many edits can be undone.
const undoable = 50

func newAllowances(d *Desk) *allowances {
	a := &allowances{d: d, grid: newGrid(), search: newEntry("Find a person, tier or model"), name: newText("").clipped(), words: widget.NewLabel("")}
	a.name.bold = true
	a.grid.focused = a.explain
	a.grid.wrong = a.wrong
	a.grid.save = a.save
	a.unit = newChoice(a.redraw, "Tokens", "Requests", "Money")
	a.search.OnChanged = func(string) { a.redraw() }
	a.search.OnSubmitted = func(string) { a.toGrid() }
	a.search.move = func(int) { a.toGrid() }
	a.search.escape = func() { a.search.SetText("") }
	a.edit = widget.NewButton("Edit", func() { a.grid.edit("") })
	a.inherit = widget.NewButton("Inherit", func() { a.save(a.grid.at.Row, a.grid.at.Col, nil, true) })
	a.grant = widget.NewButton("Grant for today", a.askGrant)
	a.several = widget.NewButton("Set several …", a.askSeveral)
	a.undo = widget.NewButtonWithIcon("Undo", theme.ContentUndoIcon(), a.takeBack)
	a.undo.Disable()
	tier := widget.NewButtonWithIcon("Add a tier", theme.ContentAddIcon(), a.add)
	foot := container.NewStack(newGround(colorPanel, gap), inset(container.NewBorder(nil, nil, nil,
		container.NewVBox(line(gap, a.edit, a.inherit, a.grant, a.several)),
		stack(gap, a.name, sized(paragraph(a.words), 0, 36))), gap, edge, gap, edge))
	a.grid.fitted = func(row float32) {
		a.name.Hidden = row < denseRow // the room goes to the rows; the words begin with the name then
		a.body.Refresh()
	}
	head := across(heading("Allowances"), sized(a.search, 240, 0), a.undo, a.unit.content, tier)
	a.found = newEither(a.grid.content, quietWords("No person, tier or model is called that."))
	first := widget.NewButton("Add a provider", func() { d.goTo(pageModels); d.inView().add() })
	a.empty = newEither(container.NewStack(newGround(colorPanel, gap), inset(a.found.content, gap, gap, gap, gap)), panel(emptyState(gaugeIcon, "No models yet",
		"Allowances say how much each person may use of each model in a day. Add a provider and import its models first.", first)))
	a.empty.show(false)
	a.body = container.NewBorder(inset(head, 0, 0, edge, 0), inset(foot, gap, 0, 0, 0), nil, nil, a.empty.content)
	a.explain()
	return a
}

func (a *allowances) title() string              { return "Allowances" }
func (a *allowances) icon() fyne.Resource        { return gaugeIcon }
func (a *allowances) content() fyne.CanvasObject { return a.body }
func (a *allowances) find()                      { a.d.window.Canvas().Focus(a.search) }
func (a *allowances) tick(time.Time) func()      { return nil }

func (a *allowances) chosenUnit() live.Unit {
	return live.Unit(a.unit.chosen)
}

func (a *allowances) load(ctx context.Context) (func(), error) {
	models, err := live.ModelIDs(ctx, a.d.services.Registry)
	if err != nil {
		return nil, err
	}
	data, err := live.ReadGrid(ctx, a.d.services.Meter, models)
	return func() { a.show(data) }, err
}

func (a *allowances) show(data live.Grid) {
	a.whole = data
	a.empty.show(len(data.Models) > 1)
	a.redraw()
}

// redraw shows what the search leaves, in the chosen unit.
func (a *allowances) redraw() {
	a.data = a.whole.Matching(a.search.Text)
	a.found.show(len(a.data.Rows) > 0)
	a.grid.set(a.data, a.chosenUnit())
	if !a.grid.editing {
		a.explain()
	}
}

// toGrid goes on from the search to what it found.
func (a *allowances) toGrid() {
	if len(a.data.Rows) > 0 {
		a.d.window.Canvas().Focus(a.grid)
		a.grid.move(0, 0)
	}
}

// focus is the cell in focus, if there is one.
func (a *allowances) focus() (row live.GridRow, model string, cell live.Cell, ok bool) {
	at := a.grid.at
	if !a.grid.chosen || at.Row >= len(a.data.Rows) || at.Col >= len(a.data.Models) {
		return row, "", cell, false
	}
	return a.data.Rows[at.Row], a.data.Models[at.Col], a.data.Cells[at.Row][at.Col], true
}

// explain writes the cell in focus in full.
func (a *allowances) explain() {
	row, model, cell, ok := a.focus()
	a.words.Importance = widget.MediumImportance
	for _, b := range []*widget.Button{a.edit, a.inherit, a.grant, a.several} {
		b.Disable()
	}
	if !ok {
		a.name.say("Choose a cell")
		a.words.SetText("Arrows move. Enter or a figure begins an edit, Enter saves it, Escape leaves it. Bold is set here; quiet is inherited. A change is in effect on the next request.")
		return
	}
	unit := a.chosenUnit()
	if cell.Editable(unit) {
		a.edit.Enable()
	}
	a.several.Enable()
	if cell.SetHere(unit) {
		a.inherit.Enable()
	}
	if cell.Measured && unit != live.Money {
		a.grant.Enable()
	}
	name := model
	if model == meter.AnyModel {
		name = "any model"
	}
	if unit == live.Money {
		name = "all models"
		if cell.Purse == nil {
			name = model
		}
	}
	a.name.say(row.Name + " on " + name)
	words := cellWords(cell)
	if unit == live.Money {
		words = moneyWords(cell)
	}
	if a.name.Hidden {
		words = a.name.value + ": " + words
	}
	a.words.SetText(words + a.data.Origin(a.grid.at.Row, a.grid.at.Col, unit))
}

// moneyWords writes a cell's money in full.
func moneyWords(c live.Cell) string {
	if c.Purse == nil {
		return meter.Dollars(c.CostMicroUSD) + " today. "
	}
	b := c.Purse.Budget
	switch {
	case !c.Purse.Measured && b.Max == nil:
		return "Money a day: no limit. "
	case !c.Purse.Measured:
		return "Money a day: " + meter.Dollars(*b.Max) + ". "
	case b.Max == nil:
		return meter.Dollars(b.Used) + " today, no limit. "
	}
	words := meter.Dollars(b.Used) + " of " + meter.Dollars(*b.Max) + " today"
	if b.Held > 0 {
		words += ", " + meter.Dollars(b.Held) + " more held"
	}
	return words + ". "
}

// cellWords writes both units of a cell in full.
func cellWords(c live.Cell) string {
	if !c.Measured {
		return fmt.Sprintf("Tokens a day: %s. Requests a day: %s. ", live.Limit(c.Limits.Tokens), live.Limit(c.Limits.Requests))
	}
	one := func(b live.Budget, unit string, granted int64) string {
		s := b.Words() + " " + unit
		switch b.Level() {
		case live.NotAllowed:
			s = unit + " not allowed"
		case live.Unlimited:
			s = meter.Group(b.Used) + " " + unit + ", no limit"
		}
		if b.Held > 0 {
			s += ", " + meter.Group(b.Held) + " more held"
		}
		if granted > 0 {
			s += ", " + meter.Group(granted) + " of it granted for today"
		}
		return s
	}
	if c.Tokens.Level() == live.NotAllowed && c.Requests.Level() == live.NotAllowed {
		return "Not allowed. "
	}
	return one(c.Tokens, "tokens", c.GrantedTokens) + "; " + one(c.Requests, "requests", c.GrantedRequests) + ". "
}

// wrong says that what was typed is no limit.
func (a *allowances) wrong(err error) {
	if err == nil {
		a.explain()
		return
	}
	a.words.Importance = widget.DangerImportance
	a.words.SetText("Not a limit: " + err.Error() + ".")
}

func (a *allowances) save(row, col int, limit *int64, inherit bool) {
	a.apply(live.Edits{{Holder: a.data.Rows[row].Holder, Model: a.data.Models[col], Before: a.data.Cells[row][col],
		Unit: a.chosenUnit(), Limit: limit, Inherit: inherit}})
}

func (a *allowances) askGrant() {
	row, model, _, ok := a.focus()
	if !ok {
		return
	}
	unit := a.chosenUnit()
	figure := newEntry("10,000")
	a.d.openSheet("Grant for today", labelled("More "+unit.String()+" for "+row.Name+" on "+model+", until 00:00 UTC", figure), action{
		label: "Grant", limit: quick,
		check: func() (func(context.Context) error, error) {
			n, _, err := live.ParseLimit(figure.Text)
			if err != nil || n == nil || *n == 0 {
				return nil, errGrant
			}
			tokens, requests := *n, int64(0)
			if unit == live.Requests {
				tokens, requests = 0, *n
			}
			return func(ctx context.Context) error {
				return a.d.services.Meter.Grant(ctx, row.Holder.ID, model, requests, tokens)
			}, nil
		},
	}, figure)
}

func (a *allowances) add() {
	name := newEntry("Name")
	a.d.openSheet("Add a tier", labelled("A tier is a set of allowances that people belong to", name), action{
		label: "Add", limit: quick,
		check: func() (func(context.Context) error, error) {
			called := name.Text
			return func(ctx context.Context) error { return a.d.services.Meter.AddTier(ctx, called) }, nil
		},
	}, name)
}

var errGrant = errors.New("type how much more, such as 10,000")
