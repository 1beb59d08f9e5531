package cli

import (
	"context"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

type giveBackCmd struct {
	Hold string `arg:"" optional:"" help:"The hold to give back, as the list names it (default: list today's)."`
}

// worstCase is how a request booked at the worst case is told in JSON.
type worstCase struct {
	Hold   string    `json:"hold"`
	At     time.Time `json:"at"`
	Person string    `json:"person"`
	Model  string    `json:"modelId"`
	Input  int64     `json:"inputTokens"`
	Output int64     `json:"outputTokens"`
	Cost   int64     `json:"costMicroUSD"`
}

func (c giveBackCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if c.Hold != "" {
		if err := app.Meter.GiveBack(ctx, c.Hold); err != nil {
			return err
		}
		return s.say(map[string]string{"hold": c.Hold}, "Given back.")
	}
	list, err := app.Meter.WorstCases(ctx, meter.Day(app.Meter.Now()))
	if err != nil {
		return err
	}
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	names := map[string]string{"": "a guest"}
	for _, p := range people {
		names[p.ID] = p.Name
	}
	all := []worstCase{}
	t := table{heading: []string{"HOLD", "AT", "PERSON", "MODEL", "TOKENS ", "COST "}, empty: "Nothing was booked at the worst case today."}
	for _, w := range list {
		all = append(all, worstCase{w.HoldID, w.At, names[w.PersonID], w.Model, w.Usage.Input, w.Usage.Output, w.CostMicro})
		t.rows = append(t.rows, []string{
			w.HoldID, w.At.Format(time.TimeOnly), names[w.PersonID], w.Model,
			meter.Group(w.Usage.Input + w.Usage.Output), meter.Dollars(w.CostMicro),
		})
	}
	return s.show(all, func() error { return t.print(s.Out) })
}
