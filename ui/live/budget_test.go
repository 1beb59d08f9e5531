package live_test

import (
	"testing"

	"pgregory.net/rapid"

	"perdiem/ui/live"
)

func TestALevelTurnsAtEightyPercentAndAtTheLimit(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		name string
		b    live.Budget
		want live.Level
	}{
		{"no limit", live.Budget{Used: 5}, live.Unlimited},
		{"not allowed", live.Budget{Max: n(0)}, live.NotAllowed},
		{"fresh", live.Budget{Max: n(100)}, live.Calm},
		{"just under four fifths", live.Budget{Used: 79, Max: n(100)}, live.Calm},
		{"four fifths", live.Budget{Used: 80, Max: n(100)}, live.Near},
		{"held counts", live.Budget{Used: 50, Held: 30, Max: n(100)}, live.Near},
		{"spent", live.Budget{Used: 100, Max: n(100)}, live.Spent},
		{"over", live.Budget{Used: 130, Max: n(100)}, live.Spent},
	} {
		if got := c.b.Level(); got != c.want {
			t.Errorf("%s: level %d, want %d", c.name, got, c.want)
		}
	}
}

func TestABarNeverOverflowsItsTrack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, 1e12).Draw(t, "limit")
		b := live.Budget{Used: rapid.Int64Range(0, 1e13).Draw(t, "used"), Held: rapid.Int64Range(0, 1e13).Draw(t, "held"), Max: &limit}
		used, held := b.Shares()
		if used < 0 || held < 0 || used+held > 1.000001 {
			t.Fatalf("%+v of %d draws %v and %v", b, limit, used, held)
		}
	})
}
