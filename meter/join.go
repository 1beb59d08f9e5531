package meter

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// joinCodeLife is how long a join code is good for.
const joinCodeLife = 10 * time.Minute

// joinCodeLength is of the alphabet of passes: 140 bits, which nobody guesses in ten minutes.
const joinCodeLength = 24

// ErrJoinInvalid is the answer to an unknown, expired or used join code alike.
var ErrJoinInvalid = errors.New("the join code is not valid")

// MakeJoinCode makes a code by which one device gets a pass of a person's, once, until it expires.
// Only its hash is stored. It takes the place of the person's earlier one, so that a code that went
// astray is ended by making another.
func (m *Meter) MakeJoinCode(ctx context.Context, personID string) (code string, expires time.Time, err error) {
	now := m.now()
	code, expires = randomText(joinCodeLength), fromMillis(millis(now.Add(joinCodeLife)))
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := readPerson(ctx, tx, personID); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM join_codes WHERE expires_at <= $1`, millis(now)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO join_codes (person, hash, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (person) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
			personID, hashPass(code), millis(expires))
		return err
	})
	if err != nil {
		return "", time.Time{}, fmt.Errorf("make a join code: %w", err)
	}
	return code, expires, nil
}

// RedeemJoinCode issues the pass that a code promised, for a device, and returns its secret, which
// nobody can read again. Of any number who redeem one code, one gets a pass; the others, and those
// with a code that never was, get [ErrJoinInvalid].
func (m *Meter) RedeemJoinCode(ctx context.Context, code, device string) (Person, Pass, string, error) {
	device, err := cleanName("label", device)
	if err != nil {
		return Person{}, Pass{}, "", err
	}
	now := m.now()
	p, secret := newPass(device, now, nil)
	var who Person
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		// The code goes in the statement that looks for it: a second redeemer waits for the first one's
		// transaction, and then finds nothing.
		rows, err := tx.QueryContext(ctx, `DELETE FROM join_codes WHERE hash = $1 AND expires_at > $2 RETURNING person`, hashPass(code), millis(now))
		found, err := collect(rows, err, column[string])
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return ErrJoinInvalid
		}
		p.PersonID = found[0]
		if who, err = readPerson(ctx, tx, p.PersonID); err != nil {
			return err
		}
		return insertPass(ctx, tx, p, secret)
	})
	if err != nil {
		return Person{}, Pass{}, "", fmt.Errorf("redeem a join code: %w", err)
	}
	return who, p, secret, nil
}
