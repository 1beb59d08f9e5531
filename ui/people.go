package ui

import (
	"context"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// peopleDesk is what the page of people writes.
type peopleDesk interface {
	AddPerson(ctx context.Context, name, tier string) (meter.Person, error)
	AddTier(ctx context.Context, name string) error
	SetPersonTier(ctx context.Context, id, tier string) error
	SuspendPerson(ctx context.Context, id string, suspended bool) error
	RemovePerson(ctx context.Context, id string) error
	IssuePass(ctx context.Context, personID, label string, expires *time.Time) (meter.Pass, string, error)
	ReplacePass(ctx context.Context, personID, passID string, expires *time.Time) (meter.Pass, string, error)
	RevokePass(ctx context.Context, passID string) error
	MakeJoinCode(ctx context.Context, personID string) (code string, expires time.Time, err error)
	AddCredit(ctx context.Context, personID string, microUSD int64, note string) error
}

// people is the team: a list, and beside it the person in focus.
type people struct {
	d      *Desk
	body   fyne.CanvasObject
	search *entry
	list   *rows
	detail *personPanel
	team   live.People
	models []string
	ca     string                 // where set-up texts look for the certificate to trust; empty where none must be
	focus  atomic.Pointer[string] // the person in focus, by id: set by clicks, read by the pump
	shown  []live.Person          // what the search leaves
}

var peopleColumns = columns{{title: "Name", share: 5}, {title: "Tier", share: 2}, {title: "State", width: 72},
	{title: "Requests", width: 56, right: true}, {title: "Tokens today", width: 80, right: true}, {title: "Cost today", width: 72, right: true}}

func newPeople(d *Desk) *people {
	p := &people{d: d, search: newEntry("Find a person or tier")}
	p.search.OnChanged = func(string) { p.redraw() }
	p.search.escape = func() { p.search.SetText("") }
	p.detail = newPersonPanel(p)
	first := widget.NewButton("Add a person", p.add)
	p.list = newRows(peopleColumns, emptyState(theme.AccountIcon(), "Nobody is on the team yet",
		"Add a person to give them a pass. They use it as the API key of any tool that takes an OpenAI address.", first), p.fill)
	p.list.list.OnSelected = func(i widget.ListItemID) { p.lookAt(p.shown[i].ID) }
	add := widget.NewButtonWithIcon("Add a person", theme.ContentAddIcon(), p.add)
	add.Importance = widget.HighImportance
	head := across(heading("People"), sized(p.search, 240, 0), add)
	p.body = container.NewBorder(inset(head, 0, 0, edge, 0), nil, nil, sized(p.detail.content, 352, 0), inset(panel(p.list.content), 0, gap, 0, 0))
	return p
}

func (p *people) title() string              { return "People" }
func (p *people) icon() fyne.Resource        { return theme.AccountIcon() }
func (p *people) content() fyne.CanvasObject { return p.body }
func (p *people) find()                      { p.d.window.Canvas().Focus(p.search) }
func (p *people) tick(time.Time) func()      { return nil }

func (p *people) load(ctx context.Context) (func(), error) {
	models, err := live.ModelIDs(ctx, p.d.services.Registry)
	if err != nil {
		return nil, err
	}
	team, err := live.ReadPeople(ctx, p.d.services.Meter, models, p.focused())
	ca := ""
	if h, err := p.d.services.House.HTTPS(ctx); err == nil && len(h.CA) > 0 { // a fault is told where it is set
		ca = live.CAHere
	}
	return func() { p.team, p.models, p.ca = team, models, ca; p.redraw() }, err
}

func (p *people) redraw() {
	p.shown = p.team.Matching(p.search.Text)
	p.list.set(len(p.shown))
	if len(p.team.All) > 0 {
		p.list.show.show(true) // a search that finds nothing is not an empty team
	}
	p.detail.show(p.person(p.focused()), p.team)
	p.mark()
}

// mark selects the row of the person in focus, wherever it stands by now.
func (p *people) mark() {
	chosen := p.list.list.OnSelected
	p.list.list.OnSelected = nil // marking is not choosing
	defer func() { p.list.list.OnSelected = chosen }()
	for i, one := range p.shown {
		if one.ID == p.focused() {
			p.list.list.Select(i)
			return
		}
	}
	p.list.list.UnselectAll()
}

func (p *people) fill(i int, row fyne.CanvasObject) {
	one := p.shown[i]
	tone, state, stateTone := theme.ColorNameForeground, "active", colorQuiet
	if one.Suspended {
		tone, state, stateTone = colorQuiet, "suspended", colorAmber
	}
	cell(row, 0).set(one.Name, tone)
	cell(row, 1).set(orDash(one.Tier), colorQuiet)
	cell(row, 2).set(state, stateTone)
	cell(row, 3).set(meter.Group(one.Requests), tone)
	cell(row, 4).set(meter.Group(one.Tokens), tone)
	cell(row, 5).set(live.Cents(one.CostMicroUSD), tone)
}

// lookAt brings a person into focus.
func (p *people) lookAt(id string) {
	p.focus.Store(&id)
	p.d.pump.Reload()
}

func (p *people) person(id string) *live.Person {
	for i := range p.team.All {
		if p.team.All[i].ID == id {
			return &p.team.All[i]
		}
	}
	return nil
}

func (p *people) add() {
	name, tier := newEntry("Name"), newTierSelect(p.team.Tiers)
	var person meter.Person
	var secret string
	p.d.openSheet("Add a person", stack(edge, labelled("Name", name), labelled("Tier", tier.content)), action{
		label: "Add and make a pass",
		limit: quick,
		check: func() (func(context.Context) error, error) {
			called, inTier := name.Text, tier.chosen()
			return func(ctx context.Context) (err error) {
				books := p.d.services.Meter
				if err = tier.ensure(ctx, books, inTier); err != nil {
					return err
				}
				// A second try after the pass failed must not trip over the person of the first.
				if person.ID == "" {
					if person, err = books.AddPerson(ctx, called, inTier); err != nil {
						return err
					}
				}
				_, secret, err = books.IssuePass(ctx, person.ID, "", nil)
				return err
			}, nil
		},
		done: func() { p.lookAt(person.ID); p.showPass(person.Name, secret) },
	}, name)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// focused is the person in focus, by id.
func (p *people) focused() string {
	if id := p.focus.Load(); id != nil {
		return *id
	}
	return ""
}
