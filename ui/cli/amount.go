package cli

import (
	"fmt"
	"math"
	"strings"
)

// amount is a flag that holds a whole number, "none" for no limit, or nothing if it was not given.
// It is typed as people write it: 10000, 10,000, 10k, 2m.
type amount struct {
	given bool
	n     *int64
}

// UnmarshalText implements [encoding.TextUnmarshaler], by which flags are read.
func (a *amount) UnmarshalText(text []byte) error {
	a.given, a.n = true, nil
	if strings.EqualFold(string(text), "none") {
		return nil
	}
	n, ok := decimal(string(text), 1, map[byte]int64{'k': 1e3, 'm': 1e6, 'b': 1e9})
	if !ok {
		return fmt.Errorf("%q is no amount: write a whole number such as 10,000, 10k or 2m, or none", text)
	}
	a.n = &n
	return nil
}

// over returns what a column holds once the flag was applied: its old value where it was not given.
func (a amount) over(old *int64) *int64 {
	if a.given {
		return a.n
	}
	return old
}

// money is a flag in dollars, held in micro-dollars.
type money struct{ amount }

// UnmarshalText implements [encoding.TextUnmarshaler], by which flags are read.
func (m *money) UnmarshalText(text []byte) error {
	m.given, m.n = true, nil
	if strings.EqualFold(string(text), "none") {
		return nil
	}
	n, ok := decimal(strings.TrimPrefix(string(text), "$"), 1e6, nil)
	if !ok {
		return fmt.Errorf("%q is no amount of money: write dollars such as 2.50, or none", text)
	}
	m.n = &n
	return nil
}

// decimal reads digits with grouping commas, one decimal point and one suffix, times scale, exactly:
// what is finer than the result can hold is refused, never rounded.
func decimal(text string, scale int64, suffixes map[byte]int64) (int64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text != "" {
		if factor, ok := suffixes[text[len(text)-1]]; ok {
			text, scale = text[:len(text)-1], scale*factor
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if whole = ungrouped(whole); whole == "" {
		return 0, false
	}
	var n int64
	for _, d := range whole {
		if d < '0' || d > '9' || n > math.MaxInt64/10/scale-1 {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	n *= scale
	for _, d := range fraction {
		digit := int64(d - '0')
		if d < '0' || d > '9' || digit*scale%10 != 0 || scale%10 != 0 && digit != 0 {
			return 0, false
		}
		scale /= 10
		n += digit * scale
	}
	return n, true
}

// ungrouped takes the commas out of a number that has them every three digits, and returns nothing
// for one that has them elsewhere: 1,5 is a fraction somewhere, and must not become 15.
func ungrouped(digits string) string {
	groups := strings.Split(digits, ",")
	for i, group := range groups {
		if i > 0 && len(group) != 3 || len(groups) > 1 && (len(group) == 0 || len(group) > 3) {
			return ""
		}
	}
	return strings.Join(groups, "")
}
