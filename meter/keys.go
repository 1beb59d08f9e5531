package meter

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// KeyBudget is one provider key that may serve a request, with its own daily caps.
type KeyBudget struct {
	ID   string
	Caps Caps
}

// holdAny holds the budgets together with those of the first of the request's keys that has room,
// beginning with the one that has the most.
func holdAny(ctx context.Context, tx Tx, r Request, wants []want, day string) (found, error) {
	if len(r.Keys) == 0 {
		return attempt{r, wants}.hold(ctx, tx)
	}
	keys, err := byRoom(ctx, tx, r.Keys, day)
	if err != nil {
		return found{}, err
	}
	var f found
	for _, k := range keys {
		key := want{budget{ScopeKey, k.ID, AnyModel, day}, k.Caps, CountTotal}
		f, err = attempt{r, append(slices.Clone(wants), key)}.hold(ctx, tx)
		if short := (*shortfall)(nil); !errors.As(err, &short) || short.reason != KeysSpent {
			break // held, or no other key would help
		}
	}
	return f, err
}

// byRoom orders keys by the share of their daily caps that is left, the most first; between equals,
// by how little they served today.
func byRoom(ctx context.Context, tx Tx, keys []KeyBudget, day string) ([]KeyBudget, error) {
	if len(keys) < 2 {
		return keys, nil
	}
	usage, err := readUsage(ctx, tx, day, ScopeKey, "")
	if err != nil {
		return nil, err
	}
	stands := func(k KeyBudget) Amount {
		u := usage[budget{ScopeKey, k.ID, AnyModel, day}]
		return u.Used.plus(u.Held)
	}
	room := func(k KeyBudget) float64 {
		s := stands(k)
		return min(share(k.Caps.Requests, s.Requests), share(k.Caps.Tokens, s.Tokens), share(k.Caps.CostMicroUSD, s.Cost))
	}
	keys = slices.Clone(keys)
	slices.SortStableFunc(keys, func(a, b KeyBudget) int {
		return cmp.Or(cmp.Compare(room(b), room(a)), cmp.Compare(stands(a).Tokens, stands(b).Tokens))
	})
	return keys, nil
}

// share is how much of a limit is left, from 0 to 1.
func share(limit *int64, used int64) float64 {
	switch {
	case limit == nil:
		return 1
	case *limit <= used:
		return 0
	default:
		return float64(*limit-used) / float64(*limit)
	}
}
