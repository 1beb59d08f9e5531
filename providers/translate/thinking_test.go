package translate

import "testing"

func TestThinkingIsToldInWordsAndInTokens(t *testing.T) {
	for name, c := range map[string]struct {
		in     Thinking
		effort string
		budget int64
	}{
		"nothing said":           {Thinking{}, "", 0},
		"an effort":              {Thinking{Effort: "medium"}, "medium", 8192},
		"the least effort":       {Thinking{Effort: "minimal"}, "minimal", 512},
		"the most effort":        {Thinking{Effort: "max"}, "max", 65536},
		"a small budget":         {Thinking{Budget: 1}, "low", 1},
		"a budget nearer to low": {Thinking{Budget: 4607}, "low", 4607},
		"a budget in the middle": {Thinking{Budget: 4608}, "medium", 4608},
		"a large budget":         {Thinking{Budget: 31999}, "high", 31999},
		"both":                   {Thinking{Effort: "low", Budget: 20000}, "low", 20000},
	} {
		if c.in.effort() != c.effort || c.in.budget() != c.budget {
			t.Errorf("%s: got %q and %d", name, c.in.effort(), c.in.budget())
		}
	}
}

func TestEffortsRiseWithTheirBudgets(t *testing.T) {
	last := int64(0)
	for _, e := range efforts {
		if !knownEffort(e.name) || e.budget <= last {
			t.Errorf("%s has %d after %d", e.name, e.budget, last)
		}
		last = e.budget
	}
	if knownEffort("none") || knownEffort("") {
		t.Error("no effort is taken for one")
	}
}
