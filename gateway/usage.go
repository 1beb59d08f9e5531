package gateway

import (
	"net/http"
	"slices"
	"time"

	"perdiem/meter"
)

// usageReport is a caller's own standing today. A null limit is no limit.
type usageReport struct {
	Person   string       `json:"person"`
	Day      string       `json:"day"`
	ResetsAt string       `json:"resetsAt"`
	Models   []usageModel `json:"models"`
	Purse    *usagePurse  `json:"purse"`
	Credit   *usageCredit `json:"credit"` // null if none was ever paid in
}

type usageModel struct {
	ModelID      string `json:"modelId"`
	Title        string `json:"title,omitempty"` // what people call it
	UsedRequests int64  `json:"usedRequests"`
	HeldRequests int64  `json:"heldRequests"`
	MaxRequests  *int64 `json:"maxRequests"`
	UsedTokens   int64  `json:"usedTokens"`
	HeldTokens   int64  `json:"heldTokens"`
	MaxTokens    *int64 `json:"maxTokens"`
	InputTokens  int64  `json:"inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
	Cost         int64  `json:"costMicroUSD"`
}

type usagePurse struct {
	Used int64  `json:"usedMicroUSD"`
	Held int64  `json:"heldMicroUSD"`
	Max  *int64 `json:"maxMicroUSD"`
}

type usageCredit struct {
	Balance int64 `json:"balanceMicroUSD"`
	Held    int64 `json:"heldMicroUSD"`
}

// handleUsage tells a caller what they used and may still use today, of every model that they may
// use or did.
func (g *Gateway) handleUsage(w http.ResponseWriter, r *http.Request) {
	g.read(w, r, func(c *call) (any, error) {
		if c.person.ID == "" {
			return nil, c.passRequired("Usage is told to the holder of a pass")
		}
		models, err := g.Catalogue.Models(r.Context())
		if err != nil {
			return nil, err
		}
		standings, err := c.standings(models)
		if err != nil {
			return nil, err
		}
		standings, err = c.withRemoved(standings)
		if err != nil {
			return nil, err
		}
		purse, err := g.Meter.PurseStanding(r.Context(), c.person)
		if err != nil {
			return nil, err
		}
		credit, err := g.Meter.Credit(r.Context(), c.person.ID)
		if err != nil {
			return nil, err
		}
		now := g.now()
		report := usageReport{
			Person: c.person.Name, Day: meter.Day(now), ResetsAt: meter.ResetsAt(now).Format(time.RFC3339), Models: []usageModel{},
		}
		if purse != nil {
			report.Purse = &usagePurse{purse.UsedMicroUSD, purse.HeldMicroUSD, purse.MaxMicroUSD}
		}
		if credit.PaidIn != 0 {
			report.Credit = &usageCredit{credit.Balance(), credit.Held}
		}
		titles := map[string]string{}
		for _, m := range models {
			titles[m.ID] = m.Title
		}
		for _, s := range standings {
			if s.Allowed() || s.UsedRequests+s.HeldRequests > 0 {
				report.Models = append(report.Models, usageModel{
					s.Model, titles[s.Model], s.UsedRequests, s.HeldRequests, s.MaxRequests, s.UsedTokens, s.HeldTokens, s.MaxTokens,
					s.InputTokens, s.OutputTokens, s.CostMicroUSD,
				})
			}
		}
		return report, nil
	})
}

// withRemoved adds how the caller stands on models that they used today and that are not offered any
// more: what was spent stays in sight.
func (c *call) withRemoved(standings []meter.Standing) ([]meter.Standing, error) {
	used, err := c.g.Meter.UsedModels(c.r.Context(), c.person.ID)
	if err != nil {
		return nil, err
	}
	used = slices.DeleteFunc(used, func(model string) bool {
		return slices.ContainsFunc(standings, func(s meter.Standing) bool { return s.Model == model })
	})
	removed, err := c.g.Meter.Standings(c.r.Context(), []meter.Person{c.person}, used)
	return append(standings, removed...), err
}
