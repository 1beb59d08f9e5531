package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perdiem/meter"
)

// moments lie around the ends of days: by UTC, and by the clocks on the walls of these zones.
var moments = []string{
	"2026-11-29T23:59:59Z", "2026-11-30T00:00:00Z",
	"2026-11-29T15:59:59Z", "2026-11-29T16:00:00Z", // midnight in Shanghai
	"2026-11-29T04:59:59Z", "2026-11-29T05:00:00Z", // midnight in New York
	"2026-03-08T06:59:59Z", "2026-03-08T07:00:00Z", // its clocks go forward: no hour of two there
	"2026-11-01T05:59:59Z", "2026-11-01T06:00:00Z", // and back: two hours of one
	"2026-10-03T15:29:59Z", "2026-10-03T15:30:00Z", // by half an hour on Lord Howe
}

// seen is what the meter made of a moment.
type seen struct {
	Zone, Moment, Day, ResetsAt, HeldOn string
	Admitted                            int
}

// beDays asks the meter about each moment, told as the zone's own clock tells it, with room for one.
func beDays() error {
	ctx := context.Background()
	s, err := open(ctx, os.Getenv("PERDIEM_CRASH_FILE"))
	if err != nil {
		return err
	}
	defer s.Close()
	var now time.Time
	m := meter.New(s, meter.Options{Now: func() time.Time { return now }})
	p, err := m.AddPerson(ctx, "Ada", "")
	if err != nil {
		return err
	}
	room := int64(1)
	err = m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel, Limits: meter.Limits{Requests: &room}})
	if err != nil {
		return err
	}
	for _, text := range moments {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return err
		}
		now = at.Local()
		is := seen{Zone: now.Location().String() + now.Format(" -0700"), Moment: text, Day: meter.Day(now), ResetsAt: meter.ResetsAt(now).Format(time.RFC3339)}
		for range 2 {
			h, err := m.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model})
			if no := (*meter.Refusal)(nil); errors.As(err, &no) {
				continue
			} else if err != nil {
				return err
			}
			is.Admitted, is.HeldOn = is.Admitted+1, h.Day
			if err := m.Settle(ctx, h.ID, meter.Usage{}, meter.Reported); err != nil {
				return err
			}
		}
		if err := tell(is); err != nil {
			return err
		}
	}
	return nil
}

func TestDaysAreUTCWhereverTheOwnerLives(t *testing.T) {
	for zone, offsets := range map[string]int{"UTC": 1, "Asia/Shanghai": 1, "America/New_York": 2, "Australia/Lord_Howe": 2} {
		t.Run(zone, func(t *testing.T) {
			out, err := child(t, "days", "PERDIEM_CRASH_FILE="+filepath.Join(t.TempDir(), "a.db"), "TZ="+zone).Output()
			if err != nil {
				t.Fatal(err)
			}
			days, zones := map[string]int{}, map[string]bool{}
			lines := json.NewDecoder(bytes.NewReader(out))
			for lines.More() {
				var is seen
				if err := lines.Decode(&is); err != nil {
					t.Fatal(err)
				}
				day, next := utcDay(t, is.Moment)
				if is.Day != day || is.ResetsAt != next || (is.Admitted > 0 && is.HeldOn != day) {
					t.Errorf("the meter took %s for %+v", is.Moment, is)
				}
				days[is.Day] += is.Admitted
				zones[is.Zone] = true
			}
			if len(zones) != offsets {
				t.Errorf("the process was not in %s: %v", zone, zones)
			}
			for day, admitted := range days {
				if admitted != 1 {
					t.Errorf("%d requests on %s, with room for one", admitted, day)
				}
			}
		})
	}
}

// utcDay reckons a moment's day and the next one's begin from its text alone.
func utcDay(t *testing.T, moment string) (day, next string) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		t.Fatal(err)
	}
	return moment[:len(time.DateOnly)], at.Truncate(24 * time.Hour).Add(24 * time.Hour).Format(time.RFC3339)
}

func TestAClockSetADayAheadAndBackLosesNothing(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a.db")
	person := addPerson(t, path)
	s, err := open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	m := meter.New(s, meter.Options{Now: func() time.Time { return now }})
	hold := func() meter.Hold {
		t.Helper()
		h, err := m.Reserve(ctx, meter.Request{ID: "r", PersonID: person, Model: model, Input: 10, Output: 10, MinOutput: 10})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	settle := func(h meter.Hold) {
		t.Helper()
		if err := m.Settle(ctx, h.ID, meter.Usage{Input: 5, Output: 5}, meter.Reported); err != nil {
			t.Fatal(err)
		}
	}
	want := func(day string, requests, tokens int64) {
		t.Helper()
		got, err := m.Totals(ctx, day)
		if err != nil || got.Requests != requests || got.Tokens != tokens || got.HeldRequests != 0 || got.HeldTokens != 0 {
			t.Errorf("%s: %+v, %v; want %d requests and %d tokens", day, got, err, requests, tokens)
		}
	}
	running := hold()
	now = now.Add(24 * time.Hour)
	tomorrow := hold() // and with it today's, which seems a day old, expires
	now = now.Add(-24 * time.Hour)
	today := hold()
	settle(running) // was only declared dead: it is booked all the same, once
	settle(today)
	settle(tomorrow)
	want("2026-11-29", 2, 20)
	want("2026-11-30", 1, 10)
	verify(t, m)
}
