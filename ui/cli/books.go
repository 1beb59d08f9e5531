package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perdiem/gateway"
	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/ui/live"
)

type usageCmd struct {
	Person string `arg:"" optional:"" help:"Name or id (default: everybody)."`
	All    bool   `help:"Show the models that were not used, too."`
}

// usage is one person's day, as GET /v1/usage has it, but for purse and credit: other commands tell those.
type usage struct {
	Person   string       `json:"person"`
	Day      string       `json:"day"`
	ResetsAt time.Time    `json:"resetsAt"`
	Models   []modelUsage `json:"models"`
}

type modelUsage struct {
	Model        string `json:"modelId"`
	UsedRequests int64  `json:"usedRequests"`
	MaxRequests  *int64 `json:"maxRequests"`
	UsedTokens   int64  `json:"usedTokens"`
	MaxTokens    *int64 `json:"maxTokens"`
	HeldTokens   int64  `json:"heldTokens"`
	InputTokens  int64  `json:"inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
	CostMicroUSD int64  `json:"costMicroUSD"`
}

func (c usageCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	if c.Person != "" {
		p, err := findPerson(ctx, app.Meter, c.Person)
		if err != nil {
			return err
		}
		people = []meter.Person{p}
	}
	models, err := live.ModelIDs(ctx, app.Providers)
	if err != nil {
		return err
	}
	used, err := app.Meter.UsedModels(ctx, "")
	if err != nil {
		return err
	}
	for _, model := range used { // removed models, too: what was spent stays in sight
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	days, err := c.days(ctx, app.Meter, people, models)
	if err != nil {
		return err
	}
	return s.show(days, func() error { return c.print(ctx, s, app.Meter, days) })
}

func (c usageCmd) days(ctx context.Context, m *meter.Meter, people []meter.Person, models []string) ([]usage, error) {
	now := m.Now()
	standings, err := m.Standings(ctx, people, models)
	if err != nil {
		return nil, err
	}
	days := []usage{}
	for i, p := range people {
		day := usage{Person: p.Name, Day: meter.Day(now), ResetsAt: meter.ResetsAt(now), Models: []modelUsage{}}
		for _, st := range standings[i*len(models) : (i+1)*len(models)] {
			if !c.All && st.UsedRequests+st.HeldRequests+st.UsedTokens+st.HeldTokens == 0 {
				continue
			}
			day.Models = append(day.Models, modelUsage{
				Model: st.Model, UsedRequests: st.UsedRequests, MaxRequests: st.MaxRequests, UsedTokens: st.UsedTokens, MaxTokens: st.MaxTokens,
				HeldTokens: st.HeldTokens, InputTokens: st.InputTokens, OutputTokens: st.OutputTokens, CostMicroUSD: st.CostMicroUSD,
			})
		}
		days = append(days, day)
	}
	return days, nil
}

func (c usageCmd) print(ctx context.Context, s *session, m *meter.Meter, days []usage) error {
	rest, err := m.Totals(ctx, meter.Day(m.Now()))
	if err != nil {
		return err
	}
	t := table{heading: []string{"PERSON", "MODEL", "REQUESTS ", "OF ", "TOKENS ", "HELD ", "OF ", "COST "}, empty: "Nothing was used today."}
	for _, day := range days {
		for _, u := range day.Models {
			t.rows = append(t.rows, []string{
				day.Person, u.Model, meter.Group(u.UsedRequests), live.Limit(u.MaxRequests),
				meter.Group(u.UsedTokens), meter.Group(u.HeldTokens), live.Limit(u.MaxTokens), meter.Dollars(u.CostMicroUSD),
			})
			rest.Requests -= u.UsedRequests
			rest.InputTokens -= u.InputTokens
			rest.OutputTokens -= u.OutputTokens
			rest.CostMicroUSD -= u.CostMicroUSD
		}
	}
	if c.Person == "" && rest.Requests > 0 {
		t.rows = append(t.rows, []string{
			"others", "guests, by credit, or removed since", meter.Group(rest.Requests), "",
			meter.Group(rest.InputTokens + rest.OutputTokens), "", "", meter.Dollars(rest.CostMicroUSD),
		})
	}
	return t.print(s.Out)
}

type refusalsCmd struct {
	Person string `help:"Only this person's." placeholder:"NAME"`
	Model  string `help:"Only on this model." placeholder:"MODEL"`
	Reason string `help:"Only for this reason, such as DAILY_TOKEN_LIMIT." placeholder:"REASON"`
	Limit  int    `help:"How many, the newest first." default:"20"`
}

// refusal is how a refusal is told in JSON.
type refusal struct {
	At       time.Time     `json:"at"`
	Person   string        `json:"person"`
	Model    string        `json:"modelId"`
	Reason   meter.Reason  `json:"reason"`
	Message  string        `json:"message"`
	ResetsAt *time.Time    `json:"resetsAt"`
	Tool     string        `json:"tool,omitempty"`
	Request  string        `json:"requestId"`
	Figures  meter.Figures `json:"figures"`
}

func (c refusalsCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if c.Limit < 1 {
		return errors.New("how many? --limit is 1 or more")
	}
	reason, err := findReason(c.Reason)
	if err != nil {
		return err
	}
	filter := meter.RefusalFilter{Reason: reason, Limit: c.Limit}
	if c.Person != "" {
		p, err := findPerson(ctx, app.Meter, c.Person)
		if err != nil {
			return err
		}
		filter.PersonID = p.ID
	}
	if c.Model != "" {
		if filter.Model, err = findModel(ctx, app, c.Model); err != nil {
			return err
		}
	}
	all, err := app.Meter.Refusals(ctx, filter)
	if err != nil {
		return err
	}
	values := []refusal{}
	for _, no := range all {
		values = append(values, refusal{no.At, no.Person, no.Model, no.Reason, no.Words(no.At, no.Model), no.ResetsAt, no.Tool, no.RequestID, no.Figures})
	}
	return s.show(values, func() error {
		if len(values) == 0 {
			_, err := fmt.Fprintln(s.Out, "Nobody was refused.")
			return err
		}
		for _, no := range values {
			who := no.Person
			if who == "" {
				who = "no pass"
			}
			if _, err := fmt.Fprintf(s.Out, "%s  %s  %s\n    %s\n", timeText(&no.At), who, no.Reason, no.Message); err != nil {
				return err
			}
		}
		return nil
	})
}

// findReason reads a reason in any case, or none, or says which there are.
func findReason(name string) (meter.Reason, error) {
	reason := meter.Reason(strings.ToUpper(name))
	all := gateway.Reasons()
	if reason == "" || slices.Contains(all, reason) {
		return reason, nil
	}
	unknown := unknownError{what: "reason", name: name, all: true}
	for _, r := range all {
		unknown.known = append(unknown.known, string(r))
	}
	return "", unknown
}

type verifyCmd struct{}

// errNotClean ends the command with a failure, after the report has said what is wrong.
var errNotClean = errors.New("the books do not match the ledger; nothing was changed. To go back to a backup: perdiem restore")

func (verifyCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	report, err := app.Meter.Verify(ctx)
	if err != nil {
		return err
	}
	value := struct {
		Clean bool `json:"clean"`
		meter.Report
	}{report.Clean(), report}
	err = s.show(value, func() error {
		for _, m := range report.Mismatches {
			if _, err := fmt.Fprintf(s.Out, "%s %s, %s, %s: the books say %+v, the ledger %+v\n", m.Scope, m.Subject, m.Model, m.Day, m.Stands, m.Ledger); err != nil {
				return err
			}
		}
		for _, id := range report.BadHolds {
			if _, err := fmt.Fprintf(s.Out, "hold %s: its ends in the ledger do not match its state\n", id); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(s.Out, "Compared %s rows with %s entries of the ledger; %s holds are open.\n",
			meter.Group(int64(report.Rows)), meter.Group(int64(report.Entries)), meter.Group(int64(report.OpenHolds)))
		return err
	})
	if err == nil && !report.Clean() {
		return errNotClean
	}
	return err
}
