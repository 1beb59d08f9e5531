package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// End is how one request ended, as the ledger tells it.
type End struct {
	Seq        int64
	At         time.Time
	Kind       EndKind
	HoldID     string
	RequestID  string
	PersonID   string // empty for a guest
	Person     string // their name; empty for a guest and for a person who was removed
	Model      string
	Provenance Provenance
	Usage      Usage
	CostMicro  int64  // micro-dollars
	Note       string // why, where it cost nothing
}

// EndKind is which of the ends it was.
type EndKind string

// The ends. Corrected is what a late settle books beyond an expiry, returned what was taken off the
// books again.
const (
	EndSettled   EndKind = "settle"
	EndReleased  EndKind = "release"
	EndExpired   EndKind = "expire"
	EndCorrected EndKind = "correct"
	EndReturned  EndKind = "return"
)

// Ends lists how requests ended, the newest first: at most limit, and only those with a smaller Seq
// than before, unless that is 0.
func (m *Meter) Ends(ctx context.Context, before int64, limit int) ([]End, error) {
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT l.seq, l.at, l.verb, l.hold, l.request, l.person, COALESCE(p.name, ''), l.model, l.provenance, l.input, l.cached, l.output, l.cost, l.note
		FROM ledger l LEFT JOIN people p ON p.id = l.person
		WHERE l.verb IN ('settle', 'release', 'expire', 'correct', 'return') AND (CAST($1 AS BIGINT) = 0 OR l.seq < $1)
		ORDER BY l.seq DESC LIMIT $2`, before, limit)
	all, err := collect(rows, err, func(r *sql.Rows) (End, error) {
		var e End
		var at int64
		err := r.Scan(&e.Seq, &at, &e.Kind, &e.HoldID, &e.RequestID, &e.PersonID, &e.Person, &e.Model, &e.Provenance,
			&e.Usage.Input, &e.Usage.Cached, &e.Usage.Output, &e.CostMicro, &e.Note)
		e.At = fromMillis(at)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("list how requests ended: %w", err)
	}
	return all, nil
}
