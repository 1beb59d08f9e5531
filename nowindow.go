//go:build headless || (!cgo && !ci)

package main

import (
	"context"

	"perdiem/gateway/boot"
)

// These are nil: this build has no window, and the command line says so.
var (
	openWindow  func(ctx context.Context, a *boot.App) error
	offerBackup func(ctx context.Context, why string, goBack func(context.Context) (string, error)) error
)
