package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// HolderKind is whom a limit or a rate is set for.
type HolderKind string

// The holders, from the nearest to the most general.
const (
	ForPerson   HolderKind = "person"
	ForTier     HolderKind = "tier"
	ForEveryone HolderKind = "everyone"
	ForGuests   HolderKind = "guests" // ceilings and rates only
)

// Holder is one person (by id), one tier (by name), everyone, or all guests; the last two have
// no id.
type Holder struct {
	Kind HolderKind
	ID   string
}

// Source is the row that decided a limit; the zero value means that no row did, so the model is
// not allowed.
type Source struct {
	Holder Holder
	Model  string
}

// lookupOrder lists the rows that can decide a caller's limit on a model, the deciding one first:
// person before tier before everyone, and each one's row for the model before the one for any
// model. The first row found decides all its columns.
func lookupOrder(c caller, model string) []Source {
	holders := []Holder{{ForPerson, c.id}, {ForTier, c.tier}, {Kind: ForEveryone}}
	order := make([]Source, 0, 2*len(holders))
	for _, h := range holders {
		if h.ID == "" && h.Kind != ForEveryone {
			continue
		}
		order = append(order, Source{h, model})
		if model != AnyModel {
			order = append(order, Source{h, AnyModel})
		}
	}
	return order
}

// limitBook is a set of limits by what they are for.
type limitBook map[limitKey]Caps

type limitKey struct {
	scope  Scope
	source Source
}

func (b limitBook) first(scope Scope, order []Source) (Caps, Source, bool) {
	for _, s := range order {
		if caps, ok := b[limitKey{scope, s}]; ok {
			return caps, s, true
		}
	}
	return Caps{}, Source{}, false
}

// ofPerson chooses what is set for a person ($1) of a tier ($2) by themselves or with others, each by
// the first columns of the table's key.
const ofPerson = `((holder_kind = 'everyone' AND holder = '')
	OR (holder_kind = 'person' AND holder = $1) OR (holder_kind = 'tier' AND holder = $2))`

const limitColumns = `scope, holder_kind, holder, model, max_requests, max_tokens, max_cost`

// readLimits reads the limits that a condition chooses.
func readLimits(ctx context.Context, tx Tx, where string, args ...any) (limitBook, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+limitColumns+` FROM limits WHERE `+where, args...)
	book := limitBook{}
	err = forEach(rows, err, func(r *sql.Rows) error {
		l, err := scanLimit(r)
		book[limitKey{l.scope, l.source}] = l.caps
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read limits: %w", err)
	}
	return book, nil
}

// limitRow is a row of limits.
type limitRow struct {
	scope  Scope
	source Source
	caps   Caps
}

func scanLimit(rows *sql.Rows) (limitRow, error) {
	var l limitRow
	err := rows.Scan(&l.scope, &l.source.Holder.Kind, &l.source.Holder.ID, &l.source.Model,
		&l.caps.Requests, &l.caps.Tokens, &l.caps.CostMicroUSD)
	return l, err
}

// caller is who a hold is for, as the hold's transaction sees them.
type caller struct {
	id, name, tier string
	suspended      bool
}

func (c caller) guest() bool { return c.id == "" }

// readCaller reads a person; the empty id is a guest.
func readCaller(ctx context.Context, tx Tx, id string) (caller, error) {
	c := caller{id: id}
	if c.guest() {
		return c, nil
	}
	people, err := tx.QueryContext(ctx, `SELECT name, tier, suspended FROM people WHERE id = $1`, id)
	found := false
	err = forEach(people, err, func(r *sql.Rows) error {
		found = true
		return r.Scan(&c.name, &c.tier, &c.suspended)
	})
	switch {
	case err != nil:
		return c, fmt.Errorf("read the person: %w", err)
	case !found:
		return c, fmt.Errorf("person %q: %w", id, ErrNotFound)
	}
	return c, nil
}

// resolved is every limit that applies to one caller on one model at this moment.
type resolved struct {
	allowance Caps   // grants included
	from      Source // the row that decided it
	granted   Amount
	stands    Amount // used or held; with several gateways on one store others may add to it meanwhile
	book      limitBook
}

// callerSQL reads at once whom a hold is for ($1), what limits them on a model ($2), and what they
// were granted and used or held of it on a day ($3): three statements would cost each hold twice as much. It gives a
// row for each limit, and one without where there is none.
const callerSQL = `
	SELECT p.tier, p.suspended, COALESCE(u.granted_requests, 0), COALESCE(u.granted_tokens, 0),
		COALESCE(u.requests + u.held_requests, 0), COALESCE(u.tokens + u.held_tokens, 0),
		l.scope, l.holder_kind, l.model, l.max_requests, l.max_tokens, l.max_cost
	FROM people p
	LEFT JOIN usage_daily u ON u.scope = 'person' AND u.subject = p.id AND u.model = $2 AND u.day = $3
	LEFT JOIN limits l ON l.model IN ($2, '*') AND (
		(l.holder_kind = 'everyone' AND l.holder = '')
		OR (l.holder_kind = 'person' AND l.holder = p.id)
		OR (l.holder_kind = 'tier' AND l.holder = p.tier))
	WHERE p.id = $1`

