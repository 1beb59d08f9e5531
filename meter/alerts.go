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

// crossedSQL finds the shares of their limits that budgets of two days have crossed and nobody was told
// of. A budget may cross one twice a day, say after a grant; it is told once.
const crossedSQL = `
	SELECT u.scope, u.subject, u.model, u.day, p.column1
	FROM usage_daily u CROSS JOIN (VALUES (50), (80), (100)) AS p
	WHERE u.day IN ($1, $2) AND (
			(u.max_requests > 0 AND u.requests * 100 >= u.max_requests * p.column1)
			OR (u.max_tokens > 0 AND u.tokens * 100 >= u.max_tokens * p.column1)
			OR (u.max_cost > 0 AND u.cost * 100 >= u.max_cost * p.column1))
		AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.day = u.day AND a.scope = u.scope AND a.subject = u.subject
			AND a.model = u.model AND a.percent = p.column1)
	ORDER BY u.day, u.scope, u.subject, u.model, p.column1`

// raiseAlerts notes what today's and yesterday's budgets have crossed. It is done when somebody looks,
// so that no request pays for it.
func (m *Meter) raiseAlerts(ctx context.Context) error {
	now := m.now()
	rows, err := m.store.Read().QueryContext(ctx, crossedSQL, Day(now.AddDate(0, 0, -1)), Day(now))
	crossed, err := collect(rows, err, func(r *sql.Rows) (Alert, error) {
		var a Alert
		err := r.Scan(&a.Scope, &a.Subject, &a.Model, &a.Day, &a.Percent)
		return a, err
	})
	if err != nil || len(crossed) == 0 {
		return err
	}
	return m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, a := range crossed {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO alerts (at, scope, subject, model, day, percent) VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (day, scope, subject, model, percent) DO NOTHING`,
				millis(now), a.Scope, a.Subject, a.Model, a.Day, a.Percent)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Alerts lists the alerts after a Seq, the oldest first, at most 100.
func (m *Meter) Alerts(ctx context.Context, after int64) ([]Alert, error) {
	if err := m.raiseAlerts(ctx); err != nil {
		return nil, fmt.Errorf("raise alerts: %w", err)
	}
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
