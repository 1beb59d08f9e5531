package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
	"perdiem/providers/sim"
	"perdiem/ui/live"
)

type demoCmd struct {
	Headless bool   `help:"Open no window, though there is a display."`
	Listen   string `help:"The gateway's port (default: ${listen}, or a free one if that is taken)." placeholder:"ADDR"`
	Duration span   `help:"End by itself after this time." placeholder:"TIME"`
}

const (
	demoProvider = "demo"
	demoKey      = "sk-demo-key-of-the-simulated-provider" // opens nothing but the server below
	demoDelay    = 30 * time.Millisecond                   // between two tokens, as a quick model has
	demoPace     = 6 * time.Second                         // between a person's questions
)

// Run sets a whole house up in a scratch folder, lets three people work in it, and tells how to join
// them. All of it is real but the provider's wits.
func (c demoCmd) Run(ctx context.Context, s *session) (err error) {
	if c.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.Duration))
		defer cancel()
	}
	data, err := os.MkdirTemp("", "perdiem-demo-")
	if err != nil {
		return fmt.Errorf("making a scratch folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	upstream, stop, err := serveSimulated(ctx)
	if err != nil {
		return err
	}
	defer stop()
	app, err := openDemo(ctx, data, c.Listen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	team, err := furnish(ctx, app, upstream)
	if err != nil {
		return fmt.Errorf("setting up the demo: %w", err)
	}
	base := nearAddress(app)
	if err := c.tell(s, app, base, team[0]); err != nil {
		return err
	}

	working, goHome := context.WithCancel(ctx)
	done := c.putToWork(working, s, base, team)
	defer func() { goHome(); done() }()
	if c.headless(s) {
		<-ctx.Done()
		return nil
	}
	return s.hooks.OpenWindow(ctx, app)
}

// headless tells whether the demo goes without a window: it was asked to, the build has none, or
// there is no screen to open it on.
func (c demoCmd) headless(s *session) bool {
	noScreen := runtime.GOOS == "linux" && os.Getenv("DISPLAY") == ""
	return c.Headless || s.hooks.OpenWindow == nil || noScreen
}

// nearAddress is where this machine itself reaches the gateway: no firewall stands there.
func nearAddress(app *boot.App) string {
	var urls []string
	for _, a := range app.Addresses() {
		urls = append(urls, a.URL)
	}
	return live.Nearest(urls)
}

// serveSimulated starts the simulated provider on a free loopback port.
func serveSimulated(ctx context.Context) (base string, stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("starting the simulated provider: %w", err)
	}
	server := &http.Server{Handler: sim.New(sim.Options{Secret: demoKey, Delay: demoDelay}), ReadHeaderTimeout: 10 * time.Second}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(l) }) // returns when it is closed; nothing else can befall a loopback port
	return "http://" + l.Addr().String() + "/v1", func() { _ = server.Close(); running.Wait() }, nil
}

// openDemo opens and starts an app whose one key is kept in memory, on the usual port if it is free.
func openDemo(ctx context.Context, data, listen string) (*boot.App, error) {
	open := func(listen string) (*boot.App, error) {
		app, err := boot.Open(ctx, boot.Options{Data: data, Listen: listen, Quiet: true, Secrets: keys.NewEnv(func(name string) (string, bool) {
			return demoKey, name == keys.EnvName(demoProvider)
		}, nil)})
		if err != nil {
			return nil, err
		}
		if err := app.Start(ctx); err != nil {
			return nil, errors.Join(err, app.Close())
		}
		return app, nil
	}
	app, err := open(listen)
	if listen == "" && errors.Is(err, boot.ErrPortTaken) {
		return open(":0")
	}
	return app, err
}

