package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Alert tells that a daily budget has crossed a share of its limit; each is told once a day.
type Alert struct {
	Seq     int64
	At      time.Time
	Scope   Scope
	Subject string // a person's or a key's id, or whose ceiling it is
	Model   string
	Day     string
	Percent int // 50, 80 or 100
}

// alertAt are the shares of a limit that are told, in percent.
var alertAt = [...]int{50, 80, 100}

// level is how many of alertAt a budget has reached, by the fullest of its columns.
func level(used Amount, caps Caps) int {
	reached := 0
	for _, c := range [...]struct {
		used  int64
		limit *int64
	}{{used.Requests, caps.Requests}, {used.Tokens, caps.Tokens}, {used.Cost, caps.CostMicroUSD}} {
		if c.limit == nil || *c.limit == 0 {
			continue
		}
		for i, percent := range alertAt {
			if float64(c.used) >= float64(*c.limit)*float64(percent)/100 {
				reached = max(reached, i+1)
			}
		}
	}
	return reached
}

// raiseAlerts notes which shares of its limit a change made a budget cross. A budget may cross one
// twice a day, say after a grant; it is told once.
func (m *Meter) raiseAlerts(ctx context.Context, tx Tx, c change, stands Amount, caps Caps) error {
	if c.Day == noDay {
		return nil
	}
	for i := level(stands.minus(c.Used), caps); i < level(stands, caps); i++ {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO alerts (at, scope, subject, model, day, percent) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (day, scope, subject, model, percent) DO NOTHING`,
			millis(m.now()), c.Scope, c.Subject, c.Model, c.Day, alertAt[i])
		if err != nil {
			return fmt.Errorf("raise an alert: %w", err)
		}
	}
	return nil
}

// Alerts lists the alerts after a Seq, the oldest first, at most 100.
func (m *Meter) Alerts(ctx context.Context, after int64) ([]Alert, error) {
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT seq, at, scope, subject, model, day, percent FROM alerts WHERE seq > $1 ORDER BY seq LIMIT 100`, after)
	all, err := collect(rows, err, func(r *sql.Rows) (Alert, error) {
		var a Alert
		var at int64
		err := r.Scan(&a.Seq, &at, &a.Scope, &a.Subject, &a.Model, &a.Day, &a.Percent)
		a.At = fromMillis(at)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("list alerts: %w", err)
	}
	return all, nil
}
