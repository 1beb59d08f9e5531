package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"perdiem/gateway/boot"
	"perdiem/meter"
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

func (c allowCmd) Run(ctx context.Context, s *session) error {
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
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
			return err
		}
		return s.say(allowance{Who: c.Who, Model: model}, "Removed the allowance of %s for %s.", c.Who, modelWords(model))
	}
	a := meter.Allowance{Holder: holder, Model: model}
	all, err := app.Meter.Allowances(ctx)
	if err != nil {
		return err
	}
	for _, old := range all {
		if old.Holder == holder && old.Model == model {
			a.Limits = old.Limits
		}
	}
	a.Limits = meter.Limits{Requests: c.Requests.over(a.Limits.Requests), Tokens: c.Tokens.over(a.Limits.Tokens)}
	if err := app.Meter.SetAllowance(ctx, a); err != nil {
		return err
	}
	return s.say(allowance{c.Who, model, a.Limits.Requests, a.Limits.Tokens}, "%s, each day, of %s: requests %s, tokens %s.",
		c.Who, modelWords(model), limitText(a.Limits.Requests), limitText(a.Limits.Tokens))
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

func (c ceilingCmd) Run(ctx context.Context, s *session) error {
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
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
			return err
		}
		return s.say(ceiling{Guests: c.Guests, Model: model}, "%s has no ceiling on %s any more.", whose, modelWords(model))
	}
	all, err := app.Meter.Ceilings(ctx)
	if err != nil {
		return err
	}
	top := meter.Ceiling{Guests: c.Guests, Model: model}
	for _, old := range all {
		if old.Guests == c.Guests && old.Model == model {
			top.Caps = old.Caps
		}
	}
	top.Caps = meter.Caps{
		Requests: c.Requests.over(top.Caps.Requests), Tokens: c.Tokens.over(top.Caps.Tokens), CostMicroUSD: c.Cost.over(top.Caps.CostMicroUSD),
	}
	if err := app.Meter.SetCeiling(ctx, top); err != nil {
		return err
	}
	return s.say(ceiling{c.Guests, model, top.Caps.Requests, top.Caps.Tokens, top.Caps.CostMicroUSD},
		"%s together, each day, of %s: requests %s, tokens %s, cost %s.", whose, modelWords(model),
		limitText(top.Caps.Requests), limitText(top.Caps.Tokens), dollarsText(top.Caps.CostMicroUSD))
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

func (c purseCmd) Run(ctx context.Context, s *session) error {
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	holder, err := findHolder(ctx, app.Meter, c.Who)
	if err != nil {
		return err
	}
	if c.Remove {
		if err := app.Meter.RemovePurse(ctx, holder); err != nil {
			return err
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

func (c rateCmd) Run(ctx context.Context, s *session) error {
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	holder := meter.Holder{Kind: meter.ForGuests}
	if c.Who != "guests" {
		if holder, err = findHolder(ctx, app.Meter, c.Who); err != nil {
			return err
		}
	}
	if c.Remove {
		if err := app.Meter.RemoveRate(ctx, holder); err != nil {
			return err
		}
		return s.say(rate{Who: c.Who}, "Removed the rate of %s.", c.Who)
	}
	all, err := app.Meter.Rates(ctx)
	if err != nil {
		return err
	}
	r := meter.Rate{Holder: holder}
	for _, old := range all {
		if old.Holder == holder {
			r = old
		}
	}
	r.Requests, r.Tokens, r.Images = c.Requests.over(r.Requests), c.Tokens.over(r.Tokens), c.Images.over(r.Images)
	if err := app.Meter.SetRate(ctx, r); err != nil {
		return err
	}
	return s.say(rate{c.Who, r.Requests, r.Tokens, r.Images}, "%s, each minute: requests %s, tokens %s, images %s.",
		c.Who, limitText(r.Requests), limitText(r.Tokens), limitText(r.Images))
}

type grantCmd struct {
	Person   string `arg:"" help:"Name or id."`
	Model    string `arg:"" help:"A model's id or alias."`
	Requests amount `help:"Requests more, today." placeholder:"N"`
	Tokens   amount `help:"Tokens more, today." placeholder:"N"`
}

func (c grantCmd) Run(ctx context.Context, s *session) error {
	if c.Requests.given && c.Requests.n == nil || c.Tokens.given && c.Tokens.n == nil {
		return errors.New("a grant is a number; for no limit at all set the allowance: perdiem allow")
	}
	var requests, tokens int64
	if c.Requests.n != nil {
		requests = *c.Requests.n
	}
	if c.Tokens.n != nil {
		tokens = *c.Tokens.n
	}
	if requests+tokens == 0 {
		return errors.New("how much? give --requests, --tokens or both")
	}
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	model, err := findModel(ctx, app, c.Model)
	if err != nil {
		return err
	}
	if err := app.Meter.Grant(ctx, p.ID, model, requests, tokens); err != nil {
		return err
	}
	value := struct {
		Name     string `json:"name"`
		Model    string `json:"modelId"`
		Requests int64  `json:"grantedRequests"`
		Tokens   int64  `json:"grantedTokens"`
	}{p.Name, model, requests, tokens}
	return s.say(value, "Granted %s today, of %s: %s more requests, %s more tokens.", p.Name, model, meter.Group(requests), meter.Group(tokens))
}

// tierPrefix marks a tier where a person may stand as well.
const tierPrefix = "tier:"

// findHolder reads whom a limit is for: a person, tier:NAME, or everyone.
func findHolder(ctx context.Context, m *meter.Meter, who string) (meter.Holder, error) {
	if who == "everyone" {
		return meter.Holder{Kind: meter.ForEveryone}, nil
	}
	if tier, ok := strings.CutPrefix(who, tierPrefix); ok {
		return meter.Holder{Kind: meter.ForTier, ID: tier}, mustKnowTier(ctx, m, tier)
	}
	p, err := findPerson(ctx, m, who)
	return meter.Holder{Kind: meter.ForPerson, ID: p.ID}, err
}

// findModel reads a model by id or alias, or says which may have been meant. A '*' is itself.
func findModel(ctx context.Context, app *boot.App, name string) (string, error) {
	if name == meter.AnyModel {
		return name, nil
	}
	return resolveModel(ctx, app, name)
}

func modelWords(model string) string {
	if model == meter.AnyModel {
		return "every model"
	}
	return model
}

// holderWords is the reverse of findHolder.
func holderWords(h meter.Holder, people []meter.Person) string {
	switch h.Kind {
	case meter.ForPerson:
		for _, p := range people {
			if p.ID == h.ID {
				return p.Name
			}
		}
		return h.ID
	case meter.ForTier:
		return tierPrefix + h.ID
	default:
		return fmt.Sprint(h.Kind)
	}
}