// resolveCaller reads who a hold is for, and the limits that apply to them on the model, the day's
// grants included; the empty id is a guest.
func resolveCaller(ctx context.Context, tx Tx, id, model, day string) (caller, resolved, error) {
	c := caller{id: id}
	if c.guest() {
		book, err := readLimits(ctx, tx, `holder_kind IN ('everyone', 'guests') AND holder = '' AND model IN ($1, '*')`, model)
		return c, book.resolve(c, model, Amount{}), err
	}
	var granted, stands Amount
	found, book := false, limitBook{}
	rows, err := tx.QueryContext(ctx, callerSQL, id, model, day)
	err = forEach(rows, err, func(r *sql.Rows) error {
		found = true
		var scope, kind, of sql.NullString
		var caps Caps
		if err := r.Scan(&c.tier, &c.suspended, &granted.Requests, &granted.Tokens, &stands.Requests, &stands.Tokens,
			&scope, &kind, &of, &caps.Requests, &caps.Tokens, &caps.CostMicroUSD); err != nil || !scope.Valid {
			return err
		}
		holder := Holder{Kind: HolderKind(kind.String)}
		switch holder.Kind {
		case ForPerson:
			holder.ID = c.id
		case ForTier:
			holder.ID = c.tier
		}
		book[limitKey{Scope(scope.String), Source{holder, of.String}}] = caps
		return nil
	})
	switch {
	case err != nil:
		return c, resolved{}, fmt.Errorf("read the person and their limits: %w", err)
	case !found:
		return c, resolved{}, fmt.Errorf("person %q: %w", id, ErrNotFound)
	}
	rv := book.resolve(c, model, granted)
	rv.stands = stands
	return c, rv, nil
}

// resolve finds a caller's allowance on a model. A grant adds to it, and admits even where the
// model is not allowed: there, a column that nothing was granted of is no limit, else the grant
// would be worth nothing.
func (b limitBook) resolve(c caller, model string, granted Amount) resolved {
	caps, from, found := b.first(ScopePerson, lookupOrder(c, model))
	if !found {
		none := int64(0)
		caps = Caps{Requests: &none, Tokens: &none}
	}
	if granted.Requests > 0 || granted.Tokens > 0 {
		raise := func(limit *int64, by int64) *int64 {
			if limit == nil || *limit == 0 && by == 0 {
				return nil
			}
			sum := *limit + by
			return &sum
		}
		caps.Requests = raise(caps.Requests, granted.Requests)
		caps.Tokens = raise(caps.Tokens, granted.Tokens)
	}
	return resolved{allowance: caps, from: from, granted: granted, book: b}
}

// open tells whether guests may use the model: never without a ceiling for all of them together,
// whoever opened it.
func (rv resolved) open(model string) bool {
	_, _, ok := rv.book.first(ScopeCeiling, []Source{{Holder{Kind: ForGuests}, model}, {Holder{Kind: ForGuests}, AnyModel}})
	return ok
}

// allowed tells whether the caller may use the model at all today.
func (rv resolved) allowed() bool {
	zero := func(limit *int64) bool { return limit != nil && *limit <= 0 }
	return !zero(rv.allowance.Requests) && !zero(rv.allowance.Tokens)
}

// wants lists the budgets that a request must find room in. Every request is
// booked on its person's row and on the team's rows, limited or not: they are what usage is read
// from.
func (rv resolved) wants(c caller, model, day string, counts Counts) []want {
	team := func(subject string, holder Holder) []want {
		one := rv.book[limitKey{ScopeCeiling, Source{holder, model}}]
		all := rv.book[limitKey{ScopeCeiling, Source{holder, AnyModel}}]
		return []want{
			{budget{ScopeCeiling, subject, model, day}, one, CountTotal},
			{budget{ScopeCeiling, subject, AnyModel, day}, all, CountTotal},
		}
	}
	ws := team(Everybody, Holder{Kind: ForEveryone})
	if c.guest() {
		ws = append(ws, team(Guests, Holder{Kind: ForGuests})...)
	} else {
		ws = append(ws, want{budget{ScopePerson, c.id, model, day}, rv.allowance, counts})
		if purse, _, ok := rv.book.first(ScopePurse, lookupOrder(c, AnyModel)); ok {
			ws = append(ws, want{budget{ScopePurse, c.id, AnyModel, day}, purse, CountTotal})
		}
	}
	return ws
}
