package meter

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Standing is how one person stands on one model today.
type Standing struct {
	PersonID, Model            string
	UsedRequests, HeldRequests int64
	UsedTokens, HeldTokens     int64 // as the allowance counts them
	InputTokens, OutputTokens  int64
	CostMicroUSD, HeldMicroUSD int64
	MaxRequests, MaxTokens     *int64 // grants included; nil is no limit
	GrantedRequests            int64
	GrantedTokens              int64
	From                       Source // the row that decided the limit; zero if none did
}

// Allowed tells whether the person may use the model at all today.
func (s Standing) Allowed() bool {
	return resolved{allowance: Caps{Requests: s.MaxRequests, Tokens: s.MaxTokens}}.allowed()
}

// Left tells whether there is room for one more request, however small.
func (s Standing) Left() bool {
	left := Caps{Requests: s.MaxRequests, Tokens: s.MaxTokens}.
		less(Amount{Requests: s.UsedRequests + s.HeldRequests, Tokens: s.UsedTokens + s.HeldTokens})
	return resolved{allowance: left}.allowed()
}

// MayUse tells whether a person may use a model at all today, as a gate before anything is held.
func (m *Meter) MayUse(ctx context.Context, t *Team, p Person, model string) (bool, error) {
	limits := t.limits.resolve(p, model, Amount{})
	if limits.allowed() {
		return true, nil
	}
	own, err := readSums(ctx, m.store.Read(), budget{ScopePerson, p.ID, model, Day(m.now())})
	return t.limits.resolve(p, model, own.Granted).allowed(), err
}

// Standings tells how each person stands on each model today: the people's order, then the
// models'.
func (m *Meter) Standings(ctx context.Context, people []Person, models []string) ([]Standing, error) {
	team, err := m.Team(ctx)
	if err != nil {
		return nil, err
	}
	one, day := "", Day(m.now())
	if len(people) == 1 { // a caller's own question: only their rows are read
		one = people[0].ID
	}
	usage, err := readUsage(ctx, m.store.Read(), day, ScopePerson, one)
	if err != nil {
		return nil, err
	}
	all := make([]Standing, 0, len(people)*len(models))
	for _, p := range people {
		for _, model := range models {
			all = append(all, standing(team.limits, p, model, usage[budget{ScopePerson, p.ID, model, day}]))
		}
	}
	return all, nil
}

func standing(book limitBook, p Person, model string, u Sums) Standing {
	rv := book.resolve(p, model, u.Granted)
	return Standing{
		PersonID: p.ID, Model: model, From: rv.from,
		UsedRequests: u.Used.Requests, HeldRequests: u.Held.Requests,
		UsedTokens: u.Used.Tokens, HeldTokens: u.Held.Tokens,
		InputTokens: u.Input, OutputTokens: u.Output,
		CostMicroUSD: u.Used.Cost, HeldMicroUSD: u.Held.Cost,
		MaxRequests: rv.allowance.Requests, MaxTokens: rv.allowance.Tokens,
		GrantedRequests: u.Granted.Requests, GrantedTokens: u.Granted.Tokens,
	}
}

// UsedModels names the models that a person used or holds today, also those that are not offered any
// more; all people's for the empty id.
func (m *Meter) UsedModels(ctx context.Context, personID string) ([]string, error) {
	usage, err := readUsage(ctx, m.store.Read(), Day(m.now()), ScopePerson, personID)
	if err != nil {
		return nil, err
	}
	var models []string
	for b, u := range usage {
		if u.Used != (Amount{}) || u.Held != (Amount{}) || u.Input+u.Output > 0 {
			models = append(models, b.Model)
		}
	}
	slices.Sort(models)
	return slices.Compact(models), nil
}

// readSums reads what stands in one budget.
func readSums(ctx context.Context, tx Tx, b budget) (Sums, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+sumColumns+` FROM usage_daily
		WHERE scope = $1 AND subject = $2 AND model = $3 AND day = $4`, b.Scope, b.Subject, b.Model, b.Day)
	usage, err := collectSums(rows, err)
	return usage[b], err
}

// readUsage reads a day's rows of one scope, for one subject or all.
func readUsage(ctx context.Context, tx Tx, day string, scope Scope, subject string) (map[budget]Sums, error) {
	which, args := `scope = $1 AND day = $2`, []any{scope, day}
	if subject != "" {
		which, args = which+` AND subject = $3`, append(args, subject)
	}
	rows, err := tx.QueryContext(ctx, `SELECT `+sumColumns+` FROM usage_daily WHERE `+which, args...)
	return collectSums(rows, err)
}

const sumColumns = `scope, subject, model, day, requests, tokens, cost, held_requests, held_tokens, held_cost,
	granted_requests, granted_tokens, granted_cost, input, output`

// collectSums scans rows of usage_daily.
func collectSums(rows *sql.Rows, err error) (map[budget]Sums, error) {
	usage := map[budget]Sums{}
	err = forEach(rows, err, func(r *sql.Rows) error {
		var b budget
		var s Sums
		err := r.Scan(&b.Scope, &b.Subject, &b.Model, &b.Day,
			&s.Used.Requests, &s.Used.Tokens, &s.Used.Cost, &s.Held.Requests, &s.Held.Tokens, &s.Held.Cost,
			&s.Granted.Requests, &s.Granted.Tokens, &s.Granted.Cost, &s.Input, &s.Output)
		usage[b] = s
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	return usage, nil
}

// PurseStanding is how a person's money stands today.
type PurseStanding struct {
	UsedMicroUSD, HeldMicroUSD int64
	MaxMicroUSD                *int64
}

// PurseStanding tells how a person's purse stands today; nil if they have none.
func (m *Meter) PurseStanding(ctx context.Context, p Person) (*PurseStanding, error) {
	team, err := m.Team(ctx)
	if err != nil {
		return nil, err
	}
	caps, _, ok := team.limits.of(ScopePurse, p, AnyModel)
	if !ok {
		return nil, nil
	}
	purse, err := readSums(ctx, m.store.Read(), budget{ScopePurse, p.ID, AnyModel, Day(m.now())})
	if err != nil {
		return nil, err
	}
	return &PurseStanding{purse.Used.Cost, purse.Held.Cost, caps.CostMicroUSD}, nil
}

// CeilingStanding is how a ceiling stands today.
type CeilingStanding struct {
	Ceiling
	Used, Held Amount
}

// CeilingStandings tells how every ceiling that is set stands today.
func (m *Meter) CeilingStandings(ctx context.Context) ([]CeilingStanding, error) {
	ceilings, err := m.Ceilings(ctx)
	if err != nil {
		return nil, err
	}
	day := Day(m.now())
	usage, err := readUsage(ctx, m.store.Read(), day, ScopeCeiling, "")
	if err != nil {
		return nil, err
	}
	all := make([]CeilingStanding, len(ceilings))
	for i, c := range ceilings {
		subject := Everybody
		if c.Guests {
			subject = Guests
		}
		u := usage[budget{ScopeCeiling, subject, c.Model, day}]
		all[i] = CeilingStanding{c, u.Used, u.Held}
	}
	return all, nil
}
