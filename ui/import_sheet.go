package ui

import (
	"context"
	"errors"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/ui/live"
)

// importModels asks a provider which models it has, then lets the owner choose.
func (m *models) importModels(p providers.Provider) {
	in := *m.current()
	var listed []providers.Model
	wait := widget.NewLabel("Asking " + p.Name + " which models it has …")
	s := m.d.openSheet("Import models", wait, action{
		label: "Ask again", limit: asking,
		check: func() (func(context.Context) error, error) {
			return func(ctx context.Context) (err error) { listed, err = m.ask(ctx, in); return err }, nil
		},
		done: func() { m.chooseModels(p, listed) },
	})
	s.submit()
}

// importFirst imports from the first provider that there is, once the page has read it.
func (m *models) importFirst() {
	var shelf []live.Provider
	m.d.work(quick, func(ctx context.Context) (err error) {
		shelf, err = live.ReadShelf(ctx, m.d.services.Registry)
		return err
	}, func(err error) {
		if err != nil || len(shelf) == 0 {
			return // the page says why it cannot be read, or that there is nothing
		}
		m.shelf = shelf
		m.lookAt(shelf[0].Name)
		m.importModels(shelf[0].Provider)
	})
}

// picker is a list of models to choose from, with what is known of each.
type picker struct {
	content fyne.CanvasObject
	rows    *rows
	search  *entry
	all     []providers.Model
	shown   []providers.Model
	chosen  map[string]bool // by id
	said    *text
}

// chooseModels lets the owner choose among the models that a provider has.
func (m *models) chooseModels(p providers.Provider, listed []providers.Model) {
	if len(listed) == 0 {
		m.d.shell.tell(colorAmber, p.Name+" lists no models. Load one there, then import again.")
		return
	}
	for i := range listed {
		listed[i].Provider = p.Name
		listed[i].ID = p.Name + "/" + listed[i].Upstream
	}
	pick := newPicker(listed)
	m.d.openSheet("Import models of "+p.Name, sized(pick.content, 760, 440), action{
		label: "Import", limit: quick,
		check: func() (func(context.Context) error, error) {
			chosen := pick.picked()
			if len(chosen) == 0 {
				return nil, errors.New("choose at least one model: click a row, or “Choose all”")
			}
			return func(ctx context.Context) error { return live.Import(ctx, m.d.services.Registry, chosen) }, nil
		},
	}, pick.search)
}

func newPicker(all []providers.Model) *picker {
	p := &picker{all: all, chosen: map[string]bool{}, search: newEntry("Find a model"), said: caption("")}
	p.rows = newRows(modelColumns, quietWords("No model has these words."), nil)
	plain := p.rows.list.CreateItem
	p.rows.list.CreateItem = func() fyne.CanvasObject {
		return container.NewBorder(nil, nil, inset(sized(widget.NewIcon(nil), 18, 18), 0, 0, 0, gap), nil, plain())
	}
	p.rows.list.UpdateItem = p.fill
	p.rows.list.OnSelected = func(i widget.ListItemID) {
		p.rows.list.Unselect(i)
		p.chosen[p.shown[i].ID] = !p.chosen[p.shown[i].ID]
		p.redraw()
		if c := fyne.CurrentApp().Driver().CanvasForObject(p.search); c != nil {
			c.Focus(p.search) // where Enter imports
		}
	}
	p.search.OnChanged = func(string) { p.redraw() }
	every := widget.NewButton("Choose all", func() {
		for _, one := range p.shown {
			p.chosen[one.ID] = true
		}
		p.redraw()
	})
	head := across(sized(p.search, 280, 0), p.said, every)
	note := caption("An unknown price is refused under any budget in money. Prices are the vendor's list prices as of this version of Perdiem.").clipped()
	p.content = container.NewBorder(inset(head, 0, 0, gap, 0), note, nil, nil, p.rows.content)
	p.redraw()
	return p
}

func (p *picker) fill(i widget.ListItemID, o fyne.CanvasObject) {
	row := o.(*fyne.Container)
	one := p.shown[i]
	box := theme.CheckButtonIcon()
	if p.chosen[one.ID] {
		box = theme.CheckButtonCheckedIcon()
	}
	row.Objects[1].(*fyne.Container).Objects[0].(*fyne.Container).Objects[1].(*widget.Icon).SetResource(theme.NewThemedResource(box))
	figures(row.Objects[0], one)
	cell(row.Objects[0], 0).set(one.Upstream, theme.ColorNameForeground)
}

func (p *picker) redraw() {
	p.shown = live.MatchingModels(p.all, p.search.Text)
	chosen := 0
	for _, yes := range p.chosen {
		if yes {
			chosen++
		}
	}
	p.said.say(fmt.Sprintf("%d of %d chosen", chosen, len(p.all)))
	p.rows.set(len(p.shown))
}

func (p *picker) picked() []providers.Model {
	var chosen []providers.Model
	for _, one := range p.all {
		if p.chosen[one.ID] {
			chosen = append(chosen, one)
		}
	}
	if len(chosen) == 0 && len(p.shown) == 1 {
		return p.shown // the search has named one already
	}
	return chosen
}
