package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
)

type modelSetCmd struct {
	Model     string  `arg:"" help:"A model's id or alias."`
	Title     *string `help:"What people call it."`
	Context   amount  `help:"Tokens that prompt and reply share; none if unknown." placeholder:"N"`
	MaxReply  amount  `help:"The most tokens that it can answer with; none if unknown." placeholder:"N"`
	Reply     amount  `help:"Tokens held for a reply whose caller sets no maximum." placeholder:"N"`
	Counts    string  `help:"Which tokens an allowance counts: total, input or weighted." placeholder:"WHICH"`
	Guests    *bool   `help:"Open to callers without a pass, or not." negatable:""`
	Input     money   `help:"Dollars for a million tokens of input." placeholder:"$"`
	Cached    money   `help:"Dollars for a million tokens of cached input (default: as input)." placeholder:"$"`
	Output    money   `help:"Dollars for a million tokens of output." placeholder:"$"`
	AtZero    string  `help:"What is done when nothing is left today: refuse, or ladder (a smaller reply, the fallback, then older turns left out)." placeholder:"WHAT"`
	DropTurns *bool   `help:"Whether the ladder may leave the oldest turns out." negatable:""`
	Fallback  *string `help:"The model to go on with at zero, or when the provider fails; empty for none." placeholder:"MODEL"`
}

// Validate refuses a change of nothing.
func (c modelSetCmd) Validate(k *kong.Context) error {
	if c.Model == "" || c != (modelSetCmd{Model: c.Model}) {
		return nil
	}
	var flags []string
	for _, f := range k.Selected().Flags {
		flags = append(flags, "--"+f.Name)
	}
	return fmt.Errorf("what should change? Give one of %s", strings.Join(flags, ", "))
}

func (c modelSetCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	m, err := wholeModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	if err := c.change(ctx, s, app, &m); err != nil {
		return err
	}
	if err := app.Providers.UpdateModel(ctx, m); err != nil {
		return err
	}
	if m, err = wholeModel(ctx, app, m.ID); err != nil { // as stored: what is held for a reply follows its limits
		return err
	}
	return s.say(modelOf(m), "Changed %s, in effect on the next request.", m.ID)
}

// wholeModel finds a model with its aliases.
func wholeModel(ctx context.Context, app *boot.App, name string) (providers.Model, error) {
	id, err := resolveModel(ctx, app, name)
	if err != nil {
		return providers.Model{}, err
	}
	all, err := app.Providers.Models(ctx)
	if err != nil {
		return providers.Model{}, err
	}
	for _, m := range all {
		if m.ID == id {
			return m, nil
		}
	}
	return providers.Model{}, fmt.Errorf("the model %s has just been removed", id)
}

func (c modelSetCmd) change(ctx context.Context, s *session, app *boot.App, m *providers.Model) error {
	if c.Title != nil {
		m.Title = *c.Title
	}
	for _, figure := range []struct {
		given amount
		of    *int64
	}{{c.Context, &m.Context}, {c.MaxReply, &m.MaxReply}, {c.Reply, &m.DefaultReply}} {
		if figure.given.given {
			*figure.of = 0
			if figure.given.n != nil {
				*figure.of = *figure.given.n
			}
		}
	}
	if err := withinContext(m.Context, "--max-reply", c.MaxReply); err != nil {
		return err
	}
	if err := withinContext(m.Context, "--reply", c.Reply); err != nil {
		return err
	}
	if c.Counts != "" {
		m.Counts = providers.Counts(c.Counts)
	}
	if c.AtZero != "" {
		m.AtZero = providers.AtZero(c.AtZero)
	}
	if err := c.setPrice(m, app.Meter.Now()); err != nil {
		return err
	}
	if c.Guests != nil {
		m.Guests = *c.Guests
		if m.Guests {
			if err := capGuests(ctx, s, app.Meter, m.ID); err != nil {
				return err
			}
		}
	}
	if c.DropTurns != nil {
		m.MayDropTurns = *c.DropTurns
	}
	if c.Fallback == nil {
		return nil
	}
	m.Fallback = ""
	if *c.Fallback == "" {
		return nil
	}
	var err error
	m.Fallback, err = resolveModel(ctx, app, *c.Fallback)
	return err
}

// withinContext refuses a length of replies that was asked for and that no reply can have.
func withinContext(context int64, flag string, reply amount) error {
	if context == 0 || reply.n == nil || *reply.n <= context {
		return nil
	}
	return fmt.Errorf("%s is %s tokens, more than the context of %s, which prompt and reply share", flag, meter.Group(*reply.n), meter.Group(context))
}

// setPrice changes what was given of a price, and says that it is the owner's.
func (c modelSetCmd) setPrice(m *providers.Model, now time.Time) error {
	if !c.Input.given && !c.Cached.given && !c.Output.given {
		return nil
	}
	p := providers.Price{}
	if m.Price != nil {
		p = *m.Price
	} else if !c.Input.given || !c.Output.given {
		return errors.New("this model has no price yet: give both --input and --output")
	}
	for _, part := range []struct {
		given money
		of    *int64
	}{{c.Input, &p.Input}, {c.Cached, &p.CacheRead}, {c.Output, &p.Output}} {
		if part.given.given && part.given.n == nil {
			return errors.New("a price is a sum of money, such as 0.25")
		}
		if part.given.given {
			*part.of = *part.given.n
		}
	}
	if m.Price == nil && !c.Cached.given {
		p.CacheRead, p.CacheWrite = p.Input, p.Input
	}
	p.Source, p.Date = registry.OwnersPrice, meter.Day(now)
	m.Price = &p
	return nil
}
