package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Person is a teammate.
type Person struct {
	ID        string
	Name      string
	Tier      string // empty if none
	Suspended bool
	CreatedAt time.Time
}

// guest tells that it is nobody of the team.
func (p Person) guest() bool { return p.ID == "" }

const personColumns = `id, name, tier, suspended, created_at`

func scanPerson(r *sql.Rows) (Person, error) {
	var p Person
	var at int64
	err := r.Scan(&p.ID, &p.Name, &p.Tier, &p.Suspended, &at)
	p.CreatedAt = fromMillis(at)
	return p, err
}

// AddPerson adds a teammate. The tier may be empty, else it must exist.
func (m *Meter) AddPerson(ctx context.Context, name, tier string) (Person, error) {
	name, err := cleanName("name", name)
	if err != nil {
		return Person{}, err
	}
	p := Person{ID: newID(m.now()), Name: name, CreatedAt: fromMillis(millis(m.now()))}
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		var err error
		if p.Tier, err = tierNamed(ctx, tx, tier); err != nil {
			return err
		}
		if taken, err := findName(ctx, tx, `SELECT name FROM people`, name); err != nil {
			return err
		} else if taken != "" {
			return fmt.Errorf("a person named %q: %w", name, ErrExists)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO people (`+personColumns+`) VALUES ($1, $2, $3, 0, $4)`,
			p.ID, p.Name, p.Tier, millis(p.CreatedAt))
		return err
	})
	if err != nil {
		return Person{}, fmt.Errorf("add person: %w", err)
	}
	return p, nil
}

// People lists the team by name.
func (m *Meter) People(ctx context.Context) ([]Person, error) {
	rows, err := m.store.Read().QueryContext(ctx, `SELECT `+personColumns+` FROM people ORDER BY name`)
	people, err := collect(rows, err, scanPerson)
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	return people, nil
}

// FindPerson finds a teammate by name, however it is spelled in Unicode, or id.
func (m *Meter) FindPerson(ctx context.Context, nameOrID string) (Person, error) {
	name, err := findName(ctx, m.store.Read(), `SELECT name FROM people`, nameOrID)
	if err != nil {
		return Person{}, fmt.Errorf("find person: %w", err)
	}
	rows, err := m.store.Read().QueryContext(ctx,
		`SELECT `+personColumns+` FROM people WHERE name = $1 OR id = $2 ORDER BY name = $1 DESC`, name, nameOrID)
	found, err := collect(rows, err, scanPerson)
	if err != nil {
		return Person{}, fmt.Errorf("find person: %w", err)
	}
	if len(found) == 0 {
		return Person{}, fmt.Errorf("person %q: %w", nameOrID, ErrNotFound)
	}
	return found[0], nil
}

// SuspendPerson stops or resumes a teammate, from the next request on.
func (m *Meter) SuspendPerson(ctx context.Context, id string, suspended bool) error {
	return m.changeOne(ctx, "suspend person", id, func(ctx context.Context, tx Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `UPDATE people SET suspended = $1 WHERE id = $2`, flag(suspended), id)
	})
}

// SetPersonTier moves a teammate to a tier, or out of any with an empty one.
func (m *Meter) SetPersonTier(ctx context.Context, id, tier string) error {
	return m.changeOne(ctx, "set tier", id, func(ctx context.Context, tx Tx) (sql.Result, error) {
		tier, err := tierNamed(ctx, tx, tier)
		if err != nil {
			return nil, err
		}
		return tx.ExecContext(ctx, `UPDATE people SET tier = $1 WHERE id = $2`, tier, id)
	})
}

// RemovePerson removes a teammate with their passes and limits. What they used stays in the books.
func (m *Meter) RemovePerson(ctx context.Context, id string) error {
	return m.changeOne(ctx, "remove person", id, func(ctx context.Context, tx Tx) (sql.Result, error) {
		for _, statement := range []string{
			`DELETE FROM limits WHERE holder_kind = 'person' AND holder = $1`,
			`DELETE FROM rates WHERE holder_kind = 'person' AND holder = $1`,
			`DELETE FROM passes WHERE person = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return nil, err
			}
		}
		return tx.ExecContext(ctx, `DELETE FROM people WHERE id = $1`, id)
	})
}

// readPerson reads a teammate.
func readPerson(ctx context.Context, tx Tx, id string) (Person, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+personColumns+` FROM people WHERE id = $1`, id)
	found, err := collect(rows, err, scanPerson)
	switch {
	case err != nil:
		return Person{}, fmt.Errorf("read the person: %w", err)
	case len(found) == 0:
		return Person{}, fmt.Errorf("person %q: %w", id, ErrNotFound)
	}
	return found[0], nil
}