// furnish adds the provider, its models, three people, and what each may use. The first of them has
// room to spare.
func furnish(ctx context.Context, app *boot.App, upstream string) ([]teammate, error) {
	p, err := app.Providers.AddProvider(ctx, providers.Provider{Name: demoProvider, Vendor: catalog.Simulated, BaseURL: upstream})
	if err != nil {
		return nil, err
	}
	if _, err := app.Providers.AddKey(ctx, p.Name, "in memory", providers.Environment); err != nil {
		return nil, err
	}
	var models []string
	for _, m := range sim.Models {
		stored, err := app.Providers.AddModel(ctx, catalog.Describe(p, m.ID))
		if err != nil {
			return nil, err
		}
		models = append(models, stored.ID)
	}
	swift, sage, long := models[0], models[1], models[2]
	n := func(n int64) *int64 { return &n }
	if err := app.Meter.AddTier(ctx, "interns"); err != nil {
		return nil, err
	}
	everyone, interns := meter.Holder{Kind: meter.ForEveryone}, meter.Holder{Kind: meter.ForTier, ID: "interns"}
	for _, a := range []meter.Allowance{
		{Holder: everyone, Model: swift, Limits: meter.Limits{Tokens: n(200_000)}},
		{Holder: everyone, Model: sage, Limits: meter.Limits{Tokens: n(100_000)}},
		{Holder: interns, Model: swift, Limits: meter.Limits{Requests: n(4)}},
		{Holder: interns, Model: meter.AnyModel, Limits: meter.Limits{Requests: n(0)}},
	} {
		if err := app.Meter.SetAllowance(ctx, a); err != nil {
			return nil, err
		}
	}
	ceilings := []meter.Ceiling{
		{Model: meter.AnyModel, Caps: meter.Caps{CostMicroUSD: n(5_000_000)}},
		{Model: sage, Caps: meter.Caps{Tokens: n(150_000)}},
	}
	for _, c := range ceilings {
		if err := app.Meter.SetCeiling(ctx, c); err != nil {
			return nil, err
		}
	}
	team := []teammate{
		{name: "Ada", models: []string{swift, sage}, pace: demoPace},
		{name: "Ben", models: []string{swift, sage, long}, pace: demoPace},
		{name: "Cleo", models: []string{swift}, pace: demoPace / 2},
	}
	for i, tier := range []string{"", "", "interns"} {
		person, err := app.Meter.AddPerson(ctx, team[i].name, tier)
		if err != nil {
			return nil, err
		}
		if _, team[i].pass, err = app.Meter.IssuePass(ctx, person.ID, "demo", nil); err != nil {
			return nil, err
		}
		if team[i].name == "Ben" {
			own := meter.Holder{Kind: meter.ForPerson, ID: person.ID}
			if err := app.Meter.SetAllowance(ctx, meter.Allowance{Holder: own, Model: long, Limits: meter.Limits{Tokens: n(6_000)}}); err != nil {
				return nil, err
			}
		}
	}
	return team, nil
}

// tell prints how to join in.
func (c demoCmd) tell(s *session, app *boot.App, base string, joins teammate) error {
	setUps := live.SetUps(live.Target{Base: base, Pass: joins.pass, Model: joins.models[0]})
	if s.json {
		return printJSON(s.Out, map[string]any{"baseUrl": base, "pass": joins.pass, "model": joins.models[0], "setUps": setUps})
	}
	fmt.Fprintf(s.Out, "Perdiem's demo: three people share a simulated provider, in a scratch folder that is removed at the end.\n\n")
	for _, a := range app.Addresses() {
		fmt.Fprintf(s.Out, "  %s  (%s)\n", a.URL, a.Label)
	}
	fmt.Fprintf(s.Out, "\nJoin in with %s's pass; each of these works as it stands.\n", joins.name)
	for _, u := range setUps {
		fmt.Fprintf(s.Out, "\n%s:\n\n%s\n", u.Tool, u.Text)
	}
	fmt.Fprintf(s.Out, "\nWhat is left of the day:\n\ncurl %s/usage -H \"Authorization: Bearer %s\"\n\n", base, joins.pass)
	if c.headless(s) {
		fmt.Fprintln(s.Out, "There is no window here: serving without one. Ctrl+C ends the demo.")
	}
	return nil
}

// putToWork lets each person work until ctx ends; the function that it returns waits for them.
func (c demoCmd) putToWork(ctx context.Context, s *session, base string, team []teammate) (wait func()) {
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	said := make(chan string)
	var working, talking sync.WaitGroup
	for _, t := range team {
		working.Go(func() {
			t.work(ctx, client, base, func(name, message string) { said <- name + " was told: " + message })
		})
	}
	talking.Go(func() {
		for line := range said {
			fmt.Fprintln(s.Err, line)
		}
	})
	return func() {
		working.Wait()
		close(said)
		talking.Wait()
		transport.CloseIdleConnections()
	}
}
