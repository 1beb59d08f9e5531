package providers

import (
	"math"
	"testing"
)

func TestMicroDollarsAreExact(t *testing.T) {
	for dollars, want := range map[float64]int64{
		0: 0, 0.1: 100_000, 0.15: 150_000, 0.3: 300_000, 0.7: 700_000, 1.1: 1_100_000, 2.675: 2_675_000, 0.07: 70_000,
		4.35: 4_350_000, 6.25: 6_250_000, 15: 15_000_000, 75: 75_000_000, 0.000001: 1, 0.028: 28_000, 1e6: 1_000_000_000_000,
		0.30000000000000004: 300_001, // no list's figure, but a sum in floats: rounded up, never down
		0.0000001:           1,
		1.123456001:         1_123_457,
	} {
		if got, err := MicroDollars(dollars); err != nil || got != want {
			t.Errorf("%v: got %d, %v; want %d", dollars, got, err, want)
		}
	}
}

func TestMicroDollarsRefusesWhatIsNoPrice(t *testing.T) {
	for _, dollars := range []float64{-1, -0.000001, math.NaN(), math.Inf(1), math.Inf(-1), 1e7} {
		if got, err := MicroDollars(dollars); err == nil {
			t.Errorf("%v: got %d", dollars, got)
		}
	}
}
