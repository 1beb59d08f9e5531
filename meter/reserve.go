package meter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Request is what a caller is about to ask of a provider.
type Request struct {
	ID        string      // the request's id, for the books
	PersonID  string      // empty for a guest
	Network   string      // a guest's, hashed; for the rate
	PassID    string      // the pass it came with; its last use is noted
	Model     string      // the model's own id, never an alias
	Input     int64       // tokens of the prompt, estimated
	Output    int64       // tokens of room wanted for all replies together
	MinOutput int64       // the least room that is still useful; equal to Output if it must not be cut
	Counts    Counts      // how tokens count against the person's allowance
	Price     *Price      // nil if unknown
	Keys      []KeyBudget // the provider keys that could serve it; one of them is held too

	Idempotency *Idempotency // nil if the caller gave no key
}

// Hold is what a running request has reserved.
type Hold struct {
	ID     string
	Day    string // the UTC day it counts on, whenever it ends
	KeyID  string // the provider key held, if the request named any
	Input  int64
	Output int64 // room held for all replies together; less than asked where Cut
	// Limited tells that a token or money budget applies, so the reply's cap must be written.
	Limited bool
	Cut     bool
	Credit  bool // paid wholly by credit
	// Budget is the person's own budget on the model just after this hold; zero for a guest.
	Budget Left
}

// Left is how much of a budget is used or held, and its limits; nil is no limit.
type Left struct {
	Requests, Tokens       int64
	MaxRequests, MaxTokens *int64
}

// Reserve checks and holds every budget of the request in one statement, or nothing at all. The
// error is a [*Refusal] where a budget has no room, the person may not use the model or is
// suspended, and a [*Replay] where it was answered before; any other error means that the books
// could not be written and the provider must not be called.
func (m *Meter) Reserve(ctx context.Context, r Request) (Hold, error) {
	if r.Input < 0 || r.Output < 0 || r.MinOutput < 0 || r.MinOutput > r.Output {
		return Hold{}, fmt.Errorf("hold of %d+%d tokens, at least %d: %w", r.Input, r.Output, r.MinOutput, ErrInvalid)
	}
	var hold Hold
	var f found
	var now time.Time
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		now = m.now()
		if err := m.expireDue(ctx, tx, now); err != nil {
			return err
		}
		var err error
		hold, f, err = m.reserve(ctx, tx, r, now)
		return err
	})
	if err != nil {
		return Hold{}, m.addressed(err, r)
	}
	// What needs no second note is remembered only now that the first one is on the disk.
	if f.notedPass {
		m.uses.add(r.PassID, minuteOf(now))
	}
	if f.savedRate {
		m.rates.saved(rateSubject(r.PersonID, r.Network), now)
	}
	m.team.Store(f.team)
	m.open.Store(hold.ID, &ended{id: hold.ID, request: r.ID, person: r.PersonID, model: r.Model, day: hold.Day, terms: f.terms(r.keyed(), r)})
	return hold, nil
}

func (m *Meter) reserve(ctx context.Context, tx Tx, r Request, now time.Time) (Hold, found, error) {
	id := newID(now)
	if err := m.claimKey(ctx, tx, r, id, now); err != nil {
		return Hold{}, found{}, err
	}
	// Nothing but a key is written before: a refusal then has nothing to undo. What follows has the team's row
	// locked, where all requests meet: it is kept short.
	f, err := m.findRoom(ctx, tx, r, Day(now), now)
	if err != nil {
		return Hold{}, found{}, err
	}
	hold := f.asHold(id, Day(now), r)
	if err := m.writeHold(ctx, tx, hold, r, f.terms(r.keyed(), r), now); err != nil {
		return Hold{}, found{}, err
	}
	if f.notedPass, err = m.notePassUse(ctx, tx, r.PassID, now); err != nil {
		return Hold{}, found{}, err
	}
	if !m.sharedRates {
		if f.savedRate, err = m.rates.save(ctx, tx, rateSubject(r.PersonID, r.Network), now); err != nil {
			return Hold{}, found{}, err
		}
	}
	usage := Usage{Input: hold.Input, Output: hold.Output}
	return hold, f, m.append(ctx, tx, entry{
		verb: verbReserve, hold: hold.ID, request: r.ID, person: r.PersonID, model: r.Model, day: hold.Day,
		usage: usage, cost: r.Price.Cost(usage), changes: holdChanges(f.parts),
	})
}

