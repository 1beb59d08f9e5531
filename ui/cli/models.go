package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/check"
	"perdiem/providers/registry"
	"perdiem/ui/live"
)

type modelCmd struct {
	Add    modelAddCmd    `cmd:"" help:"Add a model by its name."`
	Import modelImportCmd `cmd:"" help:"Add models from the provider's own list."`
	List   modelListCmd   `cmd:"" help:"List models."`
	Set    modelSetCmd    `cmd:"" help:"Change a model: its title, limits, price, or what is done at zero."`
	Remove modelRemoveCmd `cmd:"" help:"Remove a model; what was used of it stays in the books."`
}

type modelAddCmd struct {
	Model   string   `arg:"" name:"provider/model" help:"The provider, a slash, and the provider's name for the model."`
	Alias   []string `help:"Another name for it; may be given again." placeholder:"A"`
	Context amount   `help:"Tokens that prompt and reply share." placeholder:"N"`
	Reply   amount   `help:"Tokens held for a reply whose caller sets no maximum." placeholder:"N"`
	Counts  string   `help:"Which tokens an allowance counts: total, input or weighted." placeholder:"WHICH"`
	Guests  bool     `help:"Open to callers without a pass."`
}

// model is how a model is told in JSON.
type model struct {
	ID           string           `json:"id"`
	Provider     string           `json:"provider"`
	Upstream     string           `json:"upstream"`
	Title        string           `json:"title"`
	Aliases      []string         `json:"aliases"`
	Context      int64            `json:"context,omitempty"`
	MaxReply     int64            `json:"maxReply,omitempty"`
	DefaultReply int64            `json:"defaultReply"`
	Counts       providers.Counts `json:"counts"`
	Guests       bool             `json:"guests"`
	Price        *providers.Price `json:"price"`
	AtZero       providers.AtZero `json:"atZero"`
	Fallback     string           `json:"fallback,omitempty"`
	MayDropTurns bool             `json:"mayDropTurns"`
}

func modelOf(m providers.Model) model {
	return model{m.ID, m.Provider, m.Upstream, m.Title, append([]string{}, m.Aliases...), m.Context, m.MaxReply, m.DefaultReply, m.Counts, m.Guests, m.Price, m.AtZero, m.Fallback, m.MayDropTurns}
}

func (c modelAddCmd) Run(ctx context.Context, s *session) error {
	name, upstream, ok := strings.Cut(c.Model, "/")
	if !ok || upstream == "" {
		return fmt.Errorf("%q names no provider: write PROVIDER/MODEL, such as openai/gpt-5-mini", c.Model)
	}
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	p, err := findProvider(ctx, app, name)
	if err != nil {
		return err
	}
	m := catalog.Describe(p, upstream)
	m.Aliases, m.Guests = c.Alias, c.Guests
	if c.Counts != "" {
		m.Counts = providers.Counts(c.Counts)
	}
	if c.Context.n != nil {
		m.Context = *c.Context.n
	}
	if err := withinContext(m.Context, "--reply", c.Reply); err != nil {
		return err
	}
	if c.Reply.n != nil {
		m.DefaultReply = *c.Reply.n
	}
	if c.Guests {
		if err := capGuests(ctx, s, app.Meter, c.Model); err != nil {
			return err
		}
	}
	if m, err = app.Providers.AddModel(ctx, m); err != nil {
		return err
	}
	whose := "Nobody may use it yet"
	if m.Guests {
		whose = "Guests may use it; nobody with a pass may yet"
	}
	return s.say(modelOf(m), "Added %s. %s; allow it with: perdiem allow everyone %s --tokens N", m.ID, whose, m.ID)
}

// firstGuestCeiling is how many requests a day all guests together have, on everything, until the
// owner says otherwise.
const firstGuestCeiling = 100

// capGuests keeps a model from being opened to strangers without a limit: where guests have no
// ceiling yet, it sets one, and tells so.
func capGuests(ctx context.Context, s *session, m *meter.Meter, model string) error {
	all, err := m.Ceilings(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Guests && (c.Model == meter.AnyModel || c.Model == model) {
			return nil
		}
	}
	requests := int64(firstGuestCeiling)
	if err := m.SetCeiling(ctx, meter.Ceiling{Guests: true, Model: meter.AnyModel, Caps: meter.Caps{Requests: &requests}}); err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "All guests together now have %d requests a day. Change that with: perdiem ceiling '*' --guests --requests N\n", requests)
	return nil
}

