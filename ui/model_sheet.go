package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/ui/live"
)

// modelForm is what the owner may change about a model. What the vendor says of it comes first; the owner's word wins.
type modelForm struct {
	content              *fyne.Container
	was                  providers.Model
	aliases              *entry
	context, reply       *entry
	input, output        *entry
	guests, ladder, drop *widget.Check
	fallback             *widget.Select
}

const noFallback = "None"

func newModelForm(was providers.Model, others []string) *modelForm {
	f := &modelForm{was: was, aliases: newEntry("fast, small"), context: newEntry("unknown"), reply: newEntry("unknown"), input: newEntry("unknown"), output: newEntry("unknown"),
		guests: widget.NewCheck("Open to guests, who have no pass (under a guests' ceiling)", nil),
		ladder: widget.NewCheck("At zero, step down rather than refuse: a smaller reply, then the fallback", nil),
		drop:   widget.NewCheck("The last step may leave older turns out", nil), fallback: widget.NewSelect(append([]string{noFallback}, others...), nil)}
	f.aliases.SetText(strings.Join(was.Aliases, ", "))
	known := func(e *entry, n int64) {
		if n > 0 {
			e.SetText(live.Tokens.Text(&n))
		}
	}
	known(f.context, was.Context)
	known(f.reply, was.MaxReply)
	if was.Price != nil {
		f.input.SetText(live.MoneyText(&was.Price.Input))
		f.output.SetText(live.MoneyText(&was.Price.Output))
	}
	f.guests.SetChecked(was.Guests)
	f.ladder.SetChecked(was.AtZero == providers.Ladder)
	f.drop.SetChecked(was.MayDropTurns)
	f.fallback.SetSelected(noFallback)
	if was.Fallback != "" {
		f.fallback.SetSelected(was.Fallback)
	}
	f.content = stack(edge, labelled("Further names that callers may use", f.aliases),
		container.New(shares{1, 1}, labelled("Context, tokens", f.context), labelled("Longest reply, tokens", f.reply)),
		container.New(shares{1, 1}, labelled("Dollars a million tokens in", f.input), labelled("Dollars a million tokens out", f.output)),
		container.NewVBox(f.guests, f.ladder, f.drop), labelled("Fallback, held on its own allowance", f.fallback))
	return f
}

// read is the model as the fields have it.
func (f *modelForm) read() (providers.Model, error) {
	m := f.was
	m.Aliases = live.Names(f.aliases.Text)
	m.Guests, m.MayDropTurns = f.guests.Checked, f.drop.Checked
	m.AtZero, m.Fallback = providers.Refuse, ""
	if f.ladder.Checked {
		m.AtZero = providers.Ladder
	}
	if f.fallback.Selected != noFallback {
		m.Fallback = f.fallback.Selected
	}
	for _, one := range []struct {
		name string
		text string
		into *int64
	}{{"Context", f.context.Text, &m.Context}, {"Longest reply", f.reply.Text, &m.MaxReply}} {
		n, _, err := live.ParseLimit(one.text)
		if err != nil {
			return m, fmt.Errorf("%s: type a number of tokens, or nothing where it is unknown", one.name)
		}
		*one.into = 0
		if n != nil {
			*one.into = *n
		}
	}
	if m.Context > 0 && m.MaxReply > m.Context {
		return m, fmt.Errorf("the longest reply is a part of the context: type %s tokens at most", meter.Group(m.Context))
	}
	in, unknownIn, errIn := live.ParseMoney(f.input.Text)
	out, unknownOut, errOut := live.ParseMoney(f.output.Text)
	switch {
	case errIn != nil || errOut != nil || unknownIn != unknownOut || !unknownIn && (in == nil || out == nil):
		return m, errors.New("type both prices in dollars, such as 3 and 15, or neither where they are unknown")
	case unknownIn:
		m.Price = nil
	case m.Price == nil || m.Price.Input != *in || m.Price.Output != *out:
		m.Price = &providers.Price{Input: *in, Output: *out, CacheRead: *in, CacheWrite: *in, Source: registry.OwnersPrice}
	}
	return m, nil
}

// editModel asks for changes to the model in focus.
func (m *models) editModel() {
	var was providers.Model
	var others []string
	for _, p := range m.shelf {
		for _, one := range p.Models {
			if one.ID == m.picked {
				was = one
				continue
			}
			others = append(others, one.ID)
		}
	}
	if was.ID == "" {
		return // removed meanwhile
	}
	f := newModelForm(was, others)
	m.d.openSheet(was.ID, sized(f.content, 560, 0), action{
		label: "Save", limit: quick,
		check: func() (func(context.Context) error, error) {
			to, err := f.read()
			to.Price = dated(to.Price, m.d.services.Now())
			return func(ctx context.Context) error { return m.d.services.Registry.UpdateModel(ctx, to) }, err
		},
	}, f.aliases, f.context, f.reply, f.input, f.output)
}

// dated notes since when a price of the owner's is in force.
func dated(p *providers.Price, now time.Time) *providers.Price {
	if p != nil && p.Source == registry.OwnersPrice && p.Date == "" {
		p.Date = meter.Day(now)
	}
	return p
}
