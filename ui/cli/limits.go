package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/ui/live"
)

type allowCmd struct {
	Who      string `arg:"" help:"A person, tier:NAME, or everyone."`
	Model    string `arg:"" help:"A model's id or alias, or '*' for every model."`
	Requests amount `help:"Requests a day, or none for no limit." placeholder:"N"`
	Tokens   amount `help:"Tokens a day, or none for no limit." placeholder:"N"`
	Remove   bool   `help:"Take the allowance away, so that the next more general one decides."`
}

// allowance is how an allowance is told in JSON; null is no limit, 0 not allowed.
type allowance struct {
	Who         string `json:"who"`
	Model       string `json:"modelId"`
	MaxRequests *int64 `json:"maxRequests"`
	MaxTokens   *int64 `json:"maxTokens"`
}

func (c allowCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	holder, err := findHolder(ctx, app.Meter, c.Who)
	if err != nil {
		return err
	}
	model, err := findModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	if c.Remove {
		if err := app.Meter.RemoveAllowance(ctx, holder, model); err != nil {
			return orNoneSet(err, c.Who, "allowance on "+modelWords(model))
		}
		return s.say(allowance{Who: c.Who, Model: model}, "Removed the allowance of %s for %s.", c.Who, modelWords(model))
	}
	all, err := app.Meter.Allowances(ctx)
	if err != nil {
		return err
	}
	old := standing(all, func(a meter.Allowance) bool { return a.Holder == holder && a.Model == model })
	a := meter.Allowance{Holder: holder, Model: model,
		Limits: meter.Limits{Requests: c.Requests.over(old.Limits.Requests), Tokens: c.Tokens.over(old.Limits.Tokens)}}
	if err := app.Meter.SetAllowance(ctx, a); err != nil {
		return err
	}
	return s.say(allowance{c.Who, model, a.Limits.Requests, a.Limits.Tokens}, "%s, each day, of %s: requests %s, tokens %s.",
		c.Who, modelWords(model), live.Limit(a.Limits.Requests), live.Limit(a.Limits.Tokens))
}

type ceilingCmd struct {
	Model    string `arg:"" help:"A model's id or alias, or '*' for everything together."`
	Guests   bool   `help:"For all guests together, instead of the whole team."`
	Requests amount `help:"Requests a day, or none for no limit." placeholder:"N"`
	Tokens   amount `help:"Tokens a day, or none for no limit." placeholder:"N"`
	Cost     money  `help:"Dollars a day, or none for no limit." placeholder:"$"`
	Remove   bool   `help:"Take the ceiling away."`
}

// ceiling is how a ceiling is told in JSON.
type ceiling struct {
	Guests      bool   `json:"guests"`
	Model       string `json:"modelId"`
	MaxRequests *int64 `json:"maxRequests"`
	MaxTokens   *int64 `json:"maxTokens"`
	MaxCost     *int64 `json:"maxCostMicroUSD"`
}

func (c ceilingCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	model, err := findModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	whose := "The team"
	if c.Guests {
		whose = "All guests"
	}
	if c.Remove {
		if err := app.Meter.RemoveCeiling(ctx, c.Guests, model); err != nil {
			return orNoneSet(err, whose, "ceiling on "+modelWords(model))
		}
		return s.say(ceiling{Guests: c.Guests, Model: model}, "%s has no ceiling on %s any more.", whose, modelWords(model))
	}
	all, err := app.Meter.Ceilings(ctx)
	if err != nil {
		return err
	}
	old := standing(all, func(other meter.Ceiling) bool { return other.Guests == c.Guests && other.Model == model }).Caps
	top := meter.Ceiling{Guests: c.Guests, Model: model, Caps: meter.Caps{
		Requests: c.Requests.over(old.Requests), Tokens: c.Tokens.over(old.Tokens), CostMicroUSD: c.Cost.over(old.CostMicroUSD),
	}}
	if err := app.Meter.SetCeiling(ctx, top); err != nil {
		return err
	}
	return s.say(ceiling{c.Guests, model, top.Caps.Requests, top.Caps.Tokens, top.Caps.CostMicroUSD},
		"%s together, each day, of %s: requests %s, tokens %s, cost %s.", whose, modelWords(model),
		live.Limit(top.Caps.Requests), live.Limit(top.Caps.Tokens), dollarsText(top.Caps.CostMicroUSD))
}

