package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// ceilingDesk writes ceilings.
type ceilingDesk interface {
	SetCeiling(ctx context.Context, c meter.Ceiling) error
	RemoveCeiling(ctx context.Context, guests bool, model string) error
}

const everything = "Everything together"

// ceilingForm is the fields of a ceiling.
type ceilingForm struct {
	content                *fyne.Container
	fixed                  *meter.Ceiling // it is this one that is changed
	whose                  *choice
	model                  *widget.Select
	requests, tokens, cost *entry
}

func newCeilingForm(models []string) *ceilingForm {
	f := &ceilingForm{whose: newChoice(func() {}, "The whole team", "All guests together"),
		model: widget.NewSelect(append([]string{everything}, models...), nil), requests: newEntry("no limit"), tokens: newEntry("no limit"), cost: newEntry("no limit")}
	f.model.SetSelected(everything)
	f.content = stack(edge,
		labelled("For", line(0, f.whose.content)), labelled("On", f.model),
		container.New(shares{1, 1, 1}, labelled("Requests a day", f.requests), labelled("Tokens a day", f.tokens), labelled("Dollars a day", f.cost)))
	return f
}

// fill shows the limits of a ceiling that is there; whose it is and on what stays as it is, and is told in the title.
func (f *ceilingForm) fill(c meter.Ceiling) {
	f.fixed = &c
	for _, o := range f.content.Objects[:2] {
		o.Hide()
	}
	show := func(e *entry, text string, limit *int64) {
		if limit != nil {
			e.SetText(text)
		}
	}
	show(f.requests, live.Tokens.Text(c.Caps.Requests), c.Caps.Requests)
	show(f.tokens, live.Tokens.Text(c.Caps.Tokens), c.Caps.Tokens)
	show(f.cost, live.MoneyText(c.Caps.CostMicroUSD), c.Caps.CostMicroUSD)
}

// read is the ceiling as the fields have it; an empty field is no limit.
func (f *ceilingForm) read() (c meter.Ceiling, err error) {
	c = meter.Ceiling{Guests: f.whose.chosen == 1, Model: f.model.Selected}
	if c.Model == everything {
		c.Model = meter.AnyModel
	}
	if f.fixed != nil {
		c = meter.Ceiling{Guests: f.fixed.Guests, Model: f.fixed.Model}
	}
	for _, one := range []struct {
		name  string
		text  string
		parse func(string) (*int64, bool, error)
		into  **int64
	}{{"Requests", f.requests.Text, live.ParseLimit, &c.Caps.Requests}, {"Tokens", f.tokens.Text, live.ParseLimit, &c.Caps.Tokens}, {"Dollars", f.cost.Text, live.ParseMoney, &c.Caps.CostMicroUSD}} {
		if *one.into, _, err = one.parse(one.text); err != nil {
			return c, errors.New(one.name + ": " + err.Error())
		}
	}
	if c.Caps == (meter.Caps{}) {
		return c, errors.New("set at least one limit: a ceiling without any would stop nothing")
	}
	return c, nil
}

// addCeiling asks for a new ceiling.
func (o *overview) addCeiling() {
	f := newCeilingForm(o.models)
	o.openCeiling("Add a ceiling", "Add", f)
}

// editCeiling shows a ceiling that is there, to change or remove it.
func (o *overview) editCeiling(c meter.Ceiling) {
	f := newCeilingForm(o.models)
	f.fill(c)
	s := o.openCeiling("Ceiling on "+live.CeilingName(c), "Save", f)
	remove := widget.NewButton("Remove the ceiling", func() {
		s.close()
		o.d.act("remove the ceiling", func(ctx context.Context) error { return o.d.services.Meter.RemoveCeiling(ctx, c.Guests, c.Model) })
	})
	f.content.Add(container.New(layout.NewCustomPaddedHBoxLayout(0), remove))
	s.refit()
}

func (o *overview) openCeiling(title, label string, f *ceilingForm) *sheet {
	o.form = f
	return o.d.openSheet(title, f.content, action{
		label: label, limit: quick,
		check: func() (func(context.Context) error, error) {
			c, err := f.read()
			return func(ctx context.Context) error { return o.d.services.Meter.SetCeiling(ctx, c) }, err
		},
	}, f.requests, f.tokens, f.cost)
}
