package live_test

import (
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/ui/live"
)

// searched is a grid of four people, in which each cell is told by its figure.
func searched() live.Grid {
	g := live.Grid{Models: []string{"*", "openai/gpt-5", "openai/gpt-5-mini", "anthropic/claude-haiku"}}
	for i, r := range []live.GridRow{
		{Holder: meter.Holder{Kind: meter.ForEveryone}, Name: "Everyone"},
		{Holder: meter.Holder{Kind: meter.ForTier, ID: "Staff"}, Name: "Staff"},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "d"}, Name: "Dominika", Tier: "Staff"},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "e"}, Name: "Eun-ji Park"},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "z"}, Name: "王张三"},
		{Holder: meter.Holder{Kind: meter.ForPerson, ID: "o"}, Name: "Olga Openau"},
	} {
		cells := make([]live.Cell, len(g.Models))
		for j := range cells {
			cells[j].CostMicroUSD = int64(10*i + j)
		}
		g.Rows, g.Cells = append(g.Rows, r), append(g.Cells, cells)
	}
	return g
}

func TestTheGridIsSearchedByPersonTierAndModel(t *testing.T) {
	for words, want := range map[string]string{
		"":           "Everyone Staff Dominika Eun-ji Park 王张三 Olga Openau | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"  ":         "Everyone Staff Dominika Eun-ji Park 王张三 Olga Openau | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"dom":        "Dominika | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"STAFF":      "Staff Dominika | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"ji":         "Eun-ji Park | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"张":          "王张三 | * openai/gpt-5 openai/gpt-5-mini anthropic/claude-haiku",
		"mini":       "Everyone Staff Dominika Eun-ji Park 王张三 Olga Openau | * openai/gpt-5-mini",
		"park haiku": "Eun-ji Park | * anthropic/claude-haiku",
		"openai gpt": "Everyone Staff Dominika Eun-ji Park 王张三 Olga Openau | * openai/gpt-5 openai/gpt-5-mini",
		"open":       "Olga Openau | * openai/gpt-5 openai/gpt-5-mini",
		"nobody":     " | ",
		"dom nobody": " | ",
	} {
		t.Run(words, func(t *testing.T) {
			got := searched().Matching(words)
			var names []string
			for i, r := range got.Rows {
				names = append(names, r.Name)
				for j, m := range got.Models {
					row, col, _ := searched().Find(r.Holder, m)
					if got.Cells[i][j].CostMicroUSD != int64(10*row+col) {
						t.Errorf("the cell of %s on %s is another's", r.Name, m)
					}
				}
			}
			if s := strings.Join(names, " ") + " | " + strings.Join(got.Models, " "); s != want {
				t.Errorf("found %q, want %q", s, want)
			}
		})
	}
}

func TestWhoIsNotInTheGridIsNotFound(t *testing.T) {
	if _, _, ok := searched().Find(meter.Holder{Kind: meter.ForPerson, ID: "gone"}, "*"); ok {
		t.Error("found a person who is gone")
	}
	if _, _, ok := searched().Find(meter.Holder{Kind: meter.ForEveryone}, "gone/model"); ok {
		t.Error("found a model that is gone")
	}
}
