package meter

import (
	"context"
	"fmt"
	"slices"
)

// Credit is a person's prepaid money, in micro-dollars. It pays for whole requests that the day's
// allowance or purse has no room for.
type Credit struct {
	PaidIn, Spent, Held int64
}

// Balance is what is left to spend.
func (c Credit) Balance() int64 { return c.PaidIn - c.Spent - c.Held }

// AddCredit pays money in, or with a negative amount takes it out again, as far as the balance goes.
// Each is an entry of its own in the ledger, with the note.
func (m *Meter) AddCredit(ctx context.Context, personID string, microUSD int64, note string) error {
	if microUSD == 0 || microUSD > maxCost || microUSD < -maxCost {
		return fmt.Errorf("credit of %s: %w", Dollars(microUSD), ErrInvalid)
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveHolder(ctx, tx, Holder{ForPerson, personID}); err != nil {
			return err
		}
		e := entry{verb: verbCredit, person: personID, model: AnyModel, day: noDay, cost: microUSD, note: note,
			changes: []change{{budget: creditOf(personID), Granted: Amount{Cost: microUSD}}}}
		if err := m.book(ctx, tx, e); err != nil {
			return err
		}
		// Read after the change, while the row is locked: a request may have spent some meanwhile.
		left, err := readCredit(ctx, tx, personID)
		if err == nil && left.Balance() < 0 {
			return fmt.Errorf("only %s are left: %w", Dollars(left.Balance()-microUSD), ErrInvalid)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("add credit: %w", err)
	}
	return nil
}

// Credit tells how a person's credit stands.
func (m *Meter) Credit(ctx context.Context, personID string) (Credit, error) {
	return readCredit(ctx, m.store.Read(), personID)
}

func readCredit(ctx context.Context, tx Tx, personID string) (Credit, error) {
	u, err := readSums(ctx, tx, creditOf(personID))
	return Credit{PaidIn: u.Granted.Cost, Spent: u.Used.Cost, Held: u.Held.Cost}, err
}

// payByCredit holds the request on the person's credit in place of their allowance and purse; the
// team's and the keys' budgets hold as ever. The allowance's row counts nothing of it, but shows
// its tokens.
func payByCredit(ctx context.Context, tx Tx, r Request, wants []want, day string) (found, error) {
	credit, err := readCredit(ctx, tx, r.PersonID)
	if err != nil {
		return found{}, err
	}
	if credit.Balance() <= 0 {
		return found{}, &shortfall{reason: DailyCostLimit}
	}
	wants = slices.DeleteFunc(slices.Clone(wants), func(w want) bool { return w.Scope == ScopePurse || w.Scope == ScopePerson })
	wants = append(wants,
		want{budget{ScopePerson, r.PersonID, r.Model, day}, Caps{}, countNothing},
		want{creditOf(r.PersonID), Caps{CostMicroUSD: &credit.PaidIn}, CountTotal})
	f, err := holdAny(ctx, tx, r, wants, day)
	f.credit = true
	return f, err
}
