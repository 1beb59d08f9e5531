//go:build linux

// Command load compares Perdiem's gateway with others under load, on one machine: each gateway in a
// process of its own, all alone on one core while it is measured; the load and a fake provider share
// the other. `make bench-load` runs it and docs/performance.md tells what it showed.
//
// Invariants: every gateway is asked the same, over loopback, in turns within each scenario; an answer
// that is not whole is told as an error, and its figures are left out. Timings are shown, never judged.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	var o options
	role := flag.String("role", "", "provider or proxy: what a process started by this one is")
	upstream := flag.String("upstream", "", "where the proxy passes requests on to")
	flag.StringVar(&o.perdiem, "perdiem", "build/bin/perdiem-headless", "the program to measure")
	flag.StringVar(&o.portkey, "portkey", "", "start-server.js of Portkey's gateway, to measure it too")
	flag.StringVar(&o.dir, "dir", "build/bench", "where the books are kept: on a real disk")
	flag.DurationVar(&o.each, "each", 2*time.Second, "how long one gateway is measured in one scenario, at a time")
	flag.IntVar(&o.rounds, "rounds", 2, "how many times; the best is shown")
	flag.StringVar(&o.only, "only", "", "measure the scenarios whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	switch *role {
	case "provider":
		err = provide(ctx)
	case "proxy":
		err = proxy(ctx, *upstream)
	default:
		err = run(ctx, o)
	}
	wanted := ctx.Err() != nil
	stop()
	if err != nil && !wanted {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// options are what a run is told.
type options struct {
	perdiem, portkey, dir string
	each                  time.Duration
	rounds                int
	only                  string
}

// The cores: what is measured is alone on its own.
const (
	gatewayCore = 0
	loadCore    = 1
)

func run(ctx context.Context, o options) error {
	if err := pinSelf(loadCore); err != nil {
		return err
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if dir, err = os.MkdirTemp(dir, "run"); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sync, err := syncTime(dir)
	if err != nil {
		return err
	}
	fmt.Printf("A 4 kB append and fdatasync on this disk: %.2f ms (p50 of 200).\n", sync.Seconds()*1000)
	peers, stop, err := startPeers(ctx, o, dir)
	defer stop()
	if err != nil {
		return err
	}
	return measureAll(ctx, o, peers)
}
