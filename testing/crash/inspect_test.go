package crash

import (
	"context"
	"testing"
	"time"

	"perdiem/meter"
)

// inspect looks at the books that a killed writer left, as the next start finds them.
func inspect(t *testing.T, path string, acks []ack) {
	t.Helper()
	ctx := t.Context()
	s, err := open(ctx, path)
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	defer s.Close()
	var integrity string
	if err := s.Read().QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("integrity_check: %s, %v", integrity, err)
	}
	m := meter.New(s, meter.Options{})
	verify(t, m)
	if _, err := m.Recover(ctx); err != nil {
		t.Errorf("recover: %v", err)
	}
	if report := verify(t, m); report.OpenHolds != 0 {
		t.Errorf("%d holds of a dead process are open", report.OpenHolds)
	}
	wantAcknowledged(t, s, acks)
	wantUTCDays(t, s)
}

func verify(t *testing.T, m *meter.Meter) meter.Report {
	t.Helper()
	report, err := m.Verify(t.Context())
	if err != nil || !report.Clean() {
		t.Errorf("the books are wrong: %+v, %v", report, err)
	}
	return report
}

// told is what the ledger tells of a hold's end.
type told struct {
	verb          string
	input, output int64
}

// wantAcknowledged compares every write that was acknowledged with the ledger. A hold that was only
// made or touched is ended by the next start, as what was observed.
func wantAcknowledged(t *testing.T, s meter.Store, acks []ack) {
	t.Helper()
	ends := map[string]told{}
	rows, err := s.Read().QueryContext(t.Context(), `SELECT hold, verb, input, output FROM ledger WHERE verb <> 'reserve' AND hold <> ''`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var hold string
		var end told
		if err := rows.Scan(&hold, &end.verb, &end.input, &end.output); err != nil {
			t.Fatal(err)
		}
		ends[hold] = end
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, a := range acks {
		end, ended := ends[a.Hold]
		ok := ended
		switch a.Verb {
		case "settle":
			ok = end == told{"settle", a.Input, a.Output}
		case "release":
			ok = end.verb == "release"
		case "touch":
			ok = end == told{"expire", 10, 3}
		}
		if !ok {
			if lost++; lost <= 5 {
				t.Errorf("acknowledged: %+v; the ledger has %+v", a, end)
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged writes are lost", lost, len(acks))
	}
}

// wantUTCDays holds each hold's day against the moment it was made.
func wantUTCDays(t *testing.T, s meter.Store) {
	t.Helper()
	rows, err := s.Read().QueryContext(context.Background(), `SELECT day, MIN(created_at), MAX(created_at) FROM holds GROUP BY day`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var day string
		var first, last int64
		if err := rows.Scan(&day, &first, &last); err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{first, last} {
			if utc := time.UnixMilli(at).UTC().Format(time.DateOnly); utc != day {
				t.Errorf("a hold made on %s counts on %s", utc, day)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
