package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"perdiem/ui/live"
)

// attention is what reaches the owner whatever page is in view: budgets that are spent, keys that fail, a second start.
type attention struct {
	d     *Desk
	watch *live.Watch
	first *live.FirstWindow
	place live.Place
}

// quietKey notes in the application's preferences that the owner wants no notifications.
const quietKey = "quiet"

func newAttention(d *Desk) *attention {
	return &attention{d: d, watch: live.NewWatch(d.services.Meter, d.services.Registry), first: live.NewFirstWindow(d.services.Meter)}
}

// look runs off the drawing goroutine whenever the books changed, and returns the drawing. A failure to read is left to
// the page in view, which reads the same books and says so.
func (a *attention) look(ctx context.Context) func() {
	notices, err := a.watch.Look(ctx)
	asked, askedErr := a.first.Asked(ctx)
	if err != nil && askedErr != nil || len(notices) == 0 && !asked {
		return nil
	}
	return func() {
		for _, n := range notices {
			a.tell(n)
		}
		if asked {
			a.d.front()
		}
	}
}

// tell notifies, and says the same in the window: a notification may be missed, or may not come at all.
func (a *attention) tell(n live.Notice) {
	tone := colorAmber
	if n.Bad {
		tone = colorSpent
	}
	a.d.shell.tell(tone, n.Title+": "+n.Text+".")
	if !a.d.app.Preferences().Bool(quietKey) {
		a.d.app.SendNotification(fyne.NewNotification(n.Title, n.Text))
	}
}

// whereabouts runs off the drawing goroutine each second, and returns the drawing of what happened to this computer.
func (a *attention) whereabouts(now time.Time) func() {
	what, happened := a.place.Look(now, live.ForTeammates(urls(a.d.services.Gateway)))
	if !happened {
		return nil
	}
	return func() {
		overview := a.d.pages[pageOverview].(*overview)
		overview.gate.moved(what)
		if what.Bad() && !a.d.app.Preferences().Bool(quietKey) {
			a.d.app.SendNotification(fyne.NewNotification("Teammates need another address", what.Words()))
		}
		if a.d.inView() != page(overview) {
			a.d.shell.tell(colorAmber, what.Words())
		}
	}
}

// front brings the window to where the owner sees it.
func (d *Desk) front() {
	d.open()
	d.shell.tell(theme.ColorNamePrimary, "Perdiem was open already: this is its window.")
}
