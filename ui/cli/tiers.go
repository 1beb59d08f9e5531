package cli

import (
	"context"
	"errors"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

type tierCmd struct {
	Add    tierAddCmd    `cmd:"" help:"Add a tier."`
	List   tierListCmd   `cmd:"" help:"List tiers."`
	Remove tierRemoveCmd `cmd:"" help:"Remove a tier and its allowances; its people stay."`
}

type tierAddCmd struct {
	Name string `arg:"" help:"The tier's name."`
}

func (c tierAddCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if err := app.Meter.AddTier(ctx, c.Name); err != nil {
		return err
	}
	return s.say(map[string]string{"name": c.Name}, "Added the tier %s. Say what it may use with: perdiem allow %s MODEL --tokens N",
		c.Name, quoted("tier:"+c.Name))
}

type tierListCmd struct{}

func (tierListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	tiers, err := app.Meter.Tiers(ctx)
	if err != nil {
		return err
	}
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	type tier struct {
		Name   string   `json:"name"`
		People []string `json:"people"`
	}
	values := []tier{}
	t := table{heading: []string{"TIER", "PEOPLE "}, empty: "No tiers. Add one with: perdiem tier add NAME"}
	for _, name := range tiers {
		v := tier{Name: name, People: []string{}}
		for _, p := range people {
			if p.Tier == name {
				v.People = append(v.People, p.Name)
			}
		}
		values = append(values, v)
		t.rows = append(t.rows, []string{name, meter.Group(int64(len(v.People)))})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type tierRemoveCmd struct {
	Name string `arg:"" help:"The tier's name."`
}

func (c tierRemoveCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	name, err := findTier(ctx, app.Meter, c.Name)
	if err != nil {
		return err
	}
	if err := app.Meter.RemoveTier(ctx, name); err != nil {
		return err
	}
	return s.say(map[string]string{"name": name}, "Removed the tier %s.", name)
}

// findTier finds a tier's name as it is stored, or says which tiers may have been meant.
func findTier(ctx context.Context, m *meter.Meter, name string) (string, error) {
	found, err := m.FindTier(ctx, name)
	if !errors.Is(err, meter.ErrNotFound) {
		return found, err
	}
	tiers, err := m.Tiers(ctx)
	if err != nil {
		return "", err
	}
	return "", unknownError{what: "tier", name: name, known: tiers, hint: "add one with: perdiem tier add NAME"}
}
