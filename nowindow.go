//go:build headless || (!cgo && !ci)

package main

import (
	"context"

	"perdiem/gateway/boot"
)

// openWindow is nil: this build has no window, and the command line says so.
var openWindow func(ctx context.Context, a *boot.App) error
