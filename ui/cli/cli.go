// Package cli is Perdiem's command line: everything that sets a gateway up and looks into its
// books, and the ways to start it. Each command is a struct of its flags with a Run method; one that
// asks for an app gets the books opened.
//
// Invariants:
//
//   - Every command takes --data and --json; with --json it prints one JSON value and nothing else
//     on the standard output.
//   - A secret is never an argument, where other programs could read it: it comes from the standard
//     input or is asked for without echo. A pass is printed once, when it is made. A join link may be
//     one: by the time that anybody has read it, it is used up.
//   - A command changes the same books that a running gateway reads, in effect on its next request.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"perdiem/gateway/boot"
)

// Hooks are what main lends the command line.
type Hooks struct {
	// OpenWindow opens the window on an app and returns when it is closed. It is nil in a build
	// without the window.
	OpenWindow func(ctx context.Context, app *boot.App) error
	// OfferBackup tells in a window that the books are damaged, and offers to go back to their newest
	// backup; goBack tells what it did, and is nil where there is none.
	OfferBackup func(ctx context.Context, why string, goBack func(context.Context) (string, error)) error
}

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit statuses.
const (
	statusOK     = 0
	statusFailed = 1
	statusUsage  = 2 // the command line itself was wrong
)

type commands struct {
	Data  string `help:"Folder that holds your data (default: ${data})." placeholder:"DIR" env:"PERDIEM_DATA"`
	Store string `help:"Address of a PostgreSQL database that several gateways share, instead of the folder's own. Leave its password to PERDIEM_STORE or ~/.pgpass." placeholder:"URL" env:"PERDIEM_STORE"`
	JSON  bool   `name:"json" help:"Print JSON."`

	Version kong.VersionFlag `help:"Print the version."`

	Window     windowCmd     `cmd:"" default:"1" help:"Open the window (what perdiem does by itself)."`
	Serve      serveCmd      `cmd:"" help:"Run the gateway without a window."`
	Demo       demoCmd       `cmd:"" help:"Try everything against a simulated provider, with no key at all."`
	Provider   providerCmd   `cmd:"" help:"Providers: accounts at vendors, and local servers."`
	Key        keyCmd        `cmd:"" help:"A provider's keys."`
	Model      modelCmd      `cmd:"" help:"Models that teammates may name."`
	Tier       tierCmd       `cmd:"" help:"Tiers: named sets of allowances."`
	Person     personCmd     `cmd:"" help:"People: your teammates."`
	Pass       passCmd       `cmd:"" help:"Passes: what a teammate's tool calls its API key."`
	Allow      allowCmd      `cmd:"" help:"Set what a person, a tier or everyone may use of a model each day."`
	Ceiling    ceilingCmd    `cmd:"" help:"Set a daily limit for the whole team, or for all guests."`
	Purse      purseCmd      `cmd:"" help:"Set a daily budget of money across all models."`
	Rate       rateCmd       `cmd:"" help:"Set how much may be asked for in a minute."`
	Grant      grantCmd      `cmd:"" help:"Give a person more of a model, today only."`
	Credit     creditCmd     `cmd:"" help:"Show a person's prepaid money, or pay some in."`
	GiveBack   giveBackCmd   `cmd:"" name:"giveback" help:"Give back what was booked at the worst case, or show what was."`
	Limits     limitsCmd     `cmd:"" help:"Show every allowance, ceiling, purse and rate that is set."`
	Usage      usageCmd      `cmd:"" help:"Show what was used today."`
	Refusals   refusalsCmd   `cmd:"" help:"Show who was refused, and why."`
	Verify     verifyCmd     `cmd:"" help:"Rebuild the day's counts from the ledger and compare."`
	Backup     backupCmd     `cmd:"" help:"Copy the books to a file, while they are in use."`
	Restore    restoreCmd    `cmd:"" help:"Go back to a backup of the books. What was there is kept."`
	Connect    connectCmd    `cmd:"" help:"Point a tool on this machine at a gateway, or take that back."`
	Doctor     doctorCmd     `cmd:"" help:"Look at everything that a gateway needs, and say what to do."`
	Find       findCmd       `cmd:"" help:"List the gateways that are announced in this network."`
	HTTPS      httpsCmd      `cmd:"" name:"https" help:"Have the gateway's port speak HTTPS, or show how it does."`
	Completion completionCmd `cmd:"" help:"Print what makes your shell complete commands: put it where the shell reads it."`
	Suggest    suggestCmd    `cmd:"" hidden:""`
}

