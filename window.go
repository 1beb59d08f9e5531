//go:build !headless && (cgo || ci)

package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"fyne.io/fyne/v2/app"

	"perdiem/gateway/boot"
	"perdiem/ui"
)

// quitWithin is how long quitting may take. The driver hangs on it now and then, so the process is ended by a timer; by
// then the gateway has stopped and nothing durable is left to do.
const quitWithin = 2500 * time.Millisecond

// openWindow opens the window on an app and returns when it was closed, or ctx ended; the gateway has stopped by then.
var openWindow = func(ctx context.Context, a *boot.App) error {
	if err := findScreen(); err != nil {
		return err
	}
	var stopped error
	err := ui.New(app.NewWithID("app.perdiem"), ui.For(a)).Run(ctx, func() {
		time.AfterFunc(quitWithin, func() { os.Exit(0) })
		stopped = a.Stop()
	})
	return errors.Join(err, stopped)
}

// offerBackup tells in a window that the books are damaged, and offers to go back to their newest backup.
var offerBackup = func(ctx context.Context, why string, goBack func(context.Context) (string, error)) error {
	if err := findScreen(); err != nil {
		return err
	}
	ui.NewDamage(app.NewWithID("app.perdiem"), why, goBack).Run(ctx)
	return nil
}

// findScreen says what to do where no window can open; without the question the driver would panic.
func findScreen() error {
	if runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" {
		return nil
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		return errors.New("the window needs XWayland, and DISPLAY is not set: install xwayland, or run `perdiem serve`, which needs no window")
	}
	return errors.New("there is no screen (DISPLAY is not set): run `perdiem serve`, which needs no window")
}
