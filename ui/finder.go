package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// finder leads from a few letters to any page, person, provider or model.
type finder struct {
	d      *Desk
	search *entry
	rows   *rows
	all    []live.Found
	shown  []live.Found
	at     int // the row that Enter opens
}

// findAnywhere opens the search over everything.
func (d *Desk) findAnywhere() {
	var found []live.Found
	d.work(quick, func(ctx context.Context) (err error) {
		found, err = live.ReadFindable(ctx, d.services.Meter, d.services.Registry)
		return err
	}, func(err error) {
		if err != nil {
			d.shell.tell(colorSpent, "Could not search: "+live.Plain(err))
			return
		}
		if !d.busy() {
			d.openFinder(found)
		}
	})
}

func (d *Desk) openFinder(found []live.Found) {
	f := &finder{d: d, search: newEntry("A page, person, provider or model"), all: found}
	for i, p := range d.pages {
		f.all = append(f.all, live.Found{Kind: live.FoundPage, Name: p.title(), Key: string(rune('0' + i)), Note: "page"})
	}
	f.rows = newRows(columns{{title: "Name", share: 3}, {title: "What it is", share: 2}}, quietWords("Nothing has these words."), nil)
	f.rows.list.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
		cell(o, 0).set(f.shown[i].Name, theme.ColorNameForeground)
		cell(o, 1).set(f.shown[i].Note, colorQuiet)
	}
	f.rows.list.OnSelected = func(i widget.ListItemID) { f.at = i }
	f.search.OnChanged = func(string) { f.narrow() }
	f.search.move = func(by int) { f.mark(f.at + by) }
	body := stack(gap, f.search, sized(f.rows.content, 560, 320))
	d.openSheet("Find anywhere", body, action{
		label: "Open",
		check: func() (func(context.Context) error, error) {
			if len(f.shown) == 0 {
				return nil, errors.New("nothing has these words; try fewer")
			}
			return nil, nil
		},
		done: func() { d.openFound(f.shown[f.at]) },
	}, f.search)
	f.narrow()
}

func (f *finder) narrow() {
	f.shown = live.MatchingFound(f.all, f.search.Text)
	f.rows.set(len(f.shown))
	f.mark(0)
}

func (f *finder) mark(i int) {
	f.at = max(0, min(len(f.shown)-1, i))
	if len(f.shown) > 0 {
		f.rows.list.Select(f.at)
	}
}

// openFound goes to what was found.
func (d *Desk) openFound(f live.Found) {
	switch f.Kind {
	case live.FoundPage:
		d.goTo(int(f.Key[0] - '0'))
	case live.FoundPerson:
		page := d.pages[pagePeople].(*people)
		page.search.SetText("")
		d.goTo(pagePeople)
		page.lookAt(f.Key)
	case live.FoundProvider, live.FoundModel:
		d.goTo(pageModels)
		d.pages[pageModels].(*models).lookAt(f.Key)
	}
}
