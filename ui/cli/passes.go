package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"perdiem/gateway/boot"
	"perdiem/meter"
)

type passCmd struct {
	Issue  passIssueCmd  `cmd:"" help:"Make a new pass. Prints it, once."`
	List   passListCmd   `cmd:"" help:"List a person's passes."`
	Revoke passRevokeCmd `cmd:"" help:"End a pass for good."`
}

type passIssueCmd struct {
	Person string `arg:"" help:"Name or id."`
	Label  string `help:"Which device or tool it is for."`
	For    span   `help:"How long it is good for, such as 30d or 12h (default: until revoked)." placeholder:"TIME"`
}

func (c passIssueCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	var expires *time.Time
	if c.For > 0 {
		at := app.Meter.Now().Add(time.Duration(c.For))
		expires = &at
	}
	issued, secret, err := app.Meter.IssuePass(ctx, p.ID, c.Label, expires)
	if err != nil {
		return err
	}
	value := struct {
		pass
		Name string `json:"name"`
		Pass string `json:"pass"`
	}{passOf(issued), p.Name, secret}
	return s.say(value, "A pass for %s, shown this once:\n\n  %s", p.Name, secret)
}

// pass is how a pass is told in JSON, without its secret.
type pass struct {
	ID         string     `json:"id"`
	PersonID   string     `json:"personId"`
	Label      string     `json:"label,omitempty"`
	State      string     `json:"state,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

func passOf(p meter.Pass) pass {
	return pass{ID: p.ID, PersonID: p.PersonID, Label: p.Label, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, RevokedAt: p.RevokedAt, LastUsedAt: p.LastUsedAt}
}

type passListCmd struct {
	Person string `arg:"" help:"Name or id."`
}

func (c passListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findPerson(ctx, app.Meter, c.Person)
	if err != nil {
		return err
	}
	passes, err := app.Meter.Passes(ctx, p.ID)
	if err != nil {
		return err
	}
	values := []pass{}
	t := table{
		heading: []string{"PASS", "LABEL", "STATE", "MADE", "LAST USED"},
		empty:   p.Name + " has no pass. Make one with: perdiem pass issue " + quoted(p.Name),
	}
	for _, one := range passes {
		v := passOf(one)
		v.State = passState(one, app.Meter.Now())
		values = append(values, v)
		t.rows = append(t.rows, []string{one.ID, one.Label, v.State, timeText(&one.CreatedAt), timeText(one.LastUsedAt)})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

func passState(p meter.Pass, now time.Time) string {
	switch {
	case p.RevokedAt != nil:
		return "revoked"
	case p.ExpiresAt != nil && !now.Before(*p.ExpiresAt):
		return "expired"
	}
	return "good"
}

type passRevokeCmd struct {
	Pass string `arg:"" help:"The pass's 8 public characters, as perdiem pass list shows them."`
}

func (c passRevokeCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	id := publicPart(c.Pass)
	if err := app.Meter.RevokePass(ctx, id); errors.Is(err, meter.ErrNotFound) {
		return fmt.Errorf("there is no pass %q; list a person's with: perdiem pass list NAME", id)
	} else if err != nil {
		return err
	}
	return s.say(map[string]string{"id": id}, "Revoked the pass %s, from the next request on.", id)
}

// publicPart takes a pass's public characters out of a whole pass, so that its secret half, typed
// by mistake, is at least not printed again.
func publicPart(pass string) string {
	if rest, ok := strings.CutPrefix(pass, "pdm_"); ok {
		pass, _, _ = strings.Cut(rest, "_")
	}
	return pass
}
