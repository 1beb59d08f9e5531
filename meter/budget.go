package meter

import (
	"cmp"
	"slices"
)

// Scope is the kind of a daily budget.
type Scope string

// The scopes, as they stand in the database.
const (
	ScopePerson  Scope = "person"  // one person on one model: requests, tokens
	ScopePurse   Scope = "purse"   // one person across models: cost
	ScopeCeiling Scope = "ceiling" // everybody, or all guests, on one model or on everything
	ScopeKey     Scope = "key"     // one provider key: its own daily cap
	ScopeCredit  Scope = "credit"  // one person's prepaid money, not of any day
)

// Subjects of ceilings, and the model that stands for all models.
const (
	Everybody = "*"
	Guests    = "guest"
	AnyModel  = "*"
)

// Caps are the limits of one budget for one day; nil means no limit.
type Caps struct {
	Requests, Tokens, CostMicroUSD *int64
}

// tokensOrCost tells whether anything but the number of requests is limited.
func (c Caps) tokensOrCost() bool { return c.Tokens != nil || c.CostMicroUSD != nil }

// Amount is what a request takes of a budget.
type Amount struct {
	Requests int64
	Tokens   int64
	Cost     int64 // micro-dollars
}

func (a Amount) plus(b Amount) Amount {
	return Amount{a.Requests + b.Requests, a.Tokens + b.Tokens, a.Cost + b.Cost}
}

func (a Amount) minus(b Amount) Amount {
	return Amount{a.Requests - b.Requests, a.Tokens - b.Tokens, a.Cost - b.Cost}
}

// budget names a row of usage_daily.
type budget struct {
	Scope   Scope
	Subject string
	Model   string
	Day     string
}

// key tells a statement's rows of usage_daily apart, as keyColumn does there: one text costs half of
// what four columns do.
func (b budget) key() string { return string(b.Scope) + "/" + b.Subject + "/" + b.Model + "/" + b.Day }

const keyColumn = `scope || '/' || subject || '/' || model || '/' || day`

// noDay stands for the day in budgets that last.
const noDay = "ever"

func creditOf(person string) budget { return budget{ScopeCredit, person, AnyModel, noDay} }

// compare orders budgets the way every transaction locks them.
func (b budget) compare(o budget) int {
	return cmp.Or(cmp.Compare(b.Scope, o.Scope), cmp.Compare(b.Subject, o.Subject), cmp.Compare(b.Model, o.Model), cmp.Compare(b.Day, o.Day))
}

// want is a budget that a request needs room in, with its limits of this moment.
type want struct {
	budget
	caps   Caps
	counts Counts
}

// sortWants puts budgets into locking order.
func sortWants(ws []want) {
	slices.SortFunc(ws, func(a, b want) int { return a.compare(b.budget) })
}

// blame orders budgets by which is named first when several have no room: the caller's own before
// the team's, the team's before the owner's keys.
func (b budget) blame() int {
	switch b.Scope {
	case ScopePerson:
		return 0
	case ScopePurse, ScopeCredit:
		return 1
	case ScopeCeiling:
		if b.Model != AnyModel {
			return 2
		}
		return 3
	default:
		return 4
	}
}

// less is what is left of limits after a is taken.
func (c Caps) less(a Amount) Caps {
	minus := func(limit *int64, by int64) *int64 {
		if limit == nil {
			return nil
		}
		left := *limit - by
		return &left
	}
	return Caps{minus(c.Requests, a.Requests), minus(c.Tokens, a.Tokens), minus(c.CostMicroUSD, a.Cost)}
}

// hold tells whether an untouched budget with these limits has room for a.
func (c Caps) hold(a Amount) bool {
	fits := func(limit *int64, n int64) bool { return limit == nil || n <= *limit }
	return fits(c.Requests, a.Requests) && fits(c.Tokens, a.Tokens) && fits(c.CostMicroUSD, a.Cost)
}
