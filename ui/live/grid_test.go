package live_test

import (
	"context"
	"testing"

	"perdiem/meter"
	"perdiem/ui/live"
)

// desk remembers what an edit wrote.
type desk struct {
	set     *meter.Allowance
	removed bool
}

func (d *desk) SetAllowance(_ context.Context, a meter.Allowance) error { d.set = &a; return nil }
func (d *desk) RemoveAllowance(context.Context, meter.Holder, string) error {
	d.removed = true
	return nil
}

func (d *desk) SetPurse(context.Context, meter.Purse) error     { return nil }
func (d *desk) RemovePurse(context.Context, meter.Holder) error { return nil }

func limit(n int64) *int64 { return &n }

func TestAnEditOfOneUnitKeepsTheOther(t *testing.T) {
	none := limit(0)
	for _, c := range []struct {
		name             string
		before           meter.Limits
		unit             live.Unit
		typed            *int64
		tokens, requests *int64
	}{
		{"tokens keep the inherited requests", meter.Limits{Requests: limit(20), Tokens: limit(100)}, live.Tokens, limit(500), limit(500), limit(20)},
		{"requests keep the inherited tokens", meter.Limits{Requests: limit(20), Tokens: limit(100)}, live.Requests, limit(5), limit(100), limit(5)},
		{"no limit keeps the other limit", meter.Limits{Requests: limit(20), Tokens: limit(100)}, live.Tokens, nil, nil, limit(20)},
		{"allowing lifts a zero in the other unit", meter.Limits{Requests: none, Tokens: none}, live.Tokens, limit(500), limit(500), nil},
		{"forbidding leaves the other unit", meter.Limits{Requests: limit(20), Tokens: limit(100)}, live.Tokens, none, none, limit(20)},
		{"forbidding leaves a zero in the other unit", meter.Limits{Requests: none, Tokens: limit(5)}, live.Tokens, none, none, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &desk{}
			e := live.Edit{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: "m", Before: live.Cell{Limits: c.before}, Unit: c.unit, Limit: c.typed}
			if err := e.Apply(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if live.Limit(d.set.Limits.Tokens) != live.Limit(c.tokens) || live.Limit(d.set.Limits.Requests) != live.Limit(c.requests) {
				t.Errorf("tokens %s, requests %s; want %s, %s", live.Limit(d.set.Limits.Tokens), live.Limit(d.set.Limits.Requests), live.Limit(c.tokens), live.Limit(c.requests))
			}
		})
	}
}

func TestInheritingRemovesOnlyWhatIsSetHere(t *testing.T) {
	for own, want := range map[bool]bool{true: true, false: false} {
		d := &desk{}
		if err := (live.Edit{Before: live.Cell{Own: own}, Inherit: true}).Apply(t.Context(), d); err != nil || d.removed != want || d.set != nil {
			t.Errorf("own %v: removed %v, set %v, error %v", own, d.removed, d.set, err)
		}
	}
}

func TestACellIsNotAllowedWhenEitherUnitIsZero(t *testing.T) {
	c := live.Cell{Tokens: live.Budget{}, Requests: live.Budget{Max: limit(0)}}
	if got := c.Budget(live.Tokens).Level(); got != live.NotAllowed {
		t.Errorf("the level in tokens is %d, want not allowed", got)
	}
}

func TestACellSaysWhenTheOtherUnitIsSpent(t *testing.T) {
	c := live.Cell{Measured: true, Tokens: live.Budget{Used: 5}, Requests: live.Budget{Used: 10, Max: limit(10)}}
	if by, blocked := c.Blocked(live.Tokens); !blocked || by != live.Requests {
		t.Errorf("blocked %v by %v, want by requests", blocked, by)
	}
	if _, blocked := c.Blocked(live.Requests); blocked {
		t.Error("requests are blocked by tokens that have no limit")
	}
}

// books is a team for the grid: two people, of whom one is in a tier.
type books struct{ allowances []meter.Allowance }

var (
	ada = meter.Person{ID: "1", Name: "Ada", Tier: "staff"}
	ben = meter.Person{ID: "2", Name: "Ben"}
)

func (b books) People(context.Context) ([]meter.Person, error)        { return []meter.Person{ada, ben}, nil }
func (b books) Tiers(context.Context) ([]string, error)               { return []string{"staff"}, nil }
func (b books) Allowances(context.Context) ([]meter.Allowance, error) { return b.allowances, nil }
func (b books) Standings(context.Context, []meter.Person, []string) ([]meter.Standing, error) {
	return nil, nil
}

func (b books) Purses(context.Context) ([]meter.Purse, error) { return nil, nil }
func (b books) PurseStanding(context.Context, meter.Person) (*meter.PurseStanding, error) {
	return nil, nil
}

func TestTheGridFindsWhereALimitComesFrom(t *testing.T) {
	everyone, staff := meter.Holder{Kind: meter.ForEveryone}, meter.Holder{Kind: meter.ForTier, ID: "staff"}
	g, err := live.ReadGrid(t.Context(), books{[]meter.Allowance{
		{Holder: everyone, Model: "m", Limits: meter.Limits{Tokens: limit(1)}},
		{Holder: staff, Model: meter.AnyModel, Limits: meter.Limits{Tokens: limit(2)}},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "2"}, Model: "gone", Limits: meter.Limits{Tokens: limit(3)}},
	}}, []string{"m"})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Rows) != 4 || len(g.Models) != 3 || g.Models[2] != "gone" {
		t.Fatalf("rows %+v, models %v", g.Rows, g.Models)
	}
	for _, c := range []struct {
		row, col int
		words    string
		limit    string
	}{
		{0, 0, "Nothing is set, so this is not allowed.", "not allowed"},
		{0, 1, "Set here.", "1"},
		{1, 0, "Set here.", "2"},
		{1, 1, "Inherited from this row, any model.", "2"},
		{2, 1, "Inherited from the tier staff, any model.", "2"},
		{3, 1, "Inherited from everyone.", "1"},
		{3, 2, "Set here.", "3"},
		{3, 0, "Nothing is set, so this is not allowed.", "not allowed"},
	} {
		if got := g.Origin(c.row, c.col, live.Tokens); got != c.words {
			t.Errorf("%s on %s: %q, want %q", g.Rows[c.row].Name, g.Models[c.col], got, c.words)
		}
		if got := live.Limit(g.Cells[c.row][c.col].Limits.Tokens); got != c.limit {
			t.Errorf("%s on %s: %s tokens, want %s", g.Rows[c.row].Name, g.Models[c.col], got, c.limit)
		}
	}
}
