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

const windowColumns = `minute, requests, previous_requests, tokens, previous_tokens`

func (w *window) fields() []any {
	return []any{&w.minute, &w.requests.current, &w.requests.previous, &w.tokens.current, &w.tokens.previous}
}

// save writes a subject's window along with a hold.
func (g *guard) save(ctx context.Context, tx Tx, subject string, now time.Time) error {
	g.mu.Lock()
	w := *g.window(subject, now)
	g.mu.Unlock()
	_, err := tx.ExecContext(ctx, `
		INSERT INTO rate_windows (subject, `+windowColumns+`) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (subject) DO UPDATE SET minute = excluded.minute,
			requests = excluded.requests, previous_requests = excluded.previous_requests,
			tokens = excluded.tokens, previous_tokens = excluded.previous_tokens`,
		subject, w.minute, w.requests.current, w.requests.previous, w.tokens.current, w.tokens.previous)
	if err != nil {
		return fmt.Errorf("note the rate: %w", err)
	}
	return nil
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

// turned are a stored window's counters as they are in the minute of the request, $2.
const (
	turnedRequests = `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.requests ELSE 0 END`
	turnedTokens   = `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.tokens ELSE 0 END`
	lastRequests   = `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.previous_requests
		WHEN rate_windows.minute = excluded.minute - 1 THEN rate_windows.requests ELSE 0 END`
	lastTokens = `CASE WHEN rate_windows.minute = excluded.minute THEN rate_windows.previous_tokens
		WHEN rate_windows.minute = excluded.minute - 1 THEN rate_windows.tokens ELSE 0 END`
)

// admitSQL counts a request where that is not over the rate, in whole milliseconds: the previous
// minute's count weighs by the $3 milliseconds of it that lie within the past sixty seconds.
const admitSQL = `
	INSERT INTO rate_windows (subject, minute, requests, previous_requests, tokens, previous_tokens)
	SELECT $1, CAST($2 AS BIGINT), 1, 0, 0, 0
	WHERE CAST($4 AS BIGINT) IS NULL OR CAST($4 AS BIGINT) >= 1
	ON CONFLICT (subject) DO UPDATE SET
		requests = ` + turnedRequests + ` + 1, previous_requests = ` + lastRequests + `,
		tokens = ` + turnedTokens + `, previous_tokens = ` + lastTokens + `,
		minute = excluded.minute
	WHERE (CAST($4 AS BIGINT) IS NULL
			OR (` + lastRequests + `) * CAST($3 AS BIGINT) + (` + turnedRequests + ` + 1) * 60000 <= CAST($4 AS BIGINT) * 60000)
		AND (CAST($5 AS BIGINT) IS NULL
			OR (` + lastTokens + `) * CAST($3 AS BIGINT) + (` + turnedTokens + `) * 60000 <= CAST($5 AS BIGINT) * 60000)
	RETURNING subject`

// admitShared counts one request in the store, unless that would be over the rate.
func (m *Meter) admitShared(ctx context.Context, subject string, r Rate, now time.Time) (*overRate, error) {
	var over *overRate
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		over = nil
		left := (time.Minute - intoMinute(now)).Milliseconds()
		rows, err := tx.QueryContext(ctx, admitSQL, subject, minuteOf(now), left, r.Requests, r.Tokens)
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
		if over = w.over(r, now); over == nil { // by a hair: the statement rounds to milliseconds
			over = &overRate{wait: time.Millisecond, perMinute: *orOther(r.Requests, r.Tokens), tokens: r.Requests == nil}
		}
		return nil
	})
	return over, err
}

func orOther(a, b *int64) *int64 {
	if a != nil {
		return a
	}
	return b
}

// adjustSQL changes what was counted in the minute $4, whichever of a window's two it is now.
var adjustSQL = func() string {
	add := func(column, by, when string) string {
		sum := column + " + " + by
		return column + " = CASE WHEN " + when + " THEN CASE WHEN " + sum + " < 0 THEN 0 ELSE " + sum + " END ELSE " + column + " END"
	}
	const requests, tokens = "CAST($1 AS BIGINT)", "CAST($2 AS BIGINT)"
	const current, previous = "minute = CAST($4 AS BIGINT)", "minute = CAST($4 AS BIGINT) + 1"
	return `UPDATE rate_windows SET ` +
		add("requests", requests, current) + ", " + add("previous_requests", requests, previous) + ", " +
		add("tokens", tokens, current) + ", " + add("previous_tokens", tokens, previous) +
		` WHERE subject = $3`
}()

// adjustShared changes what was counted in a minute in the store, if that still counts.
func (m *Meter) adjustShared(ctx context.Context, subject string, minute int64, by counted) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, adjustSQL, by.requests, by.tokens, subject, minute)
		return err
	})
	if err != nil {
		return fmt.Errorf("adjust the rate's count: %w", err)
	}
	return nil
}
