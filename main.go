// Perdiem keeps a team's LLM provider keys in the operating system's keychain and shares them
// through a gateway, under a daily allowance. This file only starts a face.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"perdiem/ui/cli"
)

func main() {
	endings := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it: to be told of it would undo that
		endings = append(endings, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings...)
	status := cli.Main(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, cli.Hooks{OpenWindow: openWindow, OfferBackup: offerBackup})
	stop()
	os.Exit(status)
}
