package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Totals is what everybody together did on one day.
type Totals struct {
	Requests, HeldRequests    int64
	Tokens, HeldTokens        int64
	InputTokens, OutputTokens int64
	CostMicroUSD              int64
	Refusals                  int64
}

// Totals adds up a day ("2026-11-29").
func (m *Meter) Totals(ctx context.Context, day string) (Totals, error) {
	tx := m.store.Read()
	usage, err := readUsage(ctx, tx, day, ScopeCeiling, Everybody)
	if err != nil {
		return Totals{}, err
	}
	u := usage[budget{ScopeCeiling, Everybody, AnyModel, day}]
	refusals, err := count(ctx, tx, `SELECT COALESCE(SUM(times), 0) FROM refusals WHERE day = $1`, day)
	if err != nil {
		return Totals{}, fmt.Errorf("count refusals: %w", err)
	}
	return Totals{
		Requests: u.Used.Requests, HeldRequests: u.Held.Requests, Tokens: u.Used.Tokens, HeldTokens: u.Held.Tokens,
		InputTokens: u.Input, OutputTokens: u.Output, CostMicroUSD: u.Used.Cost, Refusals: refusals,
	}, nil
}

// Hour is what everybody together did in one hour.
type Hour struct {
	Requests, Tokens, CostMicroUSD, Refusals int64
}

// Hours divides a day into its UTC hours, by when requests ended; what ended after midnight counts
// in the day's last hour.
func (m *Meter) Hours(ctx context.Context, day string) ([24]Hour, error) {
	var hours [24]Hour
	const hourOf = `CASE WHEN at >= $2 THEN 23 ELSE (at - $3) / 3600000 END`
	start, err := dayStart(day)
	if err != nil {
		return hours, err
	}
	end := ResetsAt(start)
	tx := m.store.Read()
	read := func(query string, into func(h *Hour, a, b, c int64)) error {
		rows, err := tx.QueryContext(ctx, query, day, millis(end), millis(start))
		return forEach(rows, err, func(r *sql.Rows) error {
			var hour, a, b, c int64
			err := r.Scan(&hour, &a, &b, &c)
			if hour >= 0 && hour < 24 { // anything else was booked under a clock that was wrong
				into(&hours[hour], a, b, c)
			}
			return err
		})
	}
	err = read(`
		SELECT `+hourOf+`, SUM(requests), SUM(input + output), SUM(cost)
		FROM ledger WHERE day = $1 AND verb <> 'reserve' AND verb IN ('settle', 'expire', 'correct', 'return') GROUP BY 1`,
		func(h *Hour, a, b, c int64) { h.Requests, h.Tokens, h.CostMicroUSD = a, b, c })
	if err != nil {
		return hours, fmt.Errorf("read the day by hour: %w", err)
	}
	err = read(`SELECT `+hourOf+`, SUM(times), 0, 0 FROM refusals WHERE day = $1 GROUP BY 1`,
		func(h *Hour, a, _, _ int64) { h.Refusals = a })
	if err != nil {
		return hours, fmt.Errorf("read the day's refusals by hour: %w", err)
	}
	return hours, nil
}

func dayStart(day string) (time.Time, error) {
	start, err := time.ParseInLocation(time.DateOnly, day, time.UTC)
	if err != nil {
		return start, fmt.Errorf("day %q is not like 2026-11-29: %w", day, ErrInvalid)
	}
	return start, nil
}
