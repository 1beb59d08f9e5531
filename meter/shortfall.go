package meter

import (
	"context"
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
		stands, err := readSums(ctx, tx, w.budget)
		if err != nil {
			return nil, err
		}
		used, held, had := stands.Used, stands.Held, got[w.key()]
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
