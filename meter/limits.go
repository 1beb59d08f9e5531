package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// Limits are what an allowance gives for one day; nil is no limit, 0 is not allowed.
type Limits struct {
	Requests, Tokens *int64
}

// Allowance is what a person, a tier or everyone may use of a model, or of any model.
type Allowance struct {
	Holder Holder
	Model  string // or AnyModel
	Limits Limits
}

// Purse is a person's daily budget of money across models, set for a person, a tier or everyone.
type Purse struct {
	Holder       Holder
	CostMicroUSD *int64
}

// Ceiling is a daily limit on one model, or on everything, for the whole team or for all guests.
type Ceiling struct {
	Guests bool
	Model  string // or AnyModel
	Caps   Caps
}

// Rate is how much a caller may ask for in any minute; nil is no limit.
type Rate struct {
	Holder   Holder // a person, a tier, everyone, or each guest
	Requests *int64
	Tokens   *int64
	Images   *int64
}

func ceilingHolder(guests bool) Holder {
	if guests {
		return Holder{Kind: ForGuests}
	}
	return Holder{Kind: ForEveryone}
}

// SetAllowance sets an allowance, in effect from the next request on.
func (m *Meter) SetAllowance(ctx context.Context, a Allowance) error {
	if a.Holder.Kind == ForGuests {
		return fmt.Errorf("guests have ceilings, not allowances: %w", ErrInvalid)
	}
	return m.setLimit(ctx, "set allowance", limitRow{ScopePerson, Source{a.Holder, a.Model}, Caps{Requests: a.Limits.Requests, Tokens: a.Limits.Tokens}})
}

// RemoveAllowance removes an allowance, so that the next row in the look-up order decides.
func (m *Meter) RemoveAllowance(ctx context.Context, h Holder, model string) error {
	return m.removeLimit(ctx, "remove allowance", ScopePerson, Source{h, model})
}

// Allowances lists every allowance that is set.
func (m *Meter) Allowances(ctx context.Context) ([]Allowance, error) {
	return listLimits(ctx, m, ScopePerson, func(l limitRow) Allowance {
		return Allowance{l.source.Holder, l.source.Model, Limits{l.caps.Requests, l.caps.Tokens}}
	})
}

// SetPurse sets a daily budget of money.
func (m *Meter) SetPurse(ctx context.Context, p Purse) error {
	if p.Holder.Kind == ForGuests {
		return fmt.Errorf("guests have ceilings, not purses: %w", ErrInvalid)
	}
	return m.setLimit(ctx, "set purse", limitRow{ScopePurse, Source{p.Holder, AnyModel}, Caps{CostMicroUSD: p.CostMicroUSD}})
}

// RemovePurse removes a daily budget of money.
func (m *Meter) RemovePurse(ctx context.Context, h Holder) error {
	return m.removeLimit(ctx, "remove purse", ScopePurse, Source{h, AnyModel})
}

// Purses lists every purse that is set.
func (m *Meter) Purses(ctx context.Context) ([]Purse, error) {
	return listLimits(ctx, m, ScopePurse, func(l limitRow) Purse { return Purse{l.source.Holder, l.caps.CostMicroUSD} })
}

// SetCeiling sets a team-wide or guest-wide daily limit.
func (m *Meter) SetCeiling(ctx context.Context, c Ceiling) error {
	return m.setLimit(ctx, "set ceiling", limitRow{ScopeCeiling, Source{ceilingHolder(c.Guests), c.Model}, c.Caps})
}

// RemoveCeiling removes a ceiling.
func (m *Meter) RemoveCeiling(ctx context.Context, guests bool, model string) error {
	return m.removeLimit(ctx, "remove ceiling", ScopeCeiling, Source{ceilingHolder(guests), model})
}

// Ceilings lists every ceiling that is set.
func (m *Meter) Ceilings(ctx context.Context) ([]Ceiling, error) {
	return listLimits(ctx, m, ScopeCeiling, func(l limitRow) Ceiling {
		return Ceiling{l.source.Holder.Kind == ForGuests, l.source.Model, l.caps}
	})
}

func (m *Meter) setLimit(ctx context.Context, doing string, l limitRow) error {
	if l.source.Model == "" {
		return fmt.Errorf("%s: which model? %w", doing, ErrInvalid)
	}
	for _, n := range []*int64{l.caps.Requests, l.caps.Tokens, l.caps.CostMicroUSD} {
		if n != nil && (*n < 0 || *n > maxCost) {
			return fmt.Errorf("%s: a limit of %d: %w", doing, *n, ErrInvalid)
		}
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveHolder(ctx, tx, l.source.Holder); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO limits (`+limitColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (scope, holder_kind, holder, model) DO UPDATE SET
				max_requests = excluded.max_requests, max_tokens = excluded.max_tokens, max_cost = excluded.max_cost`,
			l.scope, l.source.Holder.Kind, l.source.Holder.ID, l.source.Model,
			l.caps.Requests, l.caps.Tokens, l.caps.CostMicroUSD)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func (m *Meter) removeLimit(ctx context.Context, doing string, scope Scope, s Source) error {
	return m.changeOne(ctx, doing, s.Model, func(ctx context.Context, tx Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `DELETE FROM limits WHERE scope = $1 AND holder_kind = $2 AND holder = $3 AND model = $4`,
			scope, s.Holder.Kind, s.Holder.ID, s.Model)
	})
}

func listLimits[T any](ctx context.Context, m *Meter, scope Scope, as func(limitRow) T) ([]T, error) {
	rows, err := m.store.Read().QueryContext(ctx,
		`SELECT `+limitColumns+` FROM limits WHERE scope = $1 ORDER BY holder_kind, holder, model`, scope)
	all, err := collect(rows, err, func(r *sql.Rows) (T, error) {
		l, err := scanLimit(r)
		return as(l), err
	})
	if err != nil {
		return nil, fmt.Errorf("list limits: %w", err)
	}
	return all, nil
}

// mustHaveHolder refuses a limit for somebody who is not there, which would lie in wait unseen.
func mustHaveHolder(ctx context.Context, tx Tx, h Holder) error {
	switch h.Kind {
	case ForPerson:
		if h.ID == "" {
			return fmt.Errorf("which person? %w", ErrInvalid)
		}
		_, err := readPerson(ctx, tx, h.ID)
		return err
	case ForTier:
		if h.ID == "" {
			return fmt.Errorf("which tier? %w", ErrInvalid)
		}
		return mustHaveTier(ctx, tx, h.ID)
	case ForEveryone, ForGuests:
		if h.ID != "" {
			return fmt.Errorf("%s takes no name: %w", h.Kind, ErrInvalid)
		}
		return nil
	default:
		return fmt.Errorf("holder %q: %w", h.Kind, ErrInvalid)
	}
}
