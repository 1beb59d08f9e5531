package meter

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"fmt"
	"time"
)

// Team is what the owner had set at one moment: people and their passes, limits and rates. It never
// changes. Each call asks which edition of it stands, which is one small read, and the tables are read
// only after an edit; a hold asks again in its own transaction, so that every edit counts at once.
type Team struct {
	edition int64
	people  map[string]Person
	passes  map[string]passRow
	limits  limitBook
	rates   map[Holder]Rate
}

type passRow struct {
	Pass
	hash string
}

// Team is what the owner has set at this moment.
func (m *Meter) Team(ctx context.Context) (*Team, error) {
	if t, err := m.lastTeam(ctx); t != nil || err != nil {
		return t, err
	}
	m.teamRead.Lock() // of those who come at once after an edit, one reads
	defer m.teamRead.Unlock()
	if t, err := m.lastTeam(ctx); t != nil || err != nil {
		return t, err
	}
	var t *Team
	err := m.store.Snapshot(ctx, func(ctx context.Context, tx Tx) error {
		var err error
		t, err = readTeam(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	m.team.Store(t)
	return t, nil
}

// lastTeam is the team that was read last, if it is the one that stands; else nil. It may have been read after the one that
// stands: books that were restored from a backup go back to an earlier edition.
func (m *Meter) lastTeam(ctx context.Context) (*Team, error) {
	n, err := m.store.Figure(ctx, `SELECT n FROM team_edition`)
	if err != nil {
		return nil, fmt.Errorf("ask whether the team changed: %w", err)
	}
	if t := m.team.Load(); t != nil && t.edition == n {
		return t, nil
	}
	return nil, nil
}

// teamIn is the team as a transaction sees it, and what stands in a person's own budget. A team that
// it had to read is not kept by it: its edition may be undone with the transaction.
func (m *Meter) teamIn(ctx context.Context, tx Tx, own budget) (t *Team, granted, stands Amount, err error) {
	var n int64
	rows, err := tx.QueryContext(ctx, `
		SELECT e.n, COALESCE(u.granted_requests, 0), COALESCE(u.granted_tokens, 0),
			COALESCE(u.requests + u.held_requests, 0), COALESCE(u.tokens + u.held_tokens, 0)
		FROM team_edition e
		LEFT JOIN usage_daily u ON u.day = $1 AND u.scope = 'person' AND u.subject = $2 AND u.model = $3`,
		own.Day, own.Subject, own.Model)
	err = forEach(rows, err, func(r *sql.Rows) error {
		return r.Scan(&n, &granted.Requests, &granted.Tokens, &stands.Requests, &stands.Tokens)
	})
	if err != nil {
		return nil, granted, stands, fmt.Errorf("read how the person stands: %w", err)
	}
	if t = m.team.Load(); t == nil || t.edition != n {
		t, err = readTeam(ctx, tx)
	}
	return t, granted, stands, err
}

// readTeam reads one edition. Where the transaction sees what others commit meanwhile, one that an edit went through is
// read again: half of each would be what nobody ever set.
func readTeam(ctx context.Context, tx Tx) (*Team, error) {
	for {
		before, err := readEdition(ctx, tx)
		if err != nil {
			return nil, err
		}
		t, err := readTables(ctx, tx)
		if err != nil {
			return nil, err
		}
		if t.edition, err = readEdition(ctx, tx); err != nil || t.edition == before {
			return t, err
		}
	}
}

func readEdition(ctx context.Context, tx Tx) (n int64, err error) {
	if err = tx.QueryRowContext(ctx, `SELECT n FROM team_edition`).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the team's edition: %w", err)
	}
	return n, nil
}

func readTables(ctx context.Context, tx Tx) (*Team, error) {
	t := &Team{people: map[string]Person{}, passes: map[string]passRow{}, limits: limitBook{}, rates: map[Holder]Rate{}}
	for _, table := range []struct {
		query string
		add   func(*sql.Rows) error
	}{
		{`SELECT ` + personColumns + ` FROM people`, t.addPerson},
		{`SELECT id, person, hash, expires_at, revoked_at FROM passes`, t.addPass},
		{`SELECT ` + limitColumns + ` FROM limits`, t.addLimit},
		{`SELECT ` + rateColumns + ` FROM rates`, t.addRate},
	} {
		rows, err := tx.QueryContext(ctx, table.query)
		if err := forEach(rows, err, table.add); err != nil {
			return nil, fmt.Errorf("read the team (%s): %w", table.query, err)
		}
	}
	return t, nil
}

func (t *Team) addPerson(r *sql.Rows) error {
	p, err := scanPerson(r)
	t.people[p.ID] = p
	return err
}

func (t *Team) addPass(r *sql.Rows) error {
	var p passRow
	var expires, revoked sql.NullInt64
	err := r.Scan(&p.ID, &p.PersonID, &p.hash, &expires, &revoked)
	p.ExpiresAt, p.RevokedAt = fromNullMillis(expires), fromNullMillis(revoked)
	t.passes[p.ID] = p
	return err
}

func (t *Team) addLimit(r *sql.Rows) error {
	l, err := scanLimit(r)
	t.limits[limitKey{l.scope, l.source}] = l.caps
	return err
}

func (t *Team) addRate(r *sql.Rows) error {
	rate, err := scanRate(r)
	t.rates[rate.Holder] = rate
	return err
}

// Authenticate finds whose pass a secret is, at a time. Unknown, malformed, expired and revoked passes
// all give [ErrPassInvalid].
func (t *Team) Authenticate(secret string, now time.Time) (Person, Pass, error) {
	id, ok := passID(secret)
	if !ok {
		return Person{}, Pass{}, ErrPassInvalid
	}
	p := t.passes[id]
	// An unknown pass is compared too, so that its answer takes as long as a known one's.
	same := subtle.ConstantTimeCompare([]byte(p.hash), []byte(hashPass(secret))) == 1
	who, known := t.people[p.PersonID]
	if !same || !known || p.RevokedAt != nil || p.ExpiresAt != nil && !p.ExpiresAt.After(now) {
		return Person{}, Pass{}, ErrPassInvalid
	}
	return who, p.Pass, nil
}

// rate is how much a caller may ask for in any minute; no person is a guest.
func (t *Team) rate(p Person) Rate {
	holders := []Holder{{Kind: ForGuests}}
	if !p.guest() {
		holders = []Holder{{ForPerson, p.ID}, {ForTier, p.Tier}, {Kind: ForEveryone}}
	}
	for _, h := range holders {
		if r, ok := t.rates[h]; ok {
			return r
		}
	}
	n := int64(DefaultRate)
	return Rate{Requests: &n}
}
