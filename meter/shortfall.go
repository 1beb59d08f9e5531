package meter

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

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

// readBudget is readSums for what is counted and held alone: a refusal reads all its budgets, and to read all their columns
// made half as many allocations again.
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
