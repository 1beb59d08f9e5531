package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// DefaultRate is how many requests a minute a caller may make where the owner set nothing.
const DefaultRate = 20

// SetRate sets a rate, in effect from the next request on.
func (m *Meter) SetRate(ctx context.Context, r Rate) error {
	for _, n := range []*int64{r.Requests, r.Tokens, r.Images} {
		if n != nil && (*n < 0 || *n > maxTokens) {
			return fmt.Errorf("set rate: a rate of %d a minute: %w", *n, ErrInvalid)
		}
	}
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveHolder(ctx, tx, r.Holder); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO rates (`+rateColumns+`) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (holder_kind, holder) DO UPDATE SET max_requests = excluded.max_requests,
				max_tokens = excluded.max_tokens, max_images = excluded.max_images`,
			r.Holder.Kind, r.Holder.ID, r.Requests, r.Tokens, r.Images)
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
		`SELECT `+rateColumns+` FROM rates ORDER BY holder_kind, holder`)
	rates, err := collect(rows, err, scanRate)
	if err != nil {
		return nil, fmt.Errorf("list rates: %w", err)
	}
	return rates, nil
}

const rateColumns = `holder_kind, holder, max_requests, max_tokens, max_images`

func scanRate(r *sql.Rows) (Rate, error) {
	var rate Rate
	err := r.Scan(&rate.Holder.Kind, &rate.Holder.ID, &rate.Requests, &rate.Tokens, &rate.Images)
	return rate, err
}

// Guard counts a request, and the images that it asks for, against its caller's rate, if it is
// admitted; refused calls do not count. Network tells guests apart, hashed; for a person it is not
// used. The error is a [*Refusal], or the books could not be read or written.
func (m *Meter) Guard(ctx context.Context, t *Team, p Person, network string, images int64) error {
	rate, now := t.rate(p), m.now()
	admit := m.rates.admit
	if m.sharedRates {
		admit = m.admitShared
	}
	over, err := admit(ctx, rateSubject(p.ID, network), rate, images, now)
	if err != nil || over == nil {
		return err
	}
	no := m.refuse(RateLimit, now)
	no.PersonID, no.Person = p.ID, p.Name
	no.Figures = Figures{MaxPerMinute: over.perMinute, Of: over.of, RetryAfterMSec: over.wait.Milliseconds() + 1}
	return no
}

// overRate is why a caller is not admitted: which rate, and how long until there is room.
type overRate struct {
	wait      time.Duration
	perMinute int64
	of        string // what the rate is of: requests, tokens, images
}

// NoteTokens counts tokens against the rate of a caller who was admitted at a time: what their request
// held when it began and, with a negative figure, what it did not use when it ended. They count in the
// minute of the admission, whenever they are noted.
func (m *Meter) NoteTokens(ctx context.Context, p Person, network string, admitted time.Time, tokens int64) error {
	return m.adjustRate(ctx, rateSubject(p.ID, network), admitted, counted{tokens: tokens})
}

// TakeBack uncounts a request, and its images, that the guard admitted and that was then refused for another reason.
func (m *Meter) TakeBack(ctx context.Context, p Person, network string, admitted time.Time, images int64) error {
	return m.adjustRate(ctx, rateSubject(p.ID, network), admitted, counted{requests: -1, images: -images})
}

// counted is what is added to a caller's counters.
type counted struct{ requests, tokens, images int64 }

func (m *Meter) adjustRate(ctx context.Context, subject string, admitted time.Time, by counted) error {
	if m.sharedRates {
		return m.adjustShared(ctx, subject, minuteOf(admitted), by)
	}
	m.rates.adjust(subject, minuteOf(admitted), by, m.now())
	return nil
}

func rateSubject(personID, network string) string {
	if personID == "" {
		return "guest:" + network
	}
	return "person:" + personID
}
