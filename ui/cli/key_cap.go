package cli

import (
	"context"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/ui/live"
)

type keyCapCmd struct {
	Key      string `arg:"" help:"The key's id, as key list shows it."`
	Requests amount `help:"Requests a day, or none for no limit." placeholder:"N"`
	Tokens   amount `help:"Tokens a day, or none for no limit." placeholder:"N"`
	Cost     money  `help:"Dollars a day, or none for no limit." placeholder:"$"`
}

// keyCap is how a key's daily cap is told in JSON.
type keyCap struct {
	Key         string `json:"key"`
	MaxRequests *int64 `json:"maxRequests"`
	MaxTokens   *int64 `json:"maxTokens"`
	MaxCost     *int64 `json:"maxCostMicroUSD"`
}

func (c keyCapCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	k, err := findKey(ctx, app, c.Key, "add one with: perdiem key add PROVIDER")
	if err != nil {
		return err
	}
	caps := providers.Caps{Requests: c.Requests.over(k.Caps.Requests), Tokens: c.Tokens.over(k.Caps.Tokens), CostMicroUSD: c.Cost.over(k.Caps.CostMicroUSD)}
	if err := app.Providers.CapKey(ctx, k.ID, caps); err != nil {
		return err
	}
	return s.say(keyCap{k.ID, caps.Requests, caps.Tokens, caps.CostMicroUSD}, "This key of %s serves, each day: requests %s, tokens %s, cost %s.",
		k.Provider, live.Limit(caps.Requests), live.Limit(caps.Tokens), dollarsText(caps.CostMicroUSD))
}
