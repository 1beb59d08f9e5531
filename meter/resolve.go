package meter

import (
	"database/sql"
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

// limitBook is a set of limits by what they are for.
type limitBook map[limitKey]Caps

type limitKey struct {
	scope  Scope
	source Source
}

// of finds the row that decides a person's limit on a model: their own before their tier's before
// everyone's, and each one's row for the model before the one for any model. It decides all its columns.
func (b limitBook) of(scope Scope, p Person, model string) (Caps, Source, bool) {
	for _, h := range [...]Holder{{ForPerson, p.ID}, {ForTier, p.Tier}, {Kind: ForEveryone}} {
		if h.ID == "" && h.Kind != ForEveryone {
			continue
		}
		for _, m := range [...]string{model, AnyModel} {
			s := Source{h, m}
			if caps, ok := b[limitKey{scope, s}]; ok {
				return caps, s, true
			}
		}
	}
	return Caps{}, Source{}, false
}

const limitColumns = `scope, holder_kind, holder, model, max_requests, max_tokens, max_cost`

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

// resolved is every limit that applies to one caller on one model at this moment.
type resolved struct {
	allowance Caps   // grants included
	from      Source // the row that decided it
	granted   Amount
	book      limitBook
}

// resolve finds a caller's allowance on a model. A grant adds to it, and admits even where the
// model is not allowed: there, a column that nothing was granted of is no limit, else the grant
// would be worth nothing.
func (b limitBook) resolve(p Person, model string, granted Amount) resolved {
	caps, from, found := b.of(ScopePerson, p, model)
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
	guests := Holder{Kind: ForGuests}
	_, one := rv.book[limitKey{ScopeCeiling, Source{guests, model}}]
	_, all := rv.book[limitKey{ScopeCeiling, Source{guests, AnyModel}}]
	return one || all
}

// allowed tells whether the caller may use the model at all today.
func (rv resolved) allowed() bool {
	zero := func(limit *int64) bool { return limit != nil && *limit <= 0 }
	return !zero(rv.allowance.Requests) && !zero(rv.allowance.Tokens)
}

// wants lists the budgets that a request must find room in. Every request is
// booked on its person's row and on the team's rows, limited or not: they are what usage is read
// from.
func (rv resolved) wants(p Person, model, day string, counts Counts) []want {
	team := func(subject string, holder Holder) []want {
		one := rv.book[limitKey{ScopeCeiling, Source{holder, model}}]
		all := rv.book[limitKey{ScopeCeiling, Source{holder, AnyModel}}]
		return []want{
			{budget{ScopeCeiling, subject, model, day}, one, CountTotal},
			{budget{ScopeCeiling, subject, AnyModel, day}, all, CountTotal},
		}
	}
	ws := team(Everybody, Holder{Kind: ForEveryone})
	if p.guest() {
		ws = append(ws, team(Guests, Holder{Kind: ForGuests})...)
	} else {
		ws = append(ws, want{budget{ScopePerson, p.ID, model, day}, rv.allowance, counts})
		if purse, _, ok := rv.book.of(ScopePurse, p, AnyModel); ok {
			ws = append(ws, want{budget{ScopePurse, p.ID, AnyModel, day}, purse, CountTotal})
		}
	}
	return ws
}
