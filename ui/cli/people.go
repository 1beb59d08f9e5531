package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

type personCmd struct {
	Add     personAddCmd     `cmd:"" help:"Add a person. Prints their pass, once."`
	Join    personJoinCmd    `cmd:"" help:"Make a link by which a person's device gets a pass, once, within ten minutes."`
	List    personListCmd    `cmd:"" help:"List people."`
	Suspend personSuspendCmd `cmd:"" help:"Refuse a person until they are resumed."`
	Resume  personResumeCmd  `cmd:"" help:"Let a suspended person in again."`
	Remove  personRemoveCmd  `cmd:"" help:"Remove a person with their passes and allowances."`
}

type personAddCmd struct {
	Name string `arg:"" help:"The person's name."`
	Tier string `help:"The tier they belong to." placeholder:"T"`
}

// person is how a person is told in JSON.
type person struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Tier      string    `json:"tier,omitempty"`
	Suspended bool      `json:"suspended"`
	CreatedAt time.Time `json:"createdAt"`
}

func personOf(p meter.Person) person {
	return person{p.ID, p.Name, p.Tier, p.Suspended, p.CreatedAt}
}

func (c personAddCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if c.Tier != "" {
		if _, err := findTier(ctx, app.Meter, c.Tier); err != nil {
			return err
		}
	}
	p, err := app.Meter.AddPerson(ctx, c.Name, c.Tier)
	if err != nil {
		return err
	}
	pass, secret, err := app.Meter.IssuePass(ctx, p.ID, "", nil)
	if err != nil {
		return err
	}
	value := struct {
		person
		Pass   string `json:"pass"`
		PassID string `json:"passId"`
	}{personOf(p), secret, pass.ID}
	return s.say(value, "Added %s. Their pass, shown this once:\n\n  %s\n\nThey may use what is allowed to everyone; allow more with: perdiem allow %s MODEL --tokens N",
		p.Name, secret, quoted(p.Name))
}

type personListCmd struct{}

func (personListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	people, err := app.Meter.People(ctx)
	if err != nil {
		return err
	}
	values := []person{}
	t := table{heading: []string{"NAME", "TIER", "STATE", "SINCE"}, empty: "Nobody yet. Add a teammate with: perdiem person add NAME"}
	for _, p := range people {
		values = append(values, personOf(p))
		state := "active"
		if p.Suspended {
			state = "suspended"
		}
		t.rows = append(t.rows, []string{p.Name, p.Tier, state, timeText(&p.CreatedAt)})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type personSuspendCmd struct {
	Person string `arg:"" help:"Name or id."`
}

func (c personSuspendCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return changePerson(ctx, s, app, c.Person, "Suspended %s, from the next request on.", func(m *meter.Meter, id string) error {
		return m.SuspendPerson(ctx, id, true)
	})
}

type personResumeCmd struct {
	Person string `arg:"" help:"Name or id."`
}

func (c personResumeCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return changePerson(ctx, s, app, c.Person, "Resumed %s.", func(m *meter.Meter, id string) error {
		return m.SuspendPerson(ctx, id, false)
	})
}

type personRemoveCmd struct {
	Person string `arg:"" help:"Name or id."`
}

func (c personRemoveCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	return changePerson(ctx, s, app, c.Person, "Removed %s. What they used stays in the books.", func(m *meter.Meter, id string) error {
		return m.RemovePerson(ctx, id)
	})
}

func changePerson(ctx context.Context, s *session, app *boot.App, name, done string, change func(*meter.Meter, string) error) error {
	p, err := findPerson(ctx, app.Meter, name)
	if err != nil {
		return err
	}
	if err := change(app.Meter, p.ID); err != nil {
		return err
	}
	return s.say(map[string]string{"id": p.ID, "name": p.Name}, done, p.Name)
}

// findPerson finds a person by name or id, or says who may have been meant.
func findPerson(ctx context.Context, m *meter.Meter, name string) (meter.Person, error) {
	p, err := m.FindPerson(ctx, name)
	if !errors.Is(err, meter.ErrNotFound) {
		return p, err
	}
	people, err := m.People(ctx)
	if err != nil {
		return meter.Person{}, err
	}
	unknown := unknownError{what: "person", name: name, hint: "add one with: perdiem person add NAME"}
	for _, p := range people {
		unknown.known = append(unknown.known, p.Name)
	}
	return meter.Person{}, unknown
}

// quoted makes a name fit to be typed into a shell as one word.
func quoted(name string) string {
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}
