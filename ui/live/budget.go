package live

import "perdiem/meter"

// Level is how a budget stands.
type Level int

// The levels; Near begins at 80 % of the limit, counted and held together.
const (
	Calm Level = iota
	Near
	Spent
	Unlimited
	NotAllowed
)

// Budget is one daily budget as a bar shows it; a nil Max is no limit, zero not allowed.
type Budget struct {
	Used, Held int64
	Max        *int64
}

// Level tells how the budget stands.
func (b Budget) Level() Level {
	switch {
	case b.Max == nil:
		return Unlimited
	case *b.Max <= 0:
		return NotAllowed
	case b.Used+b.Held >= *b.Max:
		return Spent
	case float64(b.Used+b.Held) >= 0.8*float64(*b.Max):
		return Near
	}
	return Calm
}

// Shares are the parts of the bar that are used and held, each from 0 to 1 and together at most 1.
func (b Budget) Shares() (used, held float32) {
	if b.Max == nil || *b.Max <= 0 {
		return 0, 0
	}
	limit := float32(*b.Max)
	used = min(1, max(0, float32(b.Used)/limit))
	held = min(1-used, max(0, float32(b.Held)/limit))
	return used, held
}

// Left is what may still be spent; meaningless without a limit.
func (b Budget) Left() int64 {
	if b.Max == nil {
		return 0
	}
	return max(0, *b.Max-b.Used-b.Held)
}

// Same tells whether two budgets would be drawn alike.
func (b Budget) Same(o Budget) bool {
	if (b.Max == nil) != (o.Max == nil) || b.Max != nil && *b.Max != *o.Max {
		return false
	}
	return b.Used == o.Used && b.Held == o.Held
}

// Words says how the budget stands: "9,640 of 10,000", "9,640, no limit", "not allowed".
func (b Budget) Words() string {
	switch b.Level() {
	case Unlimited:
		return meter.Group(b.Used) + ", no limit"
	case NotAllowed:
		return "not allowed"
	}
	return meter.Group(b.Used) + " of " + meter.Group(*b.Max)
}
