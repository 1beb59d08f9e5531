package ui

import (
	"context"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// guide leads a new owner from nothing to a working call. It stands in the overview's place until that was made, or
// until the owner puts it away.
type guide struct {
	content fyne.CanvasObject
	d       *Desk
	steps   [live.Ready]*guideStep
}

// guideStep is one row: whether it is done, what to do, and the button that does it.
type guideStep struct {
	mark   *widget.Icon
	number *text
	title  *text
	action *widget.Button
}

// guidedKey notes in the application's preferences that the guide was put away.
const guidedKey = "guided"

func newGuide(d *Desk) *guide {
	g := &guide{d: d}
	rows := stack(edge)
	for i, s := range []struct {
		title, words, label string
		do                  func()
	}{
		{"Add a provider and its key", "Who runs your models: a vendor, or a server of your own. The key is tested, and kept in this computer's keychain.", "Add a provider", func() { d.goTo(pageModels); d.inView().add() }},
		{"Import a model", "Which of the provider's models your team may name. Limits and list prices come with it.", "Import models", func() { d.goTo(pageModels); d.pages[pageModels].(*models).importFirst() }},
		{"Add a person", "They get a pass, shown once, with set-up text for their tools. The pass is what a tool calls its API key.", "Add a person", func() { d.goTo(pagePeople); d.inView().add() }},
		{"Say what a day allows", "Begin with one figure for everyone on any model; the page Allowances refines it.", "Set an allowance", g.allow},
		{"Make a call", "Through the gateway, with a person's own pass, as a tool would. It shows at once what it cost.", "Try it", d.tryIt},
	} {
		step := &guideStep{mark: widget.NewIcon(nil), number: newText(strconv.Itoa(i + 1)).quiet(), title: newText(s.title), action: widget.NewButton(s.label, s.do)}
		step.title.bold = true
		step.number.align = fyne.TextAlignCenter
		g.steps[i] = step
		mark := sized(container.NewStack(step.mark, container.New(middle{}, step.number)), 24, 24)
		rows.Add(container.NewBorder(nil, nil, inset(mark, 4, edge, 4, 0), container.NewCenter(step.action),
			stack(2, step.title, caption(s.words).clipped())))
	}
	away := widget.NewButton("Put the guide away", func() { d.app.Preferences().SetBool(guidedKey, true); d.pump.Reload() })
	away.Importance = widget.LowImportance
	g.content = container.NewVBox(titled("Five steps to a working team", rows, away))
	return g
}

// needed tells whether the guide is to be shown.
func (g *guide) needed(how live.Guide) bool {
	return how.Next() != live.Ready && !g.d.app.Preferences().Bool(guidedKey)
}

func (g *guide) set(how live.Guide) {
	next := how.Next()
	for i, s := range g.steps {
		done := how.Done[i]
		s.number.Hidden = done
		s.number.Refresh()
		s.mark.SetResource(nil)
		if done {
			s.mark.SetResource(theme.NewColoredResource(theme.ConfirmIcon(), colorGood))
		}
		s.title.set(s.title.value, map[bool]fyne.ThemeColorName{true: colorQuiet, false: theme.ColorNameForeground}[done])
		importance := widget.MediumImportance
		if live.Step(i) == next {
			importance = widget.HighImportance
		}
		if s.action.Importance != importance {
			s.action.Importance = importance
			s.action.Refresh()
		}
		// What a step builds on must be there first; a call may be made as soon as there is somebody to make it.
		possible := true
		for _, before := range map[live.Step][]live.Step{live.ImportModel: {live.AddProvider}, live.MakeCall: {live.ImportModel, live.AddPerson}}[live.Step(i)] {
			possible = possible && how.Done[before]
		}
		if possible {
			s.action.Enable()
		} else {
			s.action.Disable()
		}
	}
}

// allow asks for everyone's allowance on any model.
func (g *guide) allow() {
	figure := newEntry("100,000")
	figure.SetText("100,000")
	g.d.openSheet("What a day allows", labelled("Tokens a day for everyone, on each model (a page of text is about 500)", figure), action{
		label: "Set", limit: quick,
		check: func() (func(context.Context) error, error) {
			limit, inherit, err := live.ParseLimit(figure.Text)
			if err == nil && inherit {
				err = live.ErrLimit
			}
			return func(ctx context.Context) error {
				return g.d.services.Meter.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel, Limits: meter.Limits{Tokens: limit}})
			}, err
		},
	}, figure)
}
