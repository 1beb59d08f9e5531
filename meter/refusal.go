package meter

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Reason is why a request was refused. The gateway has further ones for its own gates.
type Reason string

// The meter's own reasons.
const (
	PersonSuspended   Reason = "PERSON_SUSPENDED"
	ModelNotAllowed   Reason = "MODEL_NOT_ALLOWED"
	RateLimit         Reason = "RATE_LIMIT"
	DailyRequestLimit Reason = "DAILY_REQUEST_LIMIT"
	DailyTokenLimit   Reason = "DAILY_TOKEN_LIMIT"
	DailyCostLimit    Reason = "DAILY_COST_LIMIT"
	TeamCeiling       Reason = "TEAM_CEILING"
	KeysSpent         Reason = "KEYS_SPENT"
	PriceUnknown      Reason = "PRICE_UNKNOWN" // money is limited and the model has no price
)

// Daily tells whether the refusal ends when the day does.
func (r Reason) Daily() bool {
	switch r {
	case DailyRequestLimit, DailyTokenLimit, DailyCostLimit, TeamCeiling, KeysSpent:
		return true
	}
	return false
}

// Figures are the numbers behind a refusal, of the first budget that had no room.
type Figures struct {
	Scope          Scope  `json:"scope,omitempty"`
	UsedRequests   int64  `json:"usedRequests"`
	HeldRequests   int64  `json:"heldRequests"`
	MaxRequests    *int64 `json:"maxRequests"`
	UsedTokens     int64  `json:"usedTokens"`
	HeldTokens     int64  `json:"heldTokens"`
	MaxTokens      *int64 `json:"maxTokens"`
	NeededTokens   int64  `json:"neededTokens"`
	UsedCost       int64  `json:"usedCostMicroUSD"`
	HeldCost       int64  `json:"heldCostMicroUSD"`
	MaxCost        *int64 `json:"maxCostMicroUSD"`
	NeededCost     int64  `json:"neededCostMicroUSD"`
	MaxPerMinute   int64  `json:"maxPerMinute,omitempty"`
	NeverFits      bool   `json:"neverFits,omitempty"`    // not even a fresh day has room for this request
	OthersLeft     bool   `json:"othersLeft,omitempty"`   // the person may go on with another model today
	Of             string `json:"of,omitempty"`           // what a rate is of: requests, tokens, images
	RetryAfterMSec int64  `json:"retryAfterMs,omitempty"` // of a rate: the true wait
}

// Refusal is a "no" that says why and when it ends. It is an error, and the one type in which a
// reason and its figures travel from any gate to the caller, the log and the screens.
type Refusal struct {
	Seq       int64 // its place in the log
	At        time.Time
	Reason    Reason
	Detail    string // what exactly was wrong, where the reason alone does not tell; never a prompt
	PersonID  string // empty for a guest or an unknown caller
	Person    string
	Model     string
	Times     int64  // how many such there were, where several are one entry; else 0
	Tool      string // what the caller says it is: the start of its User-Agent
	RequestID string
	ResetsAt  *time.Time // when a daily refusal ends
	Figures   Figures
}

func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Words(r.At, r.Model) }

// RetryAfter is how long the caller has to wait at now; zero if waiting does not help.
func (r *Refusal) RetryAfter(now time.Time) time.Duration {
	if r.ResetsAt != nil {
		return max(r.ResetsAt.Sub(now), 0)
	}
	return time.Duration(r.Figures.RetryAfterMSec) * time.Millisecond
}

// refuse begins a refusal without figures.
func (m *Meter) refuse(reason Reason, now time.Time) *Refusal {
	r := &Refusal{At: now, Reason: reason}
	if reason.Daily() {
		at := ResetsAt(now)
		r.ResetsAt = &at
	}
	return r
}

// addressed fills in whose request a refusal answers.
func (m *Meter) addressed(err error, r Request) error {
	if no, ok := asRefusal(err); ok {
		no.PersonID, no.Model, no.RequestID = r.PersonID, r.Model, r.ID
	}
	return err
}

// asRefusal finds a refusal in an error's chain.
func asRefusal(err error) (*Refusal, bool) {
	var no *Refusal
	ok := errors.As(err, &no)
	return no, ok
}

// shortfall is the error of a hold that found no room.
type shortfall struct {
	reason     Reason
	figures    Figures
	outputRoom int64 // output tokens that would fit all budgets; negative where not even the prompt does
}

