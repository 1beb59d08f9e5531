package meter

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Pass is a person's secret for the gateway, without the secret: only its hash is stored.
type Pass struct {
	ID         string // the eight public characters in it
	PersonID   string
	Label      string // which device or tool it is for
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time // to the minute
}

// ErrPassInvalid is the answer to an unknown, expired or revoked pass alike.
var ErrPassInvalid = errors.New("the pass is not valid")

const (
	passPrefix    = "pdm_"
	passIDLength  = 8
	passKeyLength = 32
	passAlphabet  = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789" // no 0 O 1 I l
)

// IssuePass makes a new pass for a person and returns its secret, which nobody can read again.
func (m *Meter) IssuePass(ctx context.Context, personID, label string, expires *time.Time) (Pass, string, error) {
	if label != "" {
		var err error
		if label, err = cleanName("label", label); err != nil {
			return Pass{}, "", err
		}
	}
	p, secret := newPass(label, m.now(), expires)
	p.PersonID = personID
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := readPerson(ctx, tx, personID); err != nil {
			return err
		}
		return insertPass(ctx, tx, p, secret)
	})
	if err != nil {
		return Pass{}, "", fmt.Errorf("issue pass: %w", err)
	}
	return p, secret, nil
}

// newPass draws a pass that is nobody's yet, and its secret.
func newPass(label string, now time.Time, expires *time.Time) (Pass, string) {
	p := Pass{ID: randomText(passIDLength), Label: label, CreatedAt: fromMillis(millis(now)), ExpiresAt: expires}
	return p, passPrefix + p.ID + "_" + randomText(passKeyLength)
}

func insertPass(ctx context.Context, tx Tx, p Pass, secret string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO passes (id, person, hash, label, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.PersonID, hashPass(secret), p.Label, millis(p.CreatedAt), nullMillis(p.ExpiresAt))
	return err
}

// Passes lists a person's passes, the newest first.
func (m *Meter) Passes(ctx context.Context, personID string) ([]Pass, error) {
	rows, err := m.store.Read().QueryContext(ctx, `
		SELECT id, person, label, created_at, expires_at, revoked_at, last_used_at
		FROM passes WHERE person = $1 ORDER BY created_at DESC, id`, personID)
	passes, err := collect(rows, err, func(r *sql.Rows) (Pass, error) {
		var p Pass
		var created int64
		var expires, revoked, used sql.NullInt64
		err := r.Scan(&p.ID, &p.PersonID, &p.Label, &created, &expires, &revoked, &used)
		p.CreatedAt, p.ExpiresAt = fromMillis(created), fromNullMillis(expires)
		p.RevokedAt, p.LastUsedAt = fromNullMillis(revoked), fromNullMillis(used)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("list passes: %w", err)
	}
	return passes, nil
}

// RevokePass ends a pass for good, from the next request on.
func (m *Meter) RevokePass(ctx context.Context, passID string) error {
	return m.changeOne(ctx, "revoke pass", passID, func(ctx context.Context, tx Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `UPDATE passes SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2`, millis(m.now()), passID)
	})
}

// ReplacePass ends a good pass of a person's, and returns a new one with the same label in its place, and its secret. Of any
// number who replace one pass at once, or end it meanwhile, one succeeds; the others get [ErrNotFound].
func (m *Meter) ReplacePass(ctx context.Context, personID, passID string, expires *time.Time) (Pass, string, error) {
	now := m.now()
	p, secret := newPass("", now, expires)
	p.PersonID = personID
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		// The statement that ends the old one finds it, too: a second one waits for this transaction, and then finds nothing.
		rows, err := tx.QueryContext(ctx, `
			UPDATE passes SET revoked_at = $1
			WHERE id = $2 AND person = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1) RETURNING label`,
			millis(now), passID, personID)
		labels, err := collect(rows, err, column[string])
		if err != nil {
			return err
		}
		if len(labels) == 0 {
			return fmt.Errorf("%q: %w", passID, ErrNotFound)
		}
		p.Label = labels[0]
		return insertPass(ctx, tx, p, secret)
	})
	if err != nil {
		return Pass{}, "", fmt.Errorf("replace pass: %w", err)
	}
	return p, secret, nil
}

// Authenticate is [Team.Authenticate] at this moment; an error other than [ErrPassInvalid] means that the
// books could not be read.
func (m *Meter) Authenticate(ctx context.Context, secret string) (Person, Pass, error) {
	t, err := m.Team(ctx)
	if err != nil {
		return Person{}, Pass{}, fmt.Errorf("look up the pass: %w", err)
	}
	return t.Authenticate(secret, m.now())
}

// anyPass is a pass, or the beginning of one, anywhere in a text.
var anyPass = regexp.MustCompile(fmt.Sprintf("(%s[%s]{%d}_)[%[2]s]{1,%[4]d}", passPrefix, passAlphabet, passIDLength, passKeyLength))

// WithoutPasses leaves the public characters alone of each pass in a text from elsewhere: a tool that is set up wrongly
// sends its pass as a model's name, say, which is kept and shown.
func WithoutPasses(text string) string { return anyPass.ReplaceAllString(text, "${1}…") }

// passID takes the public characters out of a secret.
func passID(secret string) (string, bool) {
	rest, ok := strings.CutPrefix(secret, passPrefix)
	if !ok || len(rest) != passIDLength+1+passKeyLength || rest[passIDLength] != '_' {
		return "", false
	}
	return rest[:passIDLength], true
}

func hashPass(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// passUseEvery is how finely a pass's last use is noted; finer would write for nobody's benefit.
const passUseEvery = time.Minute

// passUses remembers which passes were noted in a minute, so that no other hold in it writes for them.
type passUses struct {
	mu     sync.Mutex
	minute int64
	noted  map[string]bool
}

func (u *passUses) has(passID string, minute int64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return minute == u.minute && u.noted[passID]
}

func (u *passUses) add(passID string, minute int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if minute != u.minute || u.noted == nil {
		u.minute, u.noted = minute, map[string]bool{}
	}
	u.noted[passID] = true
}

// notePassUse notes a pass's last use along with a hold, and tells whether it had to.
func (m *Meter) notePassUse(ctx context.Context, tx Tx, passID string, now time.Time) (bool, error) {
	if passID == "" || m.uses.has(passID, minuteOf(now)) {
		return false, nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE passes SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3)`,
		millis(now), passID, millis(now.Add(-passUseEvery)))
	if err != nil {
		return false, fmt.Errorf("note the pass's use: %w", err)
	}
	return true, nil
}

// randomText draws n characters evenly from passAlphabet.
func randomText(n int) string {
	text := make([]byte, 0, n)
	var buf [64]byte
	for {
		_, _ = rand.Read(buf[:]) // never fails: crypto/rand ends the process instead
		for _, b := range buf {
			// Bytes above the last whole multiple would make some characters likelier.
			if int(b) >= 256/len(passAlphabet)*len(passAlphabet) {
				continue
			}
			text = append(text, passAlphabet[int(b)%len(passAlphabet)])
			if len(text) == n {
				return string(text)
			}
		}
	}
}
