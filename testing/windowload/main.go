// Windowload gives the window a large team to show, and keeps it busy, so that what it costs can be measured: see
// .ci/measure-window. It writes to the books from a process of its own, as the command line does, so that the window's
// process does nothing but show.
//
//	windowload fill DATA [REQUESTS]  200 people, 20 models, so many requests of today; 100,000
//	windowload update DATA           50 changes of the books a second, until it is ended
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
)

const (
	peopleCount = 200
	modelCount  = 20
	usual       = 100_000 // requests
	writers     = 64      // as many as share a commit well

	calls = 25 // a second, each of which changes the books twice
	takes = 2 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "windowload:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	requests := usual
	if len(args) == 3 {
		var err error
		if requests, err = strconv.Atoi(args[2]); err != nil {
			return fmt.Errorf("how many requests? %w", err)
		}
	}
	var do func(context.Context, *boot.App) error
	switch {
	case (len(args) == 2 || len(args) == 3) && args[0] == "fill":
		do = func(ctx context.Context, app *boot.App) error { return fill(ctx, app, requests) }
	case len(args) == 2 && args[0] == "update":
		do = update
	default:
		return errors.New("usage: windowload fill DATA [REQUESTS] | windowload update DATA")
	}
	app, err := boot.Open(ctx, boot.Options{Data: args[1]})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, app), app.Close())
}

// model is the id of model i.
func model(i int) string { return fmt.Sprintf("acme/model-%02d", i%modelCount) }

// fill adds the team and what it used today.
func fill(ctx context.Context, app *boot.App, requests int) error {
	price := providers.Price{Input: 3_000_000, Output: 15_000_000}
	if _, err := app.Providers.AddProvider(ctx, providers.Provider{Name: "acme", BaseURL: "http://127.0.0.1:9/v1"}); err != nil {
		return err
	}
	for i := range modelCount {
		if _, err := app.Providers.AddModel(ctx, providers.Model{ID: model(i), Context: 200_000, MaxReply: 64_000, Price: &price}); err != nil {
			return err
		}
	}
	everyone, limit := meter.Holder{Kind: meter.ForEveryone}, int64(100_000)
	if err := app.Meter.SetRate(ctx, meter.Rate{Holder: everyone}); err != nil {
		return err
	}
	if err := app.Meter.SetAllowance(ctx, meter.Allowance{Holder: everyone, Model: meter.AnyModel, Limits: meter.Limits{Tokens: &limit}}); err != nil {
		return err
	}
	for i := range peopleCount {
		if _, err := app.Meter.AddPerson(ctx, fmt.Sprintf("Person %03d", i), ""); err != nil {
			return err
		}
	}
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	return together(func(w int) error {
		for i := w; i < requests; i += writers {
			if err := call(ctx, app, people[i%peopleCount].ID, i, 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// together runs do for each writer, and returns what went wrong.
func together(do func(writer int) error) error {
	var working sync.WaitGroup
	faults := make([]error, writers)
	for w := range writers {
		working.Go(func() { faults[w] = do(w) })
	}
	working.Wait()
	return errors.Join(faults...)
}

// call is one request, from its hold to its settle, or its refusal.
func call(ctx context.Context, app *boot.App, person string, i int, takes time.Duration) error {
	input, output := int64(100+i%300), int64(20+i%90)
	hold, err := app.Meter.Reserve(ctx, meter.Request{ID: fmt.Sprintf("r%06d", i), PersonID: person, Model: model(i / peopleCount),
		Input: input, Output: output, MinOutput: output, Price: &meter.Price{Input: 3_000_000, Cached: 300_000, Output: 15_000_000}})
	var no *meter.Refusal
	if errors.As(err, &no) {
		return app.Meter.LogRefusal(ctx, no)
	}
	if err != nil {
		return err
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
	}
	return app.Meter.Settle(context.WithoutCancel(ctx), hold.ID, meter.Usage{Input: input, Output: output}, meter.Reported)
}

// update makes calls at a steady pace, each by the next person on the next model.
func update(ctx context.Context, app *boot.App) error {
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	beat := time.NewTicker(time.Second / calls)
	defer beat.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	for i := usual; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			running.Go(func() {
				// The person moves on with each round, so that all pairs of person and model are reached.
				if err := call(ctx, app, people[i*7%peopleCount].ID, i, takes); err != nil && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, "windowload:", err)
				}
			})
		}
	}
}