// own tells whether it is the person's own budget that has no room: then their credit may pay.
func (s *shortfall) own() bool {
	return s.figures.Scope == ScopePerson || s.figures.Scope == ScopePurse
}

func (s *shortfall) Error() string { return "no room: " + string(s.reason) }

func (m *Meter) refuseShort(s *shortfall, now time.Time) *Refusal {
	no := m.refuse(s.reason, now)
	no.Figures = s.figures
	return no
}

// ownShortfall, on a store whose writes run alone, is the *shortfall of a person whose own budget has
// no room for the least of a request, given what stands in it: to hold the others' first, and to undo
// that, would tell nothing more. Else it is nil.
func ownShortfall(ctx context.Context, tx Tx, r Request, wants []want, stands Amount) error {
	least := Usage{Input: r.Input, Output: r.MinOutput}
	full := func(w want) bool {
		return w.Scope == ScopePerson && !w.caps.less(stands).hold(w.counts.amount(least, r.Price))
	}
	if !slices.ContainsFunc(wants, full) {
		return nil
	}
	short, err := readShortfall(ctx, tx, wants, attempt{r, wants}.parts(r.Output).parts, nil, r)
	if err != nil {
		return err
	}
	return short
}

// readShortfall reads what stands in every wanted budget, less what the failed statement itself
// just added, names the first that had no room, and tells how much output would fit. Where there was no
// such statement, got is nil.
func readShortfall(ctx context.Context, tx Tx, wants []want, parts []part, got map[string]bool, r Request) (*shortfall, error) {
	s := &shortfall{outputRoom: noLimit}
	least := Usage{Input: r.Input, Output: r.MinOutput}
	neverFits, blamed := false, -1
	for i, w := range wants {
		used, held, err := readBudget(ctx, tx, w.budget)
		if err != nil {
			return nil, err
		}
		had := got[w.key()]
		if had {
			held = held.minus(parts[i].Amount)
		}
		room := w.caps.less(used).less(held)
		if got == nil {
			had = room.hold(parts[i].Amount)
		}
		out, ok := w.outputRoom(room, r.Input, r.Price)
		if !ok || (room.Requests != nil && *room.Requests < 1) {
			out = -1
		}
		s.outputRoom = min(s.outputRoom, out)
		needed := w.counts.amount(least, r.Price)
		neverFits = neverFits || !w.caps.hold(needed)
		if had || (blamed >= 0 && w.blame() >= wants[blamed].blame()) {
			continue
		}
		blamed = i
		s.reason = w.reason(room, parts[i].Amount)
		s.figures = Figures{
			Scope:        w.Scope,
			UsedRequests: used.Requests, HeldRequests: held.Requests, MaxRequests: w.caps.Requests,
			UsedTokens: used.Tokens, HeldTokens: held.Tokens, MaxTokens: w.caps.Tokens,
			UsedCost: used.Cost, HeldCost: held.Cost, MaxCost: w.caps.CostMicroUSD,
			NeededTokens: needed.Tokens, NeededCost: needed.Cost,
		}
	}
	s.figures.NeverFits = neverFits
	return s, nil
}

// readBudget reads what is counted and held of a budget.
func readBudget(ctx context.Context, tx Tx, b budget) (used, held Amount, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT requests, tokens, cost, held_requests, held_tokens, held_cost FROM usage_daily
		WHERE scope = $1 AND subject = $2 AND model = $3 AND day = $4`, b.Scope, b.Subject, b.Model, b.Day)
	err = forEach(rows, err, func(r *sql.Rows) error {
		return r.Scan(&used.Requests, &used.Tokens, &used.Cost, &held.Requests, &held.Tokens, &held.Cost)
	})
	if err != nil {
		return used, held, fmt.Errorf("read a budget's figures: %w", err)
	}
	return used, held, nil
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

// reason names which limit of a budget has no room for what is needed.
func (w want) reason(room Caps, need Amount) Reason {
	switch {
	case w.Scope == ScopeCeiling:
		return TeamCeiling
	case w.Scope == ScopeKey:
		return KeysSpent
	case room.Requests != nil && *room.Requests < need.Requests:
		return DailyRequestLimit
	case room.Tokens != nil && *room.Tokens < need.Tokens:
		return DailyTokenLimit
	default:
		return DailyCostLimit
	}
}
