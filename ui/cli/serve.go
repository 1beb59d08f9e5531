package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"perdiem/gateway/boot"
	"perdiem/ui/live"
)

type windowCmd struct {
	Listen string `help:"The gateway's port, on every network, or HOST:PORT (default: ${listen})." placeholder:"ADDR"`
}

var errNoWindow = errors.New("this build has no window; run the gateway without one with: perdiem serve")

func (c windowCmd) Run(ctx context.Context, s *session) error {
	if s.hooks.OpenWindow == nil {
		return errNoWindow
	}
	app, err := s.serving(ctx, c.Listen)
	if err != nil {
		return err
	}
	// What keeps the gateway from its port, the window says; it is of use all the same. Where another window serves
	// these books, that one comes to the front in place of a second.
	if err := app.Start(ctx); err != nil {
		if errors.Is(err, boot.ErrServed) {
			if shown, err := live.ShowFirst(ctx, app.Meter); shown || err != nil {
				return err
			}
		}
		s.complain(err)
	}
	return s.hooks.OpenWindow(ctx, app)
}

type serveCmd struct {
	Listen string `help:"The gateway's port, on every network, or HOST:PORT (default: ${listen})." placeholder:"ADDR"`
}

func (c serveCmd) Run(ctx context.Context, s *session) error {
	app, err := s.serving(ctx, c.Listen)
	if err != nil {
		return err
	}
	if err := app.Start(ctx); err != nil {
		return err
	}
	if err := s.tellAddresses(app); err != nil {
		return err
	}
	<-ctx.Done()
	return app.Stop()
}

// serving opens the data for a gateway, which logs to the standard error output.
func (s *session) serving(ctx context.Context, listen string) (*boot.App, error) {
	return s.open(ctx, boot.Options{
		Listen: listen,
		Log:    slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelInfo})),
	})
}

func (s *session) tellAddresses(app *boot.App) error {
	type address struct {
		URL   string `json:"url"`
		Label string `json:"label"`
	}
	values := []address{}
	for _, a := range app.Addresses() {
		values = append(values, address{a.URL, a.Label})
	}
	return s.show(map[string]any{"addresses": values}, func() error {
		fmt.Fprintln(s.Out, "Perdiem serves. Teammates point their tools at:")
		for _, a := range values {
			if _, err := fmt.Fprintf(s.Out, "  %s  (%s)\n", a.URL, a.Label); err != nil {
				return err
			}
		}
		return nil
	})
}
