package cli

import (
	"context"
	"fmt"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/ui/live"
)

type limitsCmd struct{}

// limits is everything that is set, in JSON.
type limits struct {
	Allowances []allowance `json:"allowances"`
	Ceilings   []ceiling   `json:"ceilings"`
	Purses     []purse     `json:"purses"`
	Rates      []rate      `json:"rates"`
}

func (limitsCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	all, err := readLimits(ctx, app.Meter)
	if err != nil {
		return err
	}
	return s.show(all, func() error { return all.print(s) })
}

func readLimits(ctx context.Context, m *meter.Meter) (limits, error) {
	all := limits{[]allowance{}, []ceiling{}, []purse{}, []rate{}}
	people, err := m.People(ctx)
	if err != nil {
		return all, err
	}
	allowances, err := m.Allowances(ctx)
	if err != nil {
		return all, err
	}
	for _, a := range allowances {
		all.Allowances = append(all.Allowances, allowance{holderWords(a.Holder, people), a.Model, a.Limits.Requests, a.Limits.Tokens})
	}
	ceilings, err := m.Ceilings(ctx)
	if err != nil {
		return all, err
	}
	for _, c := range ceilings {
		all.Ceilings = append(all.Ceilings, ceiling{c.Guests, c.Model, c.Caps.Requests, c.Caps.Tokens, c.Caps.CostMicroUSD})
	}
	purses, err := m.Purses(ctx)
	if err != nil {
		return all, err
	}
	for _, p := range purses {
		all.Purses = append(all.Purses, purse{holderWords(p.Holder, people), p.CostMicroUSD})
	}
	rates, err := m.Rates(ctx)
	for _, r := range rates {
		all.Rates = append(all.Rates, rate{holderWords(r.Holder, people), r.Requests, r.Tokens, r.Images})
	}
	return all, err
}

func (l limits) print(s *session) error {
	t := table{heading: []string{"WHAT", "WHO", "MODEL", "REQUESTS ", "TOKENS ", "COST "}, empty: "No limit is set, so nobody may use anything yet. Allow it with: perdiem allow"}
	for _, a := range l.Allowances {
		t.rows = append(t.rows, []string{"allowance", a.Who, a.Model, live.Limit(a.MaxRequests), live.Limit(a.MaxTokens), ""})
	}
	for _, c := range l.Ceilings {
		who := "team"
		if c.Guests {
			who = "guests"
		}
		t.rows = append(t.rows, []string{"ceiling", who, c.Model, live.Limit(c.MaxRequests), live.Limit(c.MaxTokens), dollarsText(c.MaxCost)})
	}
	for _, p := range l.Purses {
		t.rows = append(t.rows, []string{"purse", p.Who, meter.AnyModel, "", "", dollarsText(p.MaxCost)})
	}
	if err := t.print(s.Out); err != nil {
		return err
	}
	for _, r := range l.Rates {
		if _, err := fmt.Fprintf(s.Out, "%s, each minute: requests %s, tokens %s, images %s\n", r.Who, live.Limit(r.Requests), live.Limit(r.Tokens), live.Limit(r.Images)); err != nil {
			return err
		}
	}
	return nil
}
