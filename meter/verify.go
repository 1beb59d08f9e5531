package meter

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
)

// Mismatch is a budget whose row is not what the ledger says. It is reported, never mended silently.
type Mismatch struct {
	Scope   Scope  `json:"scope"`
	Subject string `json:"subject"`
	Model   string `json:"model"`
	Day     string `json:"day"`
	Stands  Sums   `json:"stands"`
	Ledger  Sums   `json:"ledger"`
}

// Sums is what a row of usage_daily adds up to.
type Sums struct {
	Used    Amount `json:"used"`
	Held    Amount `json:"held"`
	Granted Amount `json:"granted"`
	Input   int64  `json:"input"`
	Output  int64  `json:"output"`
}

func (s Sums) plus(c change) Sums {
	return Sums{s.Used.plus(c.Used), s.Held.plus(c.Held), s.Granted.plus(c.Granted), s.Input + c.Input, s.Output + c.Output}
}

// Report is what Verify found.
type Report struct {
	Entries    int        `json:"entries"` // ledger entries read
	Rows       int        `json:"rows"`    // rows of usage compared
	OpenHolds  int        `json:"openHolds"`
	Mismatches []Mismatch `json:"mismatches"`
	// BadHolds are holds whose ends in the ledger do not match their state: none where open, one
	// where ended, and a correction or a return besides where it had one.
	BadHolds []string `json:"badHolds"`
}

// Clean tells whether the books are right.
func (r Report) Clean() bool { return len(r.Mismatches) == 0 && len(r.BadHolds) == 0 }

// Verify rebuilds every row of usage_daily from the ledger and compares, and checks that every hold
// ended just once. It reads one snapshot, so it may run on a live database.
func (m *Meter) Verify(ctx context.Context) (Report, error) {
	var report Report
	err := m.store.Snapshot(ctx, func(ctx context.Context, tx Tx) error {
		report = Report{Mismatches: []Mismatch{}, BadHolds: []string{}} // empty lists, not null, in JSON
		rebuilt, err := foldLedger(ctx, tx, &report)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT `+sumColumns+` FROM usage_daily`)
		standing, err := collectSums(rows, err)
		if err != nil {
			return err
		}
		report.Rows = len(standing)
		all := maps.Clone(rebuilt)
		maps.Copy(all, standing)
		for _, b := range slices.SortedFunc(maps.Keys(all), budget.compare) {
			if standing[b] != rebuilt[b] {
				report.Mismatches = append(report.Mismatches, Mismatch{b.Scope, b.Subject, b.Model, b.Day, standing[b], rebuilt[b]})
			}
		}
		return verifyHolds(ctx, tx, &report)
	})
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	return report, nil
}

func foldLedger(ctx context.Context, tx Tx, report *Report) (map[budget]Sums, error) {
	sums := map[budget]Sums{}
	rows, err := tx.QueryContext(ctx, `SELECT changes FROM ledger`)
	var text string
	err = forEach(rows, err, func(r *sql.Rows) error {
		if err := r.Scan(&text); err != nil {
			return err
		}
		report.Entries++
		changes, err := decodeChanges(text)
		if err != nil {
			return fmt.Errorf("decode entry %d: %w", report.Entries, err)
		}
		for _, c := range changes {
			sums[c.budget] = sums[c.budget].plus(c)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return sums, nil
}

// verifyHolds compares every hold's state with the ends that the ledger has of it.
func verifyHolds(ctx context.Context, tx Tx, report *Report) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT h.id, h.state,
			SUM(CASE WHEN l.verb = 'reserve' THEN 1 ELSE 0 END),
			SUM(CASE WHEN l.verb IN ('settle', 'release', 'expire') THEN 1 ELSE 0 END),
			SUM(CASE WHEN l.verb = 'correct' THEN 1 ELSE 0 END),
			SUM(CASE WHEN l.verb = 'return' THEN 1 ELSE 0 END)
		FROM holds h LEFT JOIN ledger l ON l.hold = h.id
		GROUP BY h.id, h.state`)
	err = forEach(rows, err, func(r *sql.Rows) error {
		var id, state string
		var begun, ends, corrections, returns int
		if err := r.Scan(&id, &state, &begun, &ends, &corrections, &returns); err != nil {
			return err
		}
		open, corrected, returned := 0, 0, 0
		switch state {
		case "open":
			open, report.OpenHolds = 1, report.OpenHolds+1
		case "corrected":
			corrected = 1
		case "returned":
			returned = 1
		}
		if begun != 1 || ends != 1-open || corrections != corrected || returns != returned {
			report.BadHolds = append(report.BadHolds, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare holds with the ledger: %w", err)
	}
	return nil
}