// findRoom asks who the request is for and what limits them at this moment, and holds the budgets:
// the allowance and the purse or, where these have no room, wholly their credit.
func (m *Meter) findRoom(ctx context.Context, tx Tx, r Request, day string, now time.Time) (found, error) {
	// With several gateways on one store others may add to what stands meanwhile.
	team, granted, stands, err := m.teamIn(ctx, tx, budget{ScopePerson, r.PersonID, r.Model, day})
	if err != nil {
		return found{}, err
	}
	who, known := team.people[r.PersonID] // nobody is a guest
	if !known && r.PersonID != "" {
		return found{}, fmt.Errorf("person %q: %w", r.PersonID, ErrNotFound)
	}
	if who.Suspended {
		return found{}, m.refuse(PersonSuspended, now)
	}
	limits := team.limits.resolve(who, r.Model, granted)
	if who.guest() && !limits.open(r.Model) || !who.guest() && !limits.allowed() {
		return found{}, m.refuse(ModelNotAllowed, now)
	}
	wants := limits.wants(who, r.Model, day, r.Counts)
	if r.Price == nil && slices.ContainsFunc(wants, func(w want) bool { return w.caps.CostMicroUSD != nil }) {
		return found{}, m.refuse(PriceUnknown, now)
	}
	var f found
	if m.store.Alone() {
		err = ownShortfall(ctx, tx, r, wants, stands)
	}
	if err == nil {
		f, err = holdAny(ctx, tx, r, wants, day)
	}
	short := (*shortfall)(nil)
	if errors.As(err, &short) && short.own() && r.Price != nil {
		paid, err := payByCredit(ctx, tx, r, wants, day)
		if err == nil || !errors.As(err, new(*shortfall)) {
			paid.team, paid.own = team, paid.ownAfter(stands)
			return paid, err
		}
	}
	if short != nil {
		return found{}, m.refuseShort(short, now)
	}
	f.team, f.allowance, f.own = team, limits.allowance, f.ownAfter(stands)
	return f, err
}

// ownAfter is what stands in the person's own budget after this hold, given what stood before.
func (f found) ownAfter(before Amount) Amount {
	for _, p := range f.parts {
		if p.Scope == ScopePerson {
			return before.plus(p.Amount)
		}
	}
	return Amount{}
}

// asHold is the room found, as its holder sees it.
func (f found) asHold(id, day string, r Request) Hold {
	return Hold{
		ID: id, Day: day, KeyID: f.key, Input: r.Input, Output: f.output,
		Limited: f.limited, Cut: f.output < r.Output, Credit: f.credit,
		Budget: Left{f.own.Requests, f.own.Tokens, f.allowance.Requests, f.allowance.Tokens},
	}
}

// terms are what a hold of this room is made on.
func (f found) terms(keyed bool, r Request) terms {
	return terms{Keyed: keyed, Parts: f.parts, Price: r.Price}
}

func holdChanges(parts []part) []change {
	changes := make([]change, len(parts))
	for i, p := range parts {
		changes[i] = change{budget: p.budget, Held: p.Amount}
	}
	return changes
}

// writeHold notes the hold beside what it took.
func (m *Meter) writeHold(ctx context.Context, tx Tx, h Hold, r Request, on terms, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO holds (id, request, person, model, day, gateway, state, created_at, expires_at, input, output, terms)
		VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11)`,
		h.ID, r.ID, r.PersonID, r.Model, h.Day, m.gateway,
		millis(now), millis(now.Add(HoldTTL)), h.Input, h.Output, on.encode())
	if err != nil {
		return fmt.Errorf("write the hold: %w", err)
	}
	return nil
}

// newID is a fresh id that sorts by when it was made (a UUID of version 7), so that new rows go to the
// end of an index and old ones are found by it.
func newID(now time.Time) string {
	id := uuid.New()
	setTime(&id, now)
	id[6] = 0x70 | id[6]&0x0f
	return id.String()
}

// firstID sorts before every id that is made at a time or later.
func firstID(t time.Time) string {
	var id uuid.UUID
	setTime(&id, t)
	return id.String()
}

func setTime(id *uuid.UUID, t time.Time) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(millis(t)))
	copy(id[:6], ms[2:])
}
