package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/ui/live"
)

// vendorList is the vendors to choose from: typing narrows it, the arrows move, Enter or a click chooses.
type vendorList struct {
	content fyne.CanvasObject
	search  *entry
	rows    *rows
	all     []providers.Vendor
	shown   []providers.Vendor
	at      int // the row that Enter chooses
	choose  func()
}

func newVendorList(all []providers.Vendor) *vendorList {
	l := &vendorList{all: all, search: newEntry("Type to find a vendor")}
	cols := columns{{title: "Vendor", share: 2}, {title: "Address", share: 3}}
	l.rows = newRows(cols, quietWords("No vendor has these words; “Any OpenAI-compatible address” takes all others."), nil)
	// The row that Enter chooses is marked by a ground of our own: the list's selection would make a click on it do nothing.
	l.rows.list.CreateItem = func() fyne.CanvasObject {
		return container.NewStack(newGround(theme.ColorNameSelection, 4), cols.listRow())
	}
	l.rows.list.UpdateItem = l.fill
	l.rows.list.OnSelected = func(i widget.ListItemID) {
		l.rows.list.UnselectAll()
		l.at = i
		l.choose()
	}
	l.search.OnChanged = func(string) { l.narrow() }
	l.search.move = func(by int) {
		l.mark(l.at + by)
		l.rows.list.ScrollTo(l.at)
	}
	l.content = container.NewBorder(inset(l.search, 0, 0, gap, 0), nil, nil, nil, l.rows.content)
	l.narrow()
	return l
}

func (l *vendorList) narrow() {
	l.shown = live.Matching(l.all, l.search.Text, func(v providers.Vendor) string { return v.Title + " " + v.ID })
	l.rows.set(len(l.shown))
	l.mark(0)
	l.rows.list.ScrollToTop()
}

// mark moves to a row without choosing it.
func (l *vendorList) mark(i int) {
	l.at = max(0, min(len(l.shown)-1, i))
	l.rows.list.Refresh()
}

func (l *vendorList) fill(i widget.ListItemID, o fyne.CanvasObject) {
	item := o.(*fyne.Container)
	item.Objects[0].(*ground).Hidden = i != l.at
	item.Objects[0].Refresh()
	cell(item.Objects[1], 0).set(l.shown[i].Title, theme.ColorNameForeground)
	cell(item.Objects[1], 1).set(orDash(l.shown[i].BaseURL), colorQuiet)
}

// add asks which vendor, then for the account there.
func (m *models) add() {
	list := newVendorList(m.d.services.Vendors.Vendors())
	s := m.d.openSheet("Add a provider", sized(list.content, 600, 420), action{
		label: "Next",
		check: func() (func(context.Context) error, error) {
			if len(list.shown) == 0 {
				return nil, errors.New("choose one of the list, or “Any OpenAI-compatible address”")
			}
			return nil, nil
		},
		done: func() { m.addAt(list.shown[list.at]) },
	}, list.search)
	list.choose = s.submit
}
