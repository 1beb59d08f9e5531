package ui

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/godbus/dbus/v5"
)

// hasTray tells whether the desktop shows a tray. On Linux that is so where somebody owns StatusNotifierWatcher on the
// session's bus; a window that is hidden where nobody does could not be reached again.
func hasTray(ctx context.Context) bool {
	if runtime.GOOS != "linux" {
		return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return false // the library would try to start a bus of its own
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer bus.Close()
	var owned bool
	err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, "org.kde.StatusNotifierWatcher").Store(&owned)
	return err == nil && owned
}
