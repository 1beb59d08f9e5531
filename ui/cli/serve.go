package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"perdiem/gateway/boot"
	"perdiem/ui/live"
)

// logging is how a gateway logs, to the standard error output. A log has no secret, prompt or address
// of a caller in it, at any level.
type logging struct {
	LogLevel  level  `help:"How much to log: debug, info, warn or error." default:"info" placeholder:"LEVEL"`
	LogFormat string `help:"How to log: text or json." enum:"text,json" default:"text" placeholder:"FORMAT"`
}

// level is a flag that names a level of the log.
type level struct{ is slog.Level }

// UnmarshalText implements [encoding.TextUnmarshaler], by which flags are read.
func (l *level) UnmarshalText(text []byte) error {
	if err := l.is.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is no level: write debug, info, warn or error", text)
	}
	return nil
}

func (l logging) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: l.LogLevel.is}
	if l.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// orderly takes it for no fault of a gateway's that it was told to end, though it was still opening: so it always ends.
func orderly(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

type windowCmd struct {
	logging
	Quiet  bool   `help:"Do not announce the gateway in the local network."`
	Listen string `help:"The gateway's port, on every network, or HOST:PORT (default: ${listen})." placeholder:"ADDR"`
}

var errNoWindow = errors.New("this build has no window; run the gateway without one with: perdiem serve")

func (c windowCmd) Run(ctx context.Context, s *session) error { return orderly(c.open(ctx, s)) }

func (c windowCmd) open(ctx context.Context, s *session) error {
	if s.hooks.OpenWindow == nil {
		return errNoWindow
	}
	app, err := s.serving(ctx, boot.Options{Listen: c.Listen, Quiet: c.Quiet}, c.logging)
	if err != nil {
		return s.offerBackup(ctx, err)
	}
	// What keeps the gateway from its port, the window says; it is of use all the same. Where another window serves
	// these books, that one comes to the front in place of a second.
	if err := app.Start(ctx); err != nil {
		if errors.Is(err, boot.ErrServed) {
			if shown, err := live.ShowFirst(ctx, app.Meter); shown || err != nil {
				return err
			}
		}
		if damaged, _ := boot.Damaged(err); damaged {
			return s.offerBackup(ctx, err)
		}
		s.complain(err)
	}
	return s.hooks.OpenWindow(ctx, app)
}

type serveCmd struct {
	logging
	Quiet  bool   `help:"Do not announce the gateway in the local network."`
	Listen string `help:"The gateway's port, on every network, or HOST:PORT (default: ${listen})." placeholder:"ADDR"`
	HTTPS  bool   `name:"https" help:"Have the port speak HTTPS, this time. For every time: perdiem https on."`
}

func (c serveCmd) Run(ctx context.Context, s *session) error { return orderly(c.serve(ctx, s)) }

func (c serveCmd) serve(ctx context.Context, s *session) error {
	app, err := s.serving(ctx, boot.Options{Listen: c.Listen, Quiet: c.Quiet, HTTPS: c.HTTPS}, c.logging)
	if err != nil {
		return err
	}
	if err := app.Start(ctx); err != nil {
		return err
	}
	if err := s.tellAddresses(ctx, app); err != nil {
		return err
	}
	return app.Wait(ctx)
}

// serving opens the data for a gateway.
func (s *session) serving(ctx context.Context, o boot.Options, l logging) (*boot.App, error) {
	signal.Ignore(syscall.SIGPIPE) // who no longer reads the log must not end the calls that run
	o.Log = l.logger(s.Err)
	return s.open(ctx, o)
}

func (s *session) tellAddresses(ctx context.Context, app *boot.App) error {
	type address struct {
		URL   string `json:"url"`
		Label string `json:"label"`
	}
	values := []address{}
	for _, a := range app.Addresses() {
		values = append(values, address{a.URL, a.Label})
	}
	h, err := app.HTTPS(ctx)
	if err != nil {
		return err
	}
	told := map[string]any{"addresses": values}
	if h.On {
		told["fingerprint"] = h.Fingerprint
	}
	return s.show(told, func() error {
		fmt.Fprintln(s.Out, "Perdiem serves. Teammates point their tools at:")
		for _, a := range values {
			if _, err := fmt.Fprintf(s.Out, "  %s  (%s)\n", a.URL, a.Label); err != nil {
				return err
			}
		}
		if h.On {
			fmt.Fprintf(s.Out, "The certificate's SHA-256 is %s\n", h.Fingerprint)
		}
		return nil
	})
}
