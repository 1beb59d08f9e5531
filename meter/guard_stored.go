package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Rates are counted in the memory of the one gateway that serves a file; they are written along
// with holds and read back at its start. Where several gateways share a store, each admission is
// counted in one statement there.

const windowColumns = `minute, requests, previous_requests, tokens, previous_tokens, images, previous_images`

func (w *window) fields() []any {
	return []any{&w.minute, &w.requests.current, &w.requests.previous, &w.tokens.current, &w.tokens.previous, &w.images.current, &w.images.previous}
}

// save writes a subject's window along with a hold, once a second: what a crash forgets of a minute is
// less than a second's, and a caller with many holds a second need not pay for it in each. It tells whether it had to.
func (g *guard) save(ctx context.Context, tx Tx, subject string, now time.Time) (bool, error) {
	g.mu.Lock()
	w := *g.window(subject, now)
	g.mu.Unlock()
	if w.savedAt == now.Unix() {
		return false, nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO rate_windows (subject, `+windowColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (subject) DO UPDATE SET minute = excluded.minute,
			requests = excluded.requests, previous_requests = excluded.previous_requests,
			tokens = excluded.tokens, previous_tokens = excluded.previous_tokens,
			images = excluded.images, previous_images = excluded.previous_images`,
		subject, w.minute, w.requests.current, w.requests.previous, w.tokens.current, w.tokens.previous, w.images.current, w.images.previous)
	if err != nil {
		return false, fmt.Errorf("note the rate: %w", err)
	}
	return true, nil
}

// saved notes that a subject's window is on the disk.
func (g *guard) saved(subject string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.window(subject, now).savedAt = now.Unix()
}

// LoadRates reads back what the last run of this gateway had counted, and forgets what is too old
// to count.
func (m *Meter) LoadRates(ctx context.Context) error {
	minute := minuteOf(m.now())
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM rate_windows WHERE minute < $1 OR minute > $2`, minute-1, minute)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget old rates: %w", err)
	}
	if m.sharedRates {
		return nil
	}
	m.rates.mu.Lock()
	defer m.rates.mu.Unlock()
	m.rates.sweep(minute)
	rows, err := m.store.Read().QueryContext(ctx, `SELECT subject, `+windowColumns+` FROM rate_windows`)
	err = forEach(rows, err, func(r *sql.Rows) error {
		var subject string
		var w window
		err := r.Scan(append([]any{&subject}, w.fields()...)...)
		m.rates.windows[subject] = &w
		return err
	})
	if err != nil {
		return fmt.Errorf("read rates back: %w", err)
	}
	return nil
}

// inMinute is a stored count as it is in the minute of the request: this minute's own.
func inMinute(column string) string {
	return `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.` + column + ` ELSE 0 END`
}

// lastMinute is a stored count of the minute before the request's.
func lastMinute(column string) string {
	return `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.previous_` + column + `
		WHEN rate_windows.minute = excluded.minute - 1 THEN rate_windows.` + column + ` ELSE 0 END`
}

// admitSQL counts a request and its $6 images where that is not over the rate, in whole milliseconds:
// the previous minute's count weighs by the $3 milliseconds of it that lie within the past sixty
// seconds.
var admitSQL = func() string {
	within := func(column, limit, need string) string {
		return `(` + limit + ` IS NULL OR (` + lastMinute(column) + `) * CAST($3 AS BIGINT) + ((` + inMinute(column) + `) + ` + need + `) * 60000 <= ` + limit + ` * 60000)`
	}
	turn := func(column, add string) string {
		return column + ` = (` + inMinute(column) + `) + ` + add + `, previous_` + column + ` = ` + lastMinute(column)
	}
	const requests, tokens, images = `CAST($4 AS BIGINT)`, `CAST($5 AS BIGINT)`, `CAST($7 AS BIGINT)`
	const asked = `CAST($6 AS BIGINT)`
	return `
	INSERT INTO rate_windows (subject, minute, requests, previous_requests, tokens, previous_tokens, images, previous_images)
	SELECT $1, CAST($2 AS BIGINT), 1, 0, 0, 0, ` + asked + `, 0
	WHERE (` + requests + ` IS NULL OR ` + requests + ` >= 1) AND (` + images + ` IS NULL OR ` + images + ` >= ` + asked + `)
	ON CONFLICT (subject) DO UPDATE SET ` + turn("requests", "1") + `, ` + turn("tokens", "0") + `, ` + turn("images", asked) + `,
		minute = excluded.minute
	WHERE ` + within("requests", requests, "1") + ` AND ` + within("tokens", tokens, "0") + `
		AND (` + asked + ` = 0 OR ` + within("images", images, asked) + `)
	RETURNING subject`
}()

// admitShared counts one request in the store, unless that would be over the rate.
func (m *Meter) admitShared(ctx context.Context, subject string, r Rate, images int64, now time.Time) (*overRate, error) {
	var over *overRate
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		over = nil
		left := (time.Minute - intoMinute(now)).Milliseconds()
		rows, err := tx.QueryContext(ctx, admitSQL, subject, minuteOf(now), left, r.Requests, r.Tokens, images, r.Images)
		admitted, err := collect(rows, err, column[string])
		if err != nil {
			return fmt.Errorf("count against the rate: %w", err)
		}
		if len(admitted) == 1 {
			return nil
		}
		w := window{minute: minuteOf(now)}
		rows, err = tx.QueryContext(ctx, `SELECT `+windowColumns+` FROM rate_windows WHERE subject = $1`, subject)
		err = forEach(rows, err, func(r *sql.Rows) error { return r.Scan(w.fields()...) })
		if err != nil {
			return fmt.Errorf("read the rate's count: %w", err)
		}
		w.turn(minuteOf(now))
		if over = w.over(r, images, now); over == nil { // by a hair: the statement rounds to milliseconds
			over = &overRate{wait: time.Millisecond, of: "requests"}
			if r.Requests != nil {
				over.perMinute = *r.Requests
			}
		}
		return nil
	})
	return over, err
}

// adjustSQL changes what was counted in the minute $5, whichever of a window's two it is now.
var adjustSQL = func() string {
	add := func(column, by, when string) string {
		sum := column + " + " + by
		return column + " = CASE WHEN " + when + " THEN CASE WHEN " + sum + " < 0 THEN 0 ELSE " + sum + " END ELSE " + column + " END"
	}
	const requests, tokens, images = "CAST($1 AS BIGINT)", "CAST($2 AS BIGINT)", "CAST($3 AS BIGINT)"
	const current, previous = "minute = CAST($5 AS BIGINT)", "minute = CAST($5 AS BIGINT) + 1"
	return `UPDATE rate_windows SET ` +
		add("requests", requests, current) + ", " + add("previous_requests", requests, previous) + ", " +
		add("tokens", tokens, current) + ", " + add("previous_tokens", tokens, previous) + ", " +
		add("images", images, current) + ", " + add("previous_images", images, previous) +
		` WHERE subject = $4`
}()

// adjustShared changes what was counted in a minute in the store, if that still counts.
func (m *Meter) adjustShared(ctx context.Context, subject string, minute int64, by counted) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, adjustSQL, by.requests, by.tokens, by.images, subject, minute)
		return err
	})
	if err != nil {
		return fmt.Errorf("adjust the rate's count: %w", err)
	}
	return nil
}
