package cli

import (
	"testing"

	"pgregory.net/rapid"

	"perdiem/meter"
)

func TestAmountsAreReadAsPeopleWriteThem(t *testing.T) {
	cases := []struct {
		text string
		want int64 // -1: no limit, -2: refused
	}{
		{"0", 0}, {"10000", 10_000}, {"10,000", 10_000}, {"1,000,000", 1_000_000},
		{"10k", 10_000}, {"10K", 10_000}, {"2m", 2_000_000}, {"1.5m", 1_500_000}, {"1b", 1_000_000_000}, {" 7 ", 7},
		{"none", -1}, {"None", -1},
		{"", -2}, {"k", -2}, {"-1", -2}, {"1,5", -2}, {"10,00", -2}, {",100", -2}, {"1,,000", -2}, {"1.5", -2}, {"1.0005k", -2},
		{"ten", -2}, {"1e3", -2}, {"0x10", -2}, {"9223372036854775807", -2}, {"99999999999999999999", -2}, {"1k k", -2}, {"١", -2},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			var a amount
			err := a.UnmarshalText([]byte(c.text))
			switch {
			case c.want == -2 && err == nil:
				t.Errorf("accepted as %v", a)
			case c.want != -2 && err != nil:
				t.Error(err)
			case c.want == -1 && (a.n != nil || !a.given):
				t.Errorf("not taken as no limit: %v", a)
			case c.want >= 0 && (a.n == nil || *a.n != c.want):
				t.Errorf("%v, want %d", a.n, c.want)
			}
		})
	}
}

func TestAnAmountShownIsAnAmountRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1e17).Draw(t, "n")
		var a amount
		if err := a.UnmarshalText([]byte(meter.Group(n))); err != nil || *a.n != n {
			t.Fatalf("%d came back as %v, %v", n, a.n, err)
		}
	})
}

func TestMoneyIsExact(t *testing.T) {
	cases := []struct {
		text string
		want int64
	}{{"2.50", 2_500_000}, {"$2.50", 2_500_000}, {"1,000", 1_000_000_000}, {"0.000001", 1}, {"0.0000001", -2}, {"2m", -2}, {"none", -1}, {"$", -2}}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			var m money
			err := m.UnmarshalText([]byte(c.text))
			if (err != nil) != (c.want == -2) || err == nil && (m.n == nil) != (c.want == -1) || m.n != nil && *m.n != c.want {
				t.Errorf("%v, %v; want %d", m.n, err, c.want)
			}
		})
	}
}

func TestAFlagNotGivenLeavesTheColumn(t *testing.T) {
	five, old := int64(5), int64(3)
	if got := (amount{}).over(&old); got != &old {
		t.Errorf("not given: %v", got)
	}
	if got := (amount{given: true}).over(&old); got != nil {
		t.Errorf("none: %v", got)
	}
	if got := (amount{given: true, n: &five}).over(&old); got != &five {
		t.Errorf("five: %v", got)
	}
}
