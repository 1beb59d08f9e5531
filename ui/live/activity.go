package live

import (
	"context"

	"perdiem/meter"
)

// ActivityBooks is what the page of activity reads.
type ActivityBooks interface {
	Ends(ctx context.Context, before int64, limit int) ([]meter.End, error)
	WorstBooks
}

// End is how a request ended, as the owner sees it.
type End struct {
	meter.End
	Who     string
	How     string // how its figures are known, or why it cost nothing
	Worst   bool   // booked at the worst case, and not given back
	Figures bool   // it has figures: a request that was released has none
}

// ReadEnds reads the newest ends, at most limit. Only those of today can be given back.
func ReadEnds(ctx context.Context, books ActivityBooks, today string, limit int) ([]End, error) {
	found, err := books.Ends(ctx, 0, limit)
	if err != nil {
		return nil, err
	}
	worst, err := books.WorstCases(ctx, today)
	if err != nil {
		return nil, err
	}
	open := make(map[string]bool, len(worst))
	for _, w := range worst {
		open[w.HoldID] = true
	}
	all := make([]End, len(found))
	for i, e := range found {
		all[i] = End{End: e, Who: OrGuest(e.Person, e.PersonID), How: how(e), Figures: e.Kind != meter.EndReleased,
			Worst: e.Kind == meter.EndSettled && open[e.HoldID]}
	}
	return all, nil
}

// how says in a few words how a request ended.
func how(e meter.End) string {
	switch e.Kind {
	case meter.EndReleased:
		if e.Note != "" {
			return "Cost nothing: " + e.Note
		}
		return "Cost nothing"
	case meter.EndExpired:
		return "Broke off, counted as far as seen"
	case meter.EndCorrected:
		return "Counted late, the difference"
	case meter.EndReturned:
		return "Given back"
	}
	switch e.Provenance {
	case meter.Counted:
		return "Counted by Perdiem"
	case meter.Held:
		return "Worst case: nobody saw its end"
	}
	return "As the provider reported"
}

// MatchingEnds are those whose person, model, request id or way of ending has the words looked for, in any case.
func MatchingEnds(all []End, words string) []End {
	return Matching(all, words, func(e End) string { return e.Who + " " + e.Model + " " + e.How + " " + e.RequestID })
}
