package live

import (
	"context"

	"perdiem/meter"
)

// WorstBooks is where requests stand that were booked at the worst case.
type WorstBooks interface {
	WorstCases(ctx context.Context, day string) ([]meter.WorstCase, error)
}

// WorstCase is a request that was booked at what it had reserved, since nobody saw its end. Its owner may know better.
type WorstCase struct {
	meter.WorstCase
	Who string
}

// readWorst reads a day's worst cases, the newest first.
func readWorst(ctx context.Context, books WorstBooks, day string, people []meter.Person) ([]WorstCase, error) {
	found, err := books.WorstCases(ctx, day)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	names := make(map[string]string, len(people))
	for _, p := range people {
		names[p.ID] = p.Name
	}
	all := make([]WorstCase, len(found))
	for i, w := range found {
		all[i] = WorstCase{w, OrGuest(names[w.PersonID], w.PersonID)}
	}
	return all, nil
}

// OrGuest names a caller: a person by name, a removed one as such, and who has no pass as a guest.
func OrGuest(name, id string) string {
	switch {
	case name != "":
		return name
	case id != "":
		return "Removed person"
	}
	return "Guest"
}

// Booked says what was booked for it: "up to 20,000 tokens, $0.12".
func (w WorstCase) Booked() string {
	words := Many(w.Usage.Input+w.Usage.Output, "token")
	if w.CostMicro > 0 {
		words += ", " + Cents(w.CostMicro)
	}
	return words
}
