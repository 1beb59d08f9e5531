package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// Object is something that a provider keeps for a person, such as a stored response. All people share
// the provider's keys, so that only this tells whose it is.
type Object struct {
	ID       string // the provider's own
	PersonID string
	Provider string
	KeyID    string // the key it was made with
}

// KeepObject notes whose an object is. The first note stands: nobody takes over another's id.
func (m *Meter) KeepObject(ctx context.Context, o Object) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO objects (id, provider, person, key_id, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id, provider) DO NOTHING`, o.ID, o.Provider, o.PersonID, o.KeyID, millis(m.now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("note whose %s is: %w", o.ID, err)
	}
	return nil
}

// FindObject finds a person's own object; [ErrNotFound] for another's as for none.
func (m *Meter) FindObject(ctx context.Context, personID, id string) (Object, error) {
	rows, err := m.store.Read().QueryContext(ctx, `SELECT id, person, provider, key_id FROM objects WHERE id = $1 AND person = $2`, id, personID)
	found, err := collect(rows, err, func(r *sql.Rows) (Object, error) {
		var o Object
		err := r.Scan(&o.ID, &o.PersonID, &o.Provider, &o.KeyID)
		return o, err
	})
	if err != nil {
		return Object{}, fmt.Errorf("look for %s: %w", id, err)
	}
	if len(found) == 0 {
		return Object{}, fmt.Errorf("%q: %w", id, ErrNotFound)
	}
	return found[0], nil
}
