package metertest

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

func TestTheCheckerTellsGoodHistoriesFromBad(t *testing.T) {
	// Calls by when they began and ended; the budget has room for four.
	type entry struct {
		call
		seen
		from, to int64
	}
	yes, no := seen{admitted: true}, seen{}
	full := []entry{
		{call{"reserve", 0}, yes, 0, 1}, {call{"reserve", 1}, yes, 0, 1},
		{call{"reserve", 2}, yes, 0, 1}, {call{"reserve", 3}, yes, 0, 1},
	}
	for name, c := range map[string]struct {
		after []entry
		good  bool
	}{
		"a fifth is refused":                         {[]entry{{call{"reserve", 4}, no, 2, 3}}, true},
		"a fifth is admitted":                        {[]entry{{call{"reserve", 4}, yes, 2, 3}}, false},
		"a fifth is admitted as one is released":     {[]entry{{call{"release", 0}, no, 2, 5}, {call{"reserve", 4}, yes, 3, 4}}, true},
		"a fifth is admitted before one's release":   {[]entry{{call{"reserve", 4}, yes, 2, 3}, {call{"release", 0}, no, 4, 5}}, false},
		"a fifth is refused after one's release":     {[]entry{{call{"release", 0}, no, 2, 3}, {call{"reserve", 4}, no, 4, 5}}, false},
		"what is settled stays used":                 {[]entry{{call{"settle", 0}, no, 2, 3}, {call{"reserve", 4}, yes, 4, 5}}, false},
		"a hold that ended twice counts once":        {[]entry{{call{"settle", 0}, no, 2, 3}, {call{"settle", 0}, no, 2, 3}, {call{"read", 0}, seen{counted: 1, held: 3}, 4, 5}}, true},
		"a hold that ended twice counts twice":       {[]entry{{call{"settle", 0}, no, 2, 3}, {call{"settle", 0}, no, 2, 3}, {call{"read", 0}, seen{counted: 2, held: 2}, 4, 5}}, false},
		"a read shows what stood before it":          {[]entry{{call{"release", 0}, no, 2, 3}, {call{"read", 0}, seen{held: 4}, 4, 5}}, false},
		"a read shows what stood when it began":      {[]entry{{call{"release", 0}, no, 2, 5}, {call{"read", 0}, seen{held: 4}, 3, 4}}, true},
		"a read shows a release that is not begun":   {[]entry{{call{"read", 0}, seen{held: 3}, 2, 3}, {call{"release", 0}, no, 4, 5}}, false},
		"a hold that was never made changes nothing": {[]entry{{call{"settle", 9}, no, 2, 3}, {call{"read", 0}, seen{held: 4}, 4, 5}}, true},
	} {
		var history []porcupine.Operation
		for i, e := range append(full[:len(full):len(full)], c.after...) {
			history = append(history, porcupine.Operation{ClientId: i, Input: e.call, Output: e.seen, Call: e.from, Return: e.to})
		}
		if got := porcupine.CheckOperations(budgetModel, history); got != c.good {
			t.Errorf("%s: taken for good: %t", name, got)
		}
	}
}
