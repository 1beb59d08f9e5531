package cli

import (
	"testing"
	"time"
)

func TestALengthOfTimeIsReadAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "30d": 720 * time.Hour, "106751d": 106751 * 24 * time.Hour,
		"": 0, "0s": 0, "0d": 0, "-5h": 0, "-5d": 0, "5": 0, "d": 0, "1.5d": 0, "106752d": 0, "2027-01-01": 0, "soon": 0,
	} {
		var got span
		if err := got.UnmarshalText([]byte(text)); time.Duration(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %v, %v", text, time.Duration(got), err)
		}
	}
}
