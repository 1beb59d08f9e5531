package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// span is a flag that holds a length of time above zero, as Go writes it or in whole days: 90s, 12h, 30d. Zero if it was not given.
type span time.Duration

const maxDays = math.MaxInt64 / int64(24*time.Hour)

// UnmarshalText implements [encoding.TextUnmarshaler], by which flags are read.
func (s *span) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		if n, err := strconv.ParseInt(days, 10, 64); err == nil && n > 0 && n <= maxDays {
			*s = span(n * int64(24*time.Hour))
			return nil
		}
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no length of time: write one such as 90s, 12h or 30d", text)
	}
	*s = span(d)
	return nil
}
