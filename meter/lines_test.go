package meter

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestLinesGiveBackWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "*", "a\tb", "a\nb", `\`, `\t`, "\r\n"}))
		amount := rapid.Make[Amount]()
		budgets := rapid.Custom(func(t *rapid.T) budget {
			return budget{Scope(name.Draw(t, "scope")), name.Draw(t, "subject"), name.Draw(t, "model"), name.Draw(t, "day")}
		})
		of := terms{Keyed: rapid.Bool().Draw(t, "keyed"), Price: rapid.Make[*Price]().Draw(t, "price")}
		var changes []change
		for range rapid.IntRange(1, 5).Draw(t, "n") {
			of.Parts = append(of.Parts, part{budgets.Draw(t, "budget"), amount.Draw(t, "held"), Counts(name.Draw(t, "counts"))})
			changes = append(changes, change{budgets.Draw(t, "budget"), amount.Draw(t, "used"), amount.Draw(t, "held"),
				amount.Draw(t, "granted"), rapid.Int64().Draw(t, "in"), rapid.Int64().Draw(t, "out")})
		}
		if got, err := decodeTerms(of.encode()); err != nil || !reflect.DeepEqual(got, of) {
			t.Errorf("terms: %v\n got %+v\nwant %+v", err, got, of)
		}
		if got, err := decodeChanges(encodeChanges(changes)); err != nil || !reflect.DeepEqual(got, changes) {
			t.Errorf("changes: %v\n got %+v\nwant %+v", err, got, changes)
		}
	})
}

func TestLinesThatAreNoneAreTold(t *testing.T) {
	for _, text := range []string{"ceiling\t*", "ceiling\t*\t*\t2026-11-29\ttotal\tx\t0\t0\t0\t0\t0\t0\t0\t0\t0"} {
		if _, err := decodeChanges(text); err == nil {
			t.Errorf("changes %q were read", text)
		}
		if _, err := decodeTerms("\n" + text); err == nil {
			t.Errorf("terms %q were read", text)
		}
	}
	if _, err := decodeTerms("keyed\t1\tx\t1\t1"); err == nil {
		t.Error("a price of x was read")
	}
}
