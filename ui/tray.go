package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"perdiem/meter"
	"perdiem/ui/live"
)

// tray is the menu in the system's tray: how the gateway stands, when the day ends, and what can be done without the window.
type tray struct {
	d      *Desk
	menu   *fyne.Menu
	status *fyne.MenuItem
	toggle *fyne.MenuItem
	minute int64
	on     bool
}

// endOnCloseKey notes in the application's preferences that closing the window ends the program, tray or no tray.
const endOnCloseKey = "end-on-close"

// newTray sets the tray up where there is one; nil otherwise. It must be there before the window is shown.
func newTray(d *Desk, quit func()) *tray {
	host, ok := d.app.(desktop.App)
	if !ok || !d.services.Tray {
		return nil
	}
	t := &tray{d: d, status: fyne.NewMenuItem("Perdiem", nil), toggle: fyne.NewMenuItem("Pause", d.pages[pageOverview].(*overview).gate.flip)}
	t.status.Disabled = true
	end := fyne.NewMenuItem("Quit", quit)
	end.IsQuit = true // else the driver adds one of its own, that would not stop the gateway first
	t.menu = fyne.NewMenu("Perdiem", t.status, fyne.NewMenuItemSeparator(), fyne.NewMenuItem("Open", d.open), t.toggle, fyne.NewMenuItemSeparator(), end)
	host.SetSystemTrayMenu(t.menu)
	return t
}

// open shows the window.
func (d *Desk) open() {
	d.window.Show()
	d.window.RequestFocus()
}

// turn writes how things stand, once a minute or when the gateway was switched.
func (t *tray) turn(now time.Time, on bool) {
	if t == nil || now.Unix()/60 == t.minute && on == t.on {
		return
	}
	t.minute, t.on = now.Unix()/60, on
	state, action := "Serving", "Pause"
	if !on {
		state, action = "Not serving", "Start"
	}
	t.status.Label = state + "; allowances reset in " + live.Remaining(meter.ResetsAt(now).Sub(now).Truncate(time.Minute)+time.Minute)
	t.toggle.Label = action
	t.menu.Refresh()
}
