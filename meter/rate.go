package meter

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// DefaultRate is how many requests a minute a caller may make where the owner set nothing.
const DefaultRate = 20

// SetRate sets a rate, in effect from the next request on.
func (m *Meter) SetRate(ctx context.Context, r Rate) error {
	for _, n := range []*int64{r.Requests, r.Tokens} {
		if n != nil && (*n < 0 || *n > maxTokens) {
			return fmt.Errorf("set rate: a rate of %d a minute: %w", *n, ErrInvalid)
		}
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveHolder(ctx, tx, r.Holder); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO rates (holder_kind, holder, max_requests, max_tokens) VALUES ($1, $2, $3, $4)
			ON CONFLICT (holder_kind, holder) DO UPDATE SET
				max_requests = excluded.max_requests, max_tokens = excluded.max_tokens`,
			r.Holder.Kind, r.Holder.ID, r.Requests, r.Tokens)
		return err
	})
	if err != nil {
		return fmt.Errorf("set rate: %w", err)
	}
	return nil
}

// RemoveRate removes a rate, so that the next more general one decides.
func (m *Meter) RemoveRate(ctx context.Context, h Holder) error {
	return m.changeOne(ctx, "remove rate", string(h.Kind), func(ctx context.Context, tx Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `DELETE FROM rates WHERE holder_kind = $1 AND holder = $2`, h.Kind, h.ID)
	})
}

// Rates lists every rate that is set.
func (m *Meter) Rates(ctx context.Context) ([]Rate, error) {
	rows, err := m.store.Read().QueryContext(ctx,
		`SELECT holder_kind, holder, max_requests, max_tokens FROM rates ORDER BY holder_kind, holder`)
	rates, err := collect(rows, err, scanRate)
	if err != nil {
		return nil, fmt.Errorf("list rates: %w", err)
	}
	return rates, nil
}

func scanRate(r *sql.Rows) (Rate, error) {
	var rate Rate
	err := r.Scan(&rate.Holder.Kind, &rate.Holder.ID, &rate.Requests, &rate.Tokens)
	return rate, err
}

// Guard counts a request against its caller's rate, if it is admitted; refused calls do not count.
// Network tells guests apart and is not kept beyond two minutes; for a person it is not used. The
// error is a [*Refusal], or the books could not be read.
func (m *Meter) Guard(ctx context.Context, p Person, network string) error {
	rate, err := m.rateOf(ctx, p)
	if err != nil {
		return err
	}
	now := m.now()
	wait, perMinute, tokens := m.rates.admit(rateSubject(p, network), rate, now)
	if wait == 0 {
		return nil
	}
	no := m.refuse(RateLimit, now)
	no.PersonID, no.Person = p.ID, p.Name
	no.Figures = Figures{MaxPerMinute: perMinute, TokensAMinute: tokens, RetryAfterMSec: wait.Milliseconds()}
	return no
}

// NoteTokens counts a request's tokens against its caller's rate: what it held when it began and,
// with a negative figure, what it did not use when it ended.
func (m *Meter) NoteTokens(p Person, network string, tokens int64) {
	m.rates.noteTokens(rateSubject(p, network), tokens, m.now())
}

func rateSubject(p Person, network string) string {
	if p.ID == "" {
		return "guest:" + network
	}
	return "person:" + p.ID
}

func (m *Meter) rateOf(ctx context.Context, p Person) (Rate, error) {
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT holder_kind, holder, max_requests, max_tokens FROM rates
		WHERE (holder_kind = 'guests' AND $1 = '')
			OR (holder_kind = 'person' AND holder = $1 AND $1 <> '')
			OR (holder_kind = 'tier' AND holder = $2 AND $2 <> '')
			OR (holder_kind = 'everyone' AND $1 <> '')
		ORDER BY CASE holder_kind WHEN 'person' THEN 0 WHEN 'tier' THEN 1 ELSE 2 END
		LIMIT 1`, p.ID, p.Tier)
	rates, err := collect(rows, err, scanRate)
	if err != nil {
		return Rate{}, fmt.Errorf("read the rate: %w", err)
	}
	if len(rates) == 0 {
		n := int64(DefaultRate)
		return Rate{Requests: &n}, nil
	}
	return rates[0], nil
}

// guard keeps sliding-window counters in memory: the last whole minute's count, weighted by how
// much of it still lies within the past sixty seconds, and this minute's. A burst across a
// minute's edge cannot double the rate so.
type guard struct {
	mu      sync.Mutex
	windows map[string]*window
	sweptAt int64 // Unix minutes
}

type window struct {
	minute   int64 // Unix minutes
	requests counter
	tokens   counter
}

type counter struct{ previous, current int64 }

// admit counts one request, or tells how long to wait, what the rate is, and whether it is one of
// tokens.
func (g *guard) admit(subject string, r Rate, now time.Time) (wait time.Duration, perMinute int64, tokens bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w, into := g.window(subject, now)
	if r.Requests != nil {
		if wait := w.requests.wait(*r.Requests-1, into); wait > 0 {
			return wait, *r.Requests, false
		}
	}
	if r.Tokens != nil {
		if wait := w.tokens.wait(*r.Tokens, into); wait > 0 {
			return wait, *r.Tokens, true
		}
	}
	w.requests.current++
	return 0, 0, false
}

func (g *guard) noteTokens(subject string, n int64, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w, _ := g.window(subject, now)
	w.tokens.current = max(w.tokens.current+n, 0)
}

// window finds a subject's counters, turned to the minute of now, and how far into it now is.
func (g *guard) window(subject string, now time.Time) (*window, time.Duration) {
	minute := now.Unix() / 60
	g.sweep(minute)
	w := g.windows[subject]
	if w == nil {
		w = &window{minute: minute}
		g.windows[subject] = w
	}
	switch minute - w.minute {
	case 0:
	case 1:
		w.requests = counter{previous: w.requests.current}
		w.tokens = counter{previous: w.tokens.current}
	default: // longer ago, or the clock was set back
		w.requests, w.tokens = counter{}, counter{}
	}
	w.minute = minute
	return w, time.Duration(now.UnixNano() - minute*int64(time.Minute))
}

// sweep forgets callers of earlier minutes, once a minute, so that a stranger with many addresses
// cannot fill the memory for long.
func (g *guard) sweep(minute int64) {
	if g.windows == nil {
		g.windows = map[string]*window{}
	}
	if minute == g.sweptAt {
		return
	}
	g.sweptAt = minute
	for subject, w := range g.windows {
		if w.minute < minute-1 || w.minute > minute {
			delete(g.windows, subject)
		}
	}
}

// wait is how long it takes until the window's count has fallen to most, if nothing else comes.
func (c counter) wait(most int64, into time.Duration) time.Duration {
	left := time.Minute - into
	if most < 0 {
		return left // nothing is ever admitted; say something finite
	}
	if fits(c, most, into) {
		return 0
	}
	if c.current <= most {
		// Within this minute: previous × (remaining share) must fall to most − current.
		share := float64(most-c.current) / float64(c.previous)
		return max(left-time.Duration(share*float64(time.Minute)), time.Millisecond)
	}
	// In the next minute this minute's count is the previous one.
	share := float64(most) / float64(c.current)
	return left + time.Duration((1-share)*float64(time.Minute))
}

func fits(c counter, most int64, into time.Duration) bool {
	weighted := float64(c.previous) * float64(time.Minute-into) / float64(time.Minute)
	return weighted+float64(c.current) <= float64(most)
}