// Main runs one command line, without the program's name, and returns the exit status.
func Main(ctx context.Context, args []string, streams Streams, hooks Hooks) int {
	var c commands
	dir, noFolder := defaultData()
	parser, err := kong.New(&c, kong.Name("perdiem"), kong.Writers(streams.Out, streams.Err),
		kong.Description("Perdiem shares your LLM keys with your team, within what each may spend today."),
		kong.Help(help), kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"data": cmp.Or(dir, "none"), "listen": boot.DefaultListen, "version": versionText()}, kong.Exit(func(status int) { panic(exit(status)) }))
	if err != nil {
		panic(err) // the structs above are wrong; the first test says so
	}
	run, status := parse(parser, args, streams)
	if run == nil {
		return status
	}
	s := &session{Streams: streams, hooks: hooks, data: cmp.Or(c.Data, dir), store: c.Store, json: c.JSON}
	defer s.close()
	if s.data == "" {
		s.complain(noFolder)
		return statusFailed
	}
	run.BindTo(ctx, (*context.Context)(nil))
	if err := run.BindToProvider(s.books); err != nil {
		panic(err) // the method below has another signature
	}
	if err := run.Run(s); err != nil {
		s.complain(err)
		return statusFailed
	}
	return statusOK
}

// exit carries the status with which kong, having printed its help, wants to end the program.
type exit int

func parse(parser *kong.Kong, args []string, streams Streams) (run *kong.Context, status int) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case exit:
			run, status = nil, int(ended)
		default:
			panic(ended)
		}
	}()
	run, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(streams.Err, "perdiem: %v\nSee: perdiem --help\n", err)
		return nil, statusUsage
	}
	return run, statusOK
}

// defaultData is where a user's data lives unless they say otherwise.
func defaultData() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding your folder for settings (give one with --data): %w", err)
	}
	return filepath.Join(dir, "Perdiem"), nil
}

// session is one run of a command.
type session struct {
	Streams
	hooks Hooks
	data  string
	store string
	json  bool
	app   *boot.App
}

// books opens the data, without a port and without the lock that a gateway holds.
func (s *session) books(ctx context.Context) (*boot.App, error) {
	if s.app != nil {
		return s.app, nil
	}
	app, err := s.open(ctx, boot.Options{})
	if err != nil {
		return nil, err
	}
	if err := app.Follow(ctx); err != nil {
		return nil, err
	}
	return app, nil
}

// open opens the data that the command line names.
func (s *session) open(ctx context.Context, o boot.Options) (*boot.App, error) {
	o.Data, o.Store = s.data, s.store
	app, err := boot.Open(ctx, o)
	switch {
	case err == nil:
		s.app = app
		return app, nil
	case s.store != "": // whose address may have a password in it
		return nil, fmt.Errorf("opening the shared store: %w", err)
	default:
		return nil, fmt.Errorf("opening the data in %s: %w", s.data, err)
	}
}

func (s *session) close() {
	if s.app != nil {
		if err := s.app.Close(); err != nil {
			s.complain(fmt.Errorf("closing the data: %w", err))
		}
	}
}

// show prints a value as JSON, or else as the text that the function prints.
func (s *session) show(value any, text func() error) error {
	if s.json {
		return printJSON(s.Out, value)
	}
	return text()
}

// say prints what was done, or the value that tells the same.
func (s *session) say(value any, format string, args ...any) error {
	return s.show(value, func() error {
		_, err := fmt.Fprintf(s.Out, format+"\n", args...)
		return err
	})
}

func (s *session) complain(err error) {
	if errors.Is(err, context.Canceled) {
		return // the user ended it
	}
	if s.json {
		_ = json.NewEncoder(s.Err).Encode(map[string]string{"error": err.Error()}) // as fmt.Fprintln below
		return
	}
	fmt.Fprintln(s.Err, "perdiem:", err)
}
