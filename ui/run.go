package ui

import (
	"context"
	"errors"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"perdiem/ui/live"
)

// errNoWindow is what Run says where the screen cannot show a window.
var errNoWindow = errors.New("no window could be opened, most likely because this screen has no OpenGL (as over remote desktop): run `perdiem serve`, which needs no window")

// appearWithin is how long the driver may take to make the window. One that cannot only logs it, and runs on for ever.
const appearWithin = 5 * time.Second

// Run shows the window and returns when it was closed, or when ctx ended. On the way out, and once, leaving runs off the
// drawing goroutine while the window is hidden already: it is where the gateway stops.
func (d *Desk) Run(ctx context.Context, leaving func()) error {
	if ctx.Err() != nil { // told to end before there was a window to close
		d.stop()
		leaving()
		return nil
	}
	ticker := time.NewTicker(live.Beat)
	d.tasks.Go(func() { d.pump.Run(d.ctx, ticker.C) })
	// The tickers stop first: a driver that is quitting while work is still queued on it hangs now and then.
	halt := func() { ticker.Stop(); d.stop() }
	var once sync.Once
	quit := func() {
		once.Do(func() {
			halt()
			d.window.Hide()
			go func() {
				leaving()
				fyne.Do(d.app.Quit)
			}()
		})
	}
	d.quit = quit
	unhook := context.AfterFunc(ctx, func() { fyne.Do(quit) })
	defer unhook()
	var err error
	watch := time.AfterFunc(appearWithin, func() {
		fyne.Do(func() {
			if !d.appeared() {
				err = errNoWindow
				quit()
			}
		})
	})
	defer watch.Stop()
	d.tray = newTray(d, quit)
	d.window.SetCloseIntercept(d.closing(quit))
	d.window.CenterOnScreen()
	d.window.ShowAndRun()
	halt()
	once.Do(leaving) // the driver quit by itself, from its own menu
	return err
}

// closing is what closing the window does: with a tray to open it again the gateway goes on, unless the owner wants it to end.
func (d *Desk) closing(quit func()) func() {
	var told sync.Once
	return func() {
		if d.tray == nil || d.app.Preferences().Bool(endOnCloseKey) {
			quit()
			return
		}
		d.window.Hide()
		told.Do(func() {
			d.app.SendNotification(fyne.NewNotification("Perdiem goes on serving", "Open its window again, or quit, from the tray."))
		})
	}
}

// appeared tells whether the driver has made the window: only then was its content laid out over the whole of it.
func (d *Desk) appeared() bool {
	return d.window.Content().Size().Width >= d.window.Canvas().Size().Width
}
