package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
)

// trayApp is an app on a desktop that has a tray.
type trayApp struct {
	fyne.App
	menu *fyne.Menu
}

func (a *trayApp) SetSystemTrayMenu(m *fyne.Menu)  { a.menu = m }
func (a *trayApp) SetSystemTrayIcon(fyne.Resource) {}
func (a *trayApp) SetSystemTrayWindow(fyne.Window) {}
func (a *trayApp) item(i int) *fyne.MenuItem       { return a.menu.Items[i] }
func (r *rig) withTray(has bool) (app *trayApp, quit *int) {
	r.t.Helper()
	app, quit = &trayApp{App: r.app}, new(int)
	r.app, r.services.Tray = app, has
	r.tray = newTray(r.Desk, func() { *quit++ })
	return app, quit
}

func TestTheTrayTellsAndSwitchesTheGateway(t *testing.T) {
	r := newRig(t)
	app, quit := r.withTray(true)
	r.open(pageOverview)
	if got, want := app.item(0).Label, "Serving; allowances reset in 5 h 13 min"; got != want {
		t.Errorf("the tray says %q, want %q", got, want)
	}
	app.item(3).Action()
	r.at(afternoon.Add(time.Second))
	r.settle()
	if r.gate.On() || app.item(3).Label != "Start" {
		t.Errorf("paused from the tray, the gateway is on: %v; the tray offers %q", r.gate.On(), app.item(3).Label)
	}
	app.item(5).Action()
	if *quit != 1 || !app.item(5).IsQuit {
		t.Errorf("the last item quit %d times", *quit)
	}
}

func TestWithoutATrayNothingIsHidden(t *testing.T) {
	r := newRig(t)
	app, _ := r.withTray(false)
	if r.tray != nil || app.menu != nil {
		t.Fatal("a tray menu was made where no tray shows it")
	}
	r.tray.turn(afternoon, true) // must not mind
}

func TestClosingAWindowWithATrayGoesOnServing(t *testing.T) {
	for name, c := range map[string]struct {
		tray, end bool
		left      int
	}{
		"with a tray":                        {true, false, 0},
		"with a tray, but the owner ends it": {true, true, 1},
		"without a tray":                     {false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, quit := r.withTray(c.tray)
			r.app.Preferences().SetBool(endOnCloseKey, c.end)
			r.closing(func() { *quit++ })()
			if *quit != c.left {
				t.Fatalf("closing ended the program %d times, want %d", *quit, c.left)
			}
		})
	}
}
