package ui

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// rows is a list under a header, with words in its place when it is empty. It redraws only the rows in sight.
type rows struct {
	content fyne.CanvasObject
	list    *widget.List
	show    *either
	count   int
}

// newRows makes a list of cols whose row i is drawn by fill.
func newRows(cols columns, empty fyne.CanvasObject, fill func(i int, row fyne.CanvasObject)) *rows {
	r := &rows{}
	r.list = widget.NewList(func() int { return r.count }, cols.listRow, fill)
	r.list.HideSeparators = true
	header := stack(0, cols.header(), widget.NewSeparator())
	r.show = newEither(container.NewBorder(header, nil, nil, nil, r.list), empty)
	r.content = r.show.content
	r.show.show(false)
	return r
}

// set tells how many rows there are now, and redraws those in sight.
func (r *rows) set(count int) {
	r.count = count
	r.show.show(count > 0)
	r.list.Refresh()
}

// quietWords stand where there is nothing to show.
func quietWords(words string) fyne.CanvasObject {
	return container.NewCenter(newText(words).quiet())
}

// flightList is the requests that are running.
type flightList struct {
	*rows
	flights []live.Flight
	now     time.Time
}

func newFlightList() *flightList {
	f := &flightList{}
	cols := columns{{title: "Person", share: 3}, {title: "Model", share: 4}, {title: "Tokens", width: 48, right: true}, {title: "For", width: 36, right: true}}
	f.rows = newRows(cols, quietWords("Nothing is running."), func(i int, row fyne.CanvasObject) {
		one := f.flights[i]
		cell(row, 0).set(live.OrGuest(one.Person, ""), theme.ColorNameForeground)
		cell(row, 1).set(one.Model, colorQuiet)
		cell(row, 2).set(meter.Group(one.InputTokens+one.OutputTokens), theme.ColorNameForeground)
		cell(row, 3).set(live.Ago(f.now.Sub(one.Started)), colorQuiet)
	})
	return f
}

// newRunningList is the requests that are running, in full: with the tool, and the tokens in and out as they pass.
func newRunningList() *flightList {
	f := &flightList{}
	cols := columns{{title: "Since", width: 96}, {title: "Person", share: 4}, {title: "Model", share: 5}, {title: "Tool", share: 6}, {title: "In", width: 64, right: true}, {title: "Out", width: 64, right: true}, {title: "For", width: 64, right: true}}
	f.rows = newRows(cols, quietWords("Nothing is running."), func(i int, row fyne.CanvasObject) {
		one := f.flights[i]
		cell(row, 0).set(clockTime(one.Started, f.now), colorQuiet)
		cell(row, 1).set(live.OrGuest(one.Person, ""), theme.ColorNameForeground)
		cell(row, 2).set(one.Model, colorQuiet)
		cell(row, 3).set(orDash(one.Tool), colorQuiet)
		cell(row, 4).set(meter.Group(one.InputTokens), theme.ColorNameForeground)
		cell(row, 5).set(meter.Group(one.OutputTokens), theme.ColorNameForeground)
		cell(row, 6).set(live.Ago(f.now.Sub(one.Started)), colorQuiet)
	})
	return f
}

func (f *flightList) set(flights []live.Flight, now time.Time) {
	if len(flights) == 0 && f.count == 0 {
		return
	}
	f.flights, f.now = flights, now
	f.rows.set(len(flights))
}

// ceilingList is how the team's ceilings stand.
type ceilingList struct {
	content  fyne.CanvasObject
	list     *widget.List
	show     *either
	ceilings []live.Ceiling
	chosen   func(meter.Ceiling)
}

func newCeilingList() *ceilingList {
	c := &ceilingList{}
	c.list = widget.NewList(func() int { return len(c.ceilings) },
		func() fyne.CanvasObject {
			return inset(stack(4, container.NewBorder(nil, nil, nil, newText(""), newText("").clipped()), newBar()), 4, rowInset+4, 4, rowInset)
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			one := c.ceilings[i]
			column := o.(*fyne.Container).Objects[0].(*fyne.Container)
			words := column.Objects[0].(*fyne.Container)
			words.Objects[0].(*text).set(one.Name, theme.ColorNameForeground)
			words.Objects[1].(*text).set(levelWord(one.Budget.Level())+one.Words, levelTone(one.Budget.Level(), colorQuiet))
			words.Refresh()
			column.Objects[1].(*bar).set(one.Budget)
		})
	c.list.OnSelected = func(i widget.ListItemID) {
		c.list.UnselectAll()
		c.chosen(c.ceilings[i].Of)
	}
	c.list.HideSeparators = true
	c.show = newEither(c.list, quietWords("No ceilings are set."))
	c.content = c.show.content
	c.show.show(false)
	return c
}

func (c *ceilingList) set(ceilings []live.Ceiling) {
	c.ceilings = ceilings
	c.show.show(len(ceilings) > 0)
	c.list.Refresh()
}

// levelWord goes with a level's colour.
func levelWord(l live.Level) string {
	switch l {
	case live.Near:
		return "Nearly spent: "
	case live.Spent:
		return "Spent: "
	}
	return ""
}

// refusalList is refusals, newest first, each counting down to its end.
type refusalList struct {
	*rows
	refusals []live.Refusal
	now      time.Time
	chosen   func(live.Refusal)
}

func newRefusalList(empty fyne.CanvasObject) *refusalList {
	l := &refusalList{}
	cols := columns{{title: "Time", width: 56}, {title: "Person", share: 3.4}, {title: "Model", share: 4}, {title: "Why", share: 6}, {title: "Ends", width: 92, right: true}}
	l.rows = newRows(cols, empty, func(i int, row fyne.CanvasObject) {
		one := l.refusals[i]
		cell(row, 0).set(clockTime(one.At, l.now), colorQuiet)
		cell(row, 1).set(one.Who, theme.ColorNameForeground)
		cell(row, 2).set(one.Model, colorQuiet)
		cell(row, 3).set(one.Why, theme.ColorNameForeground)
		cell(row, 4).set(one.Ends(l.now), colorQuiet)
	})
	l.list.OnSelected = func(id widget.ListItemID) {
		if l.chosen != nil {
			l.chosen(l.refusals[id])
		}
	}
	return l
}

func (l *refusalList) set(refusals []live.Refusal) {
	l.refusals = refusals
	l.rows.set(len(refusals))
}

// turn redraws the countdowns when the second changed.
func (l *refusalList) turn(now time.Time) {
	if now.Unix() == l.now.Unix() {
		return
	}
	l.now = now
	if l.count > 0 {
		l.list.Refresh()
	}
}

// clockTime writes when something was, by the owner's own clock; with the day where it was not today.
func clockTime(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04:05")
	}
	return fmt.Sprintf("%d %s", at.Day(), at.Format("Jan 15:04"))
}