type purseCmd struct {
	Who    string `arg:"" help:"A person, tier:NAME, or everyone."`
	Cost   money  `help:"Dollars a day, or none for no limit." placeholder:"$" xor:"what" required:""`
	Remove bool   `help:"Take the purse away, so that the next more general one decides." xor:"what" required:""`
}

// purse is how a purse is told in JSON.
type purse struct {
	Who     string `json:"who"`
	MaxCost *int64 `json:"maxCostMicroUSD"`
}

func (c purseCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	holder, err := findHolder(ctx, app.Meter, c.Who)
	if err != nil {
		return err
	}
	if c.Remove {
		if err := app.Meter.RemovePurse(ctx, holder); err != nil {
			return orNoneSet(err, c.Who, "purse")
		}
		return s.say(purse{Who: c.Who}, "Removed the purse of %s.", c.Who)
	}
	if err := app.Meter.SetPurse(ctx, meter.Purse{Holder: holder, CostMicroUSD: c.Cost.n}); err != nil {
		return err
	}
	return s.say(purse{c.Who, c.Cost.n}, "%s, each day, across all models: %s.", c.Who, dollarsText(c.Cost.n))
}

type rateCmd struct {
	Who      string `arg:"" help:"A person, tier:NAME, everyone, or guests."`
	Requests amount `help:"Requests a minute, or none for no limit." placeholder:"N"`
	Tokens   amount `help:"Tokens a minute, or none for no limit." placeholder:"N"`
	Images   amount `help:"Images a minute, or none for no limit." placeholder:"N"`
	Remove   bool   `help:"Take the rate away, so that the next more general one decides."`
}

// rate is how a rate is told in JSON.
type rate struct {
	Who      string `json:"who"`
	Requests *int64 `json:"requestsAMinute"`
	Tokens   *int64 `json:"tokensAMinute"`
	Images   *int64 `json:"imagesAMinute"`
}

func (c rateCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	holder := meter.Holder{Kind: meter.ForGuests}
	if c.Who != "guests" {
		var err error
		if holder, err = findHolder(ctx, app.Meter, c.Who); err != nil {
			return err
		}
	}
	if c.Remove {
		if err := app.Meter.RemoveRate(ctx, holder); err != nil {
			return orNoneSet(err, c.Who, "rate")
		}
		return s.say(rate{Who: c.Who}, "Removed the rate of %s.", c.Who)
	}
	all, err := app.Meter.Rates(ctx)
	if err != nil {
		return err
	}
	old := standing(all, func(r meter.Rate) bool { return r.Holder == holder })
	r := meter.Rate{Holder: holder, Requests: c.Requests.over(old.Requests), Tokens: c.Tokens.over(old.Tokens), Images: c.Images.over(old.Images)}
	if err := app.Meter.SetRate(ctx, r); err != nil {
		return err
	}
	return s.say(rate{c.Who, r.Requests, r.Tokens, r.Images}, "%s, each minute: requests %s, tokens %s, images %s.",
		c.Who, live.Limit(r.Requests), live.Limit(r.Tokens), live.Limit(r.Images))
}

// orNoneSet says of a limit that was to be removed and is not there whose it would have been.
func orNoneSet(err error, whose, what string) error {
	if errors.Is(err, meter.ErrNotFound) {
		return fmt.Errorf("%s has no %s; see what is set with: perdiem limits", whose, what)
	}
	return err
}

// standing is the one among all that a command changes, or none of it: what it does not name stays as it is.
func standing[T any](all []T, is func(T) bool) (one T) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		one = all[i]
	}
	return one
}