type modelImportCmd struct {
	Provider string   `arg:"" help:"The provider."`
	Models   []string `arg:"" optional:"" help:"Only these, by the provider's names (default: all that it lists)."`
}

func (c modelImportCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findProvider(ctx, app, c.Provider)
	if err != nil {
		return err
	}
	listed, err := listModels(ctx, app, p)
	if err != nil {
		return err
	}
	if len(c.Models) > 0 {
		if listed, err = choose(listed, c.Models); err != nil {
			return err
		}
	}
	added := []model{}
	known := 0
	for _, m := range listed {
		m, err := app.Providers.AddModel(ctx, m)
		switch {
		case errors.Is(err, registry.ErrExists):
			known++
		case err != nil:
			return err
		default:
			added = append(added, modelOf(m))
		}
	}
	changed, err := app.Providers.Refresh(ctx, listed)
	if err != nil {
		return err
	}
	return s.say(added, "Imported %s of %s; %d were there already, %d of them brought up to date but for what you set yourself. "+
		"Nobody may use the new ones yet; see: perdiem allow --help", live.Many(int64(len(added)), "model"), p.Name, known, len(changed))
}

// listModels asks a provider for its models, with the first of its keys that can be read.
func listModels(ctx context.Context, app *boot.App, p providers.Provider) ([]providers.Model, error) {
	all, err := keysOf(ctx, app, p.Name)
	if err != nil {
		return nil, err
	}
	secret := ""
	var unread error
	for _, k := range all {
		if secret, unread = app.Secrets.Get(ctx, k); unread == nil {
			break
		}
	}
	// A local server wants no key; one that does will say so better than we can.
	models, err := check.Import(ctx, p, secret)
	if err != nil && unread != nil {
		return nil, errors.Join(err, unread)
	}
	return models, err
}

func choose(listed []providers.Model, names []string) ([]providers.Model, error) {
	var chosen []providers.Model
	for _, name := range names {
		unknown := unknownError{what: "model", name: name}
		found := false
		for _, m := range listed {
			unknown.known = append(unknown.known, m.Upstream)
			if m.Upstream == name || m.ID == name {
				chosen, found = append(chosen, m), true
				break
			}
		}
		if !found {
			return nil, unknown
		}
	}
	return chosen, nil
}

type modelListCmd struct{}

func (modelListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	all, err := app.Providers.Models(ctx)
	if err != nil {
		return err
	}
	values := []model{}
	t := table{
		heading: []string{"MODEL", "ALIASES", "CONTEXT ", "IN $/M ", "OUT $/M "},
		empty:   "No models. Add some with: perdiem model import PROVIDER",
	}
	for _, m := range all {
		values = append(values, modelOf(m))
		context, in, out := "", "", ""
		if m.Context > 0 {
			context = meter.Group(m.Context)
		}
		if m.Price != nil {
			in, out = meter.Dollars(m.Price.Input), meter.Dollars(m.Price.Output)
		}
		t.rows = append(t.rows, []string{m.ID, strings.Join(m.Aliases, ", "), context, in, out})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type modelRemoveCmd struct {
	Model string `arg:"" help:"The model's id or an alias."`
}

func (c modelRemoveCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	id, err := resolveModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	if err := app.Providers.RemoveModel(ctx, id); err != nil {
		return err
	}
	return s.say(map[string]string{"id": id}, "Removed %s.", id)
}

// resolveModel finds a model's id by its id or an alias, or says which may have been meant.
func resolveModel(ctx context.Context, app *boot.App, name string) (string, error) {
	target, err := app.Providers.Resolve(ctx, name)
	if !errors.Is(err, registry.ErrNotFound) {
		return target.Model.ID, err
	}
	all, err := app.Providers.Models(ctx)
	if err != nil {
		return "", err
	}
	unknown := unknownError{what: "model", name: name, hint: "add some with: perdiem model import PROVIDER"}
	for _, m := range all {
		unknown.known = append(append(unknown.known, m.ID), m.Aliases...)
	}
	return "", unknown
}
