package ui

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// activity is every request: those that run, with their tokens as they pass, and how the others ended.
type activity struct {
	d       *Desk
	body    fyne.CanvasObject
	flights *flightList
	ends    *rows
	search  *entry
	said    *text
	all     []live.End
	shown   []live.End
	wanted  atomic.Int64 // how many ends are read: more as the owner scrolls down; read by the pump
	seq     int64        // the end in focus

	pane  *either
	name  *text
	words *text
	id    *copyField
	back  *widget.Button
}

const (
	endsAtOnce = 200
	endsMost   = 5000 // further back, the ledger is for reports
)

func newActivity(d *Desk) *activity {
	a := &activity{d: d, flights: newRunningList(), search: newEntry("Find a person, model or request"), said: caption(""), name: newText("").clipped(), words: caption("").clipped(), id: newCopyField("")}
	a.wanted.Store(endsAtOnce)
	a.name.bold = true
	cols := columns{{title: "Ended", width: 96}, {title: "Person", share: 4}, {title: "Model", share: 5}, {title: "How it ended", share: 6}, {title: "In", width: 64, right: true}, {title: "Out", width: 64, right: true}, {title: "Cost", width: 64, right: true}}
	a.ends = newRows(cols, emptyState(theme.HistoryIcon(), "Nobody has called yet",
		"Each request stands here with its tokens as they pass, and how it ended.", nil), a.fill)
	a.ends.list.OnSelected = func(i widget.ListItemID) { a.seq = a.shown[i].Seq; a.explain() }
	a.search.OnChanged = func(words string) {
		if words != "" && a.wanted.Swap(endsMost) != endsMost {
			d.pump.Reload()
		}
		a.redraw()
	}
	a.search.escape = func() { a.search.SetText("") }
	a.back = widget.NewButton("Give back", a.giveBack)
	detail := container.NewBorder(nil, nil, nil, line(gap, caption("Request"), sized(a.id.content, 300, 0), a.back), stack(2, a.name, a.words))
	a.pane = newEither(detail, container.New(middle{}, newText("Choose a request to see it in full.").quiet()))
	a.pane.show(false)
	head := across(heading("Activity"), a.said, sized(a.search, 280, 0))
	a.body = container.NewBorder(inset(head, 0, 0, edge, 0), inset(panel(sized(a.pane.content, 0, 36)), gap, 0, 0, 0), nil, nil,
		container.New(oneToThree{}, titled("Running now", a.flights.content), panel(a.ends.content)))
	return a
}

func (a *activity) title() string              { return "Activity" }
func (a *activity) icon() fyne.Resource        { return theme.HistoryIcon() }
func (a *activity) content() fyne.CanvasObject { return a.body }
func (a *activity) add()                       {}
func (a *activity) find()                      { a.d.window.Canvas().Focus(a.search) }

func (a *activity) load(ctx context.Context) (func(), error) {
	limit := int(a.wanted.Load())
	all, err := live.ReadEnds(ctx, a.d.services.Meter, meter.Day(a.d.services.Now()), limit)
	return func() { a.all = all; a.redraw() }, err
}

func (a *activity) tick(now time.Time) func() {
	flights := a.d.services.Gateway.InFlight()
	return func() { a.flights.set(flights, now) }
}

func (a *activity) redraw() {
	a.shown = live.MatchingEnds(a.all, a.search.Text)
	a.ends.set(len(a.shown))
	if len(a.all) > 0 {
		a.ends.show.show(true)
	}
	words := ""
	if a.search.Text != "" {
		words = fmt.Sprintf("%s of the newest %s", meter.Group(int64(len(a.shown))), meter.Group(int64(len(a.all))))
	}
	a.said.say(words)
	a.explain()
}

func (a *activity) fill(i int, row fyne.CanvasObject) {
	one := a.shown[i]
	if i >= len(a.shown)-20 {
		a.readOn()
	}
	figure := func(n int64) string {
		if !one.Figures {
			return "–"
		}
		return meter.Group(n)
	}
	cell(row, 0).set(clockTime(one.At, a.d.services.Now()), colorQuiet)
	cell(row, 1).set(one.Who, theme.ColorNameForeground)
	cell(row, 2).set(one.Model, colorQuiet)
	tone := colorQuiet
	if one.Worst {
		tone = colorAmber
	}
	cell(row, 3).set(one.How, tone)
	cell(row, 4).set(figure(one.Usage.Input), theme.ColorNameForeground)
	cell(row, 5).set(figure(one.Usage.Output), theme.ColorNameForeground)
	cost := "–"
	if one.Figures {
		cost = signedCents(one.CostMicro)
	}
	cell(row, 6).set(cost, theme.ColorNameForeground)
}

// signedCents writes an amount that may have been given back.
func signedCents(micro int64) string {
	if micro < 0 {
		return "−" + live.Cents(-micro)
	}
	return live.Cents(micro)
}

// readOn reads further back, once the end of what was read comes into sight.
func (a *activity) readOn() {
	if limit := a.wanted.Load(); int64(len(a.all)) >= limit && limit < endsMost && a.wanted.CompareAndSwap(limit, min(endsMost, 2*limit)) {
		a.d.pump.Reload()
	}
}

// inFocus is the end in focus, or nil.
func (a *activity) inFocus() *live.End {
	for i := range a.all {
		if a.all[i].Seq == a.seq {
			return &a.all[i]
		}
	}
	return nil
}

// explain writes the end in focus in full.
func (a *activity) explain() {
	one := a.inFocus()
	a.pane.show(one != nil)
	if one == nil {
		return
	}
	a.name.say(one.Who + " on " + one.Model)
	words := one.At.Local().Format("2 Jan 15:04:05") + " · "
	if one.Figures {
		cached := ""
		if one.Usage.Cached > 0 {
			cached = " (" + meter.Group(one.Usage.Cached) + " from the provider's cache)"
		}
		words += fmt.Sprintf("%s tokens in%s, %s out, %s · ", meter.Group(one.Usage.Input), cached, meter.Group(one.Usage.Output), meter.Dollars(one.CostMicro))
	}
	a.words.say(words + one.How)
	a.id.set(one.RequestID)
	a.back.Hidden = !one.Worst
	a.pane.content.Refresh()
}

func (a *activity) giveBack() {
	one := a.inFocus()
	if one == nil {
		return
	}
	id := one.HoldID
	a.d.act("give it back", func(ctx context.Context) error { return a.d.services.Meter.GiveBack(ctx, id) })
}

// oneToThree gives the upper of two objects a quarter of the height, and the lower the rest.
type oneToThree struct{}

// Layout implements fyne.Layout.
func (oneToThree) Layout(o []fyne.CanvasObject, size fyne.Size) {
	upper := max(floor(size.Height/4), min(176, size.Height/2))
	o[0].Resize(fyne.NewSize(size.Width, upper))
	o[0].Move(fyne.NewPos(0, 0))
	o[1].Resize(fyne.NewSize(size.Width, size.Height-upper-gap))
	o[1].Move(fyne.NewPos(0, upper+gap))
}

// MinSize implements fyne.Layout.
func (oneToThree) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), a.Height+b.Height+gap)
}
