package meter

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
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
	start, err := dayStart(day)
	if err != nil {
		return [24]Hour{}, err
	}
	hours, err := m.endsByHour(ctx, day, start)
	if err != nil {
		return hours, fmt.Errorf("read the day by hour: %w", err)
	}
	err = m.byHour(ctx, start, `SELECT `+hourOf+`, SUM(times), 0, 0 FROM refusals WHERE day = $1 GROUP BY 1`, []any{day},
		func(hour int, n, _, _ int64) { hours[hour].Refusals = n })
	if err != nil {
		return hours, fmt.Errorf("read the day's refusals by hour: %w", err)
	}
	return hours, nil
}

// daySums are a day's ends by hour, as far as the ledger had come.
type daySums struct {
	mu    sync.Mutex
	day   string
	seq   int64
	hours [24]Hour
}

// endsByHour adds up a day's ends. Where the ledger grows in one order, what was added up before stands, and only
// newer entries are read: the window asks four times a second.
func (m *Meter) endsByHour(ctx context.Context, day string, start time.Time) ([24]Hour, error) {
	d := &m.ends
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.day != day || !m.store.Alone() {
		d.day, d.seq, d.hours = day, 0, [24]Hour{}
	}
	upTo, err := count(ctx, m.store.Read(), `SELECT COALESCE(MAX(seq), 0) FROM ledger`)
	if err != nil {
		return d.hours, err
	}
	hours := d.hours
	err = m.byHour(ctx, start, `
		SELECT `+hourOf+`, SUM(requests), SUM(input + output), SUM(cost)
		FROM ledger WHERE day = $1 AND seq > $4 AND seq <= $5 AND verb <> 'reserve' AND verb IN ('settle', 'expire', 'correct', 'return')
		GROUP BY 1`, []any{day, d.seq, upTo},
		func(hour int, requests, tokens, cost int64) {
			h := &hours[hour]
			h.Requests, h.Tokens, h.CostMicroUSD = h.Requests+requests, h.Tokens+tokens, h.CostMicroUSD+cost
		})
	if err == nil {
		d.seq, d.hours = upTo, hours
	}
	return hours, err
}

const hourOf = `CASE WHEN at >= $2 THEN 23 ELSE (at - $3) / 3600000 END`

// byHour reads sums by the hour of a day. The query's $1, and those after $3, are args; its first column is hourOf.
func (m *Meter) byHour(ctx context.Context, start time.Time, query string, args []any, into func(hour int, a, b, c int64)) error {
	args = append([]any{args[0], millis(ResetsAt(start)), millis(start)}, args[1:]...)
	rows, err := m.store.Read().QueryContext(ctx, query, args...)
	return forEach(rows, err, func(r *sql.Rows) error {
		var hour int
		var a, b, c int64
		err := r.Scan(&hour, &a, &b, &c)
		if hour >= 0 && hour < 24 { // anything else was booked under a clock that was wrong
			into(hour, a, b, c)
		}
		return err
	})
}

func dayStart(day string) (time.Time, error) {
	start, err := time.ParseInLocation(time.DateOnly, day, time.UTC)
	if err != nil {
		return start, fmt.Errorf("day %q is not like 2026-11-29: %w", day, ErrInvalid)
	}
	return start, nil
}
