package meter

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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
	p := Person{ID: newID(m.now()), Name: name, Tier: tier, CreatedAt: fromMillis(millis(m.now()))}
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := mustHaveTier(ctx, tx, tier); err != nil {
			return err
		}
		if taken, err := count(ctx, tx, `SELECT COUNT(*) FROM people WHERE name = $1`, name); err != nil {
			return err
		} else if taken > 0 {
			return fmt.Errorf("a person named %q: %w", name, ErrExists)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO people (`+personColumns+`) VALUES ($1, $2, $3, 0, $4)`,
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

// FindPerson finds a teammate by name or id.
func (m *Meter) FindPerson(ctx context.Context, nameOrID string) (Person, error) {
	rows, err := m.store.Read().QueryContext(ctx,
		`SELECT `+personColumns+` FROM people WHERE name = $1 OR id = $1 ORDER BY name = $1 DESC`, nameOrID)
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
	flag := 0
	if suspended {
		flag = 1
	}
	return m.changeOne(ctx, "suspend person", id, func(ctx context.Context, tx Tx) (sql.Result, error) {
		return tx.ExecContext(ctx, `UPDATE people SET suspended = $1 WHERE id = $2`, flag, id)
	})
}

// SetPersonTier moves a teammate to a tier, or out of any with an empty one.
func (m *Meter) SetPersonTier(ctx context.Context, id, tier string) error {
	return m.changeOne(ctx, "set tier", id, func(ctx context.Context, tx Tx) (sql.Result, error) {
		if err := mustHaveTier(ctx, tx, tier); err != nil {
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

// AddTier adds a named set of allowances.
func (m *Meter) AddTier(ctx context.Context, name string) error {
	name, err := cleanName("tier", name)
	if err != nil {
		return err
	}
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		n, err := count(ctx, tx, `SELECT COUNT(*) FROM tiers WHERE name = $1`, name)
		if err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("tier %q: %w", name, ErrExists)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tiers (name) VALUES ($1)`, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("add tier: %w", err)
	}
	return nil
}

// Tiers lists the tiers by name.
func (m *Meter) Tiers(ctx context.Context) ([]string, error) {
	rows, err := m.store.Read().QueryContext(ctx, `SELECT name FROM tiers ORDER BY name`)
	tiers, err := collect(rows, err, column[string])
	if err != nil {
		return nil, fmt.Errorf("list tiers: %w", err)
	}
	return tiers, nil
}

// RemoveTier removes a tier and its limits; its people stay, without a tier.
func (m *Meter) RemoveTier(ctx context.Context, name string) error {
	return m.changeOne(ctx, "remove tier", name, func(ctx context.Context, tx Tx) (sql.Result, error) {
		for _, statement := range []string{
			`DELETE FROM limits WHERE holder_kind = 'tier' AND holder = $1`,
			`DELETE FROM rates WHERE holder_kind = 'tier' AND holder = $1`,
			`UPDATE people SET tier = '' WHERE tier = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, name); err != nil {
				return nil, err
			}
		}
		return tx.ExecContext(ctx, `DELETE FROM tiers WHERE name = $1`, name)
	})
}

// changeOne runs a change that must meet exactly one row, named for the error.
func (m *Meter) changeOne(ctx context.Context, doing, name string, do func(context.Context, Tx) (sql.Result, error)) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		res, err := do(ctx, tx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return fmt.Errorf("%q: %w", name, ErrNotFound)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func count(ctx context.Context, tx Tx, query string, args ...any) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

func mustHaveTier(ctx context.Context, tx Tx, tier string) error {
	if tier == "" {
		return nil
	}
	n, err := count(ctx, tx, `SELECT COUNT(*) FROM tiers WHERE name = $1`, tier)
	if err == nil && n == 0 {
		return fmt.Errorf("tier %q: %w", tier, ErrNotFound)
	}
	return err
}

// unseen tells of characters that cannot be seen, by which one name could pass for another; but for
// the joiner that emoji are put together with.
func unseen(r rune) bool {
	const joiner = '\u200d'
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != joiner
}

// reserved tells of names that commands take for something else.
func reserved(name string) bool {
	lower := strings.ToLower(name)
	return lower == string(ForEveryone) || lower == string(ForGuests) || strings.HasPrefix(lower, string(ForTier)+":")
}

// maxName is how long a name may be, in characters; longer ones break every screen.
const maxName = 80

// cleanName trims a name and refuses what could not be shown or typed again.
func cleanName(what, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fmt.Errorf("the %s is empty: %w", what, ErrInvalid)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unseen):
		return "", fmt.Errorf("the %s has characters that cannot be shown: %w", what, ErrInvalid)
	case reserved(name):
		return "", fmt.Errorf("%q means something else where limits are set: %w", name, ErrInvalid)
	case utf8.RuneCountInString(name) > maxName:
		return "", fmt.Errorf("the %s is longer than %d characters: %w", what, maxName, ErrInvalid)
	}
	return name, nil
}
