package live

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"perdiem/meter"
)

// Many counts things in words: 1 request, 9,640 requests.
func Many(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return meter.Group(n) + " " + one + "s"
}

// Short writes n in at most five characters, for places where the full figure is in reach: 950, 9.6k, 12k, 1.2M, 340M.
// It rounds down, so that something nearly spent is never shown as spent.
func Short(n int64) string {
	for _, unit := range []struct {
		size int64
		mark string
	}{{1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		if n < unit.size {
			continue
		}
		if whole := n / unit.size; whole >= 10 || n%unit.size < unit.size/10 {
			return meter.Group(whole) + unit.mark
		}
		return fmt.Sprintf("%d.%d%s", n/unit.size, n%unit.size/(unit.size/10), unit.mark)
	}
	return meter.Group(n)
}

// Cents writes micro-dollars to the cent, so that a column of them lines up; less than a cent is not shown as nothing.
func Cents(microUSD int64) string {
	if microUSD > 0 && microUSD < 5_000 {
		return "< $0.01"
	}
	cents := (microUSD + 5_000) / 10_000
	return fmt.Sprintf("$%s.%02d", meter.Group(cents/100), cents%100)
}

// Remaining writes the time that is left, in the two units that matter: 5 h 12 min, 12 min 05 s, 42 s.
func Remaining(d time.Duration) string {
	s := int64(math.Ceil(d.Seconds()))
	switch {
	case s <= 0:
		return "now"
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s%3600/60)
}

// Ago writes how long something has been running or is past, in one unit.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int64(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int64(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int64(d.Hours()))
	}
	return fmt.Sprintf("%d days", int64(d.Hours()/24))
}

// Limit writes a daily limit: the figure, "no limit" for nil, "not allowed" for zero.
func Limit(limit *int64) string {
	switch {
	case limit == nil:
		return "no limit"
	case *limit == 0:
		return "not allowed"
	}
	return meter.Group(*limit)
}

// ErrLimit is what ParseLimit says of text that is no limit.
var ErrLimit = errors.New(`type a number such as 10,000 or 1.5M, "none" for no limit, 0 for not allowed, or nothing to inherit`)

// ParseLimit reads what a person types as a limit. Nothing typed means that no limit of its own is wanted: inherit is true.
// "none" (or "no limit", "unlimited") is a nil limit. Figures may be grouped and may end in k or M.
func ParseLimit(text string) (limit *int64, inherit bool, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "":
		return nil, true, nil
	case "none", "no limit", "unlimited":
		return nil, false, nil
	case "not allowed":
		return new(int64), false, nil
	}
	unit := 1.0
	switch {
	case strings.HasSuffix(text, "k"):
		unit, text = 1e3, text[:len(text)-1]
	case strings.HasSuffix(text, "m"):
		unit, text = 1e6, text[:len(text)-1]
	}
	text = strings.NewReplacer(",", "", " ", "", "\u00a0", "", "_", "").Replace(text)
	n, err := strconv.ParseFloat(text, 64)
	whole := math.Round(n * unit)
	if err != nil || math.IsNaN(whole) || whole < 0 || whole > 1e15 || math.Abs(whole-n*unit) > 1e-6 {
		return nil, false, ErrLimit
	}
	v := int64(whole)
	return &v, false, nil
}

// ErrMoney is what ParseMoney says of text that is no amount.
var ErrMoney = errors.New(`type dollars such as 5 or 2.50, "none" for no limit, 0 for nothing at all, or nothing to set none`)

// ParseMoney reads what a person types as a limit of money, in dollars with at most six decimals, as micro-dollars.
// Nothing typed and "none" are told apart as by ParseLimit.
func ParseMoney(text string) (microUSD *int64, inherit bool, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "":
		return nil, true, nil
	case "none", "no limit", "unlimited":
		return nil, false, nil
	}
	text = strings.NewReplacer("$", "", ",", "", " ", "", "\u00a0", "").Replace(text)
	dollars, err := strconv.ParseFloat(text, 64)
	micro := math.Round(dollars * 1e6)
	if err != nil || math.IsNaN(micro) || micro < 0 || micro > 1e13 || math.Abs(micro-dollars*1e6) > 1e-3 {
		return nil, false, ErrMoney
	}
	n := int64(micro)
	return &n, false, nil
}

// MoneyText is a limit of money as one would type it.
func MoneyText(microUSD *int64) string {
	if microUSD == nil {
		return "none"
	}
	return strings.TrimPrefix(strings.ReplaceAll(meter.Dollars(*microUSD), ",", ""), "$")
}
