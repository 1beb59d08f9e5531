package live_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"perdiem/ui/live"
)

func TestShortFiguresRoundDown(t *testing.T) {
	for n, want := range map[int64]string{950: "950", 1000: "1k", 1099: "1k", 1100: "1.1k", 9999: "9.9k", 12900: "12k",
		999_999: "999k", 1_250_000: "1.2M", 340_000_000: "340M", 2_000_000_000: "2B"} {
		if got := live.Short(n); got != want {
			t.Errorf("Short(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCentsNeverShowASmallSumAsNothing(t *testing.T) {
	for n, want := range map[int64]string{0: "$0.00", 1: "< $0.01", 4_999: "< $0.01", 5_000: "$0.01", 170_850: "$0.17", 1_004_999: "$1.00", 1_234_560_000: "$1,234.56"} {
		if got := live.Cents(n); got != want {
			t.Errorf("Cents(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestRemainingNamesTwoUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "now", 0: "now", 300 * time.Millisecond: "1 s", 42 * time.Second: "42 s",
		12*time.Minute + 5*time.Second: "12 min 05 s", 5*time.Hour + 12*time.Minute + 50*time.Second: "5 h 12 min"} {
		if got := live.Remaining(d); got != want {
			t.Errorf("Remaining(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestLimitsAreReadAsPeopleTypeThem(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for text, want := range map[string]struct {
		limit   *int64
		inherit bool
		err     error
	}{
		"": {nil, true, nil}, " ": {nil, true, nil}, "none": {nil, false, nil}, "No Limit": {nil, false, nil}, "unlimited": {nil, false, nil},
		"0": {n(0), false, nil}, "not allowed": {n(0), false, nil}, "10000": {n(10000), false, nil}, "10,000": {n(10000), false, nil},
		"10 000": {n(10000), false, nil}, "12k": {n(12000), false, nil}, "1.5M": {n(1500000), false, nil},
		"-1": {nil, false, live.ErrLimit}, "ten": {nil, false, live.ErrLimit}, "1.5": {nil, false, live.ErrLimit},
		"1e99": {nil, false, live.ErrLimit}, "nan": {nil, false, live.ErrLimit}, "inf": {nil, false, live.ErrLimit}, "k": {nil, false, live.ErrLimit},
	} {
		limit, inherit, err := live.ParseLimit(text)
		if inherit != want.inherit || !errors.Is(err, want.err) || (limit == nil) != (want.limit == nil) || (limit != nil && *limit != *want.limit) {
			t.Errorf("ParseLimit(%q) = %v, %v, %v; want %v, %v, %v", text, limit, inherit, err, want.limit, want.inherit, want.err)
		}
	}
}

func TestAnyWrittenLimitReadsBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1e15).Draw(t, "limit")
		got, inherit, err := live.ParseLimit(live.Limit(&n))
		if err != nil || inherit || got == nil || *got != n {
			t.Fatalf("%d reads back as %v (inherit %v, error %v)", n, got, inherit, err)
		}
	})
}

func TestParseMoney(t *testing.T) {
	for text, want := range map[string]int64{"5": 5_000_000, "$2.50": 2_500_000, "1,000": 1_000_000_000, "0": 0, "0.000001": 1} {
		got, inherit, err := live.ParseMoney(text)
		if err != nil || inherit || got == nil || *got != want {
			t.Errorf("%q is %v, %v, %v, want %d", text, got, inherit, err, want)
		}
		if back, _, err := live.ParseMoney(live.MoneyText(got)); err != nil || *back != want {
			t.Errorf("%q does not read back: %v, %v", live.MoneyText(got), back, err)
		}
	}
	if got, inherit, err := live.ParseMoney("none"); got != nil || inherit || err != nil {
		t.Errorf("none is %v, %v, %v", got, inherit, err)
	}
	if _, inherit, err := live.ParseMoney(" "); !inherit || err != nil {
		t.Errorf("nothing is %v, %v", inherit, err)
	}
	for _, text := range []string{"-1", "lots", "0.0000001", "NaN", "1e300"} {
		if got, _, err := live.ParseMoney(text); err == nil {
			t.Errorf("%q is taken for %d", text, *got)
		}
	}
}
