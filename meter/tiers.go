package meter

import (
	"context"
	"database/sql"
	"fmt"
)

// AddTier adds a named set of allowances.
func (m *Meter) AddTier(ctx context.Context, name string) error {
	name, err := cleanName("tier", name)
	if err != nil {
		return err
	}
	err = m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		taken, err := findName(ctx, tx, `SELECT name FROM tiers`, name)
		if err != nil {
			return err
		}
		if taken != "" {
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

// FindTier finds a tier's name, however it is spelled in Unicode. Errors: ErrNotFound.
func (m *Meter) FindTier(ctx context.Context, name string) (string, error) {
	found, err := findTier(ctx, m.store.Read(), name)
	if err != nil {
		return "", fmt.Errorf("find tier: %w", err)
	}
	return found, nil
}

func findTier(ctx context.Context, tx Tx, name string) (string, error) {
	found, err := findName(ctx, tx, `SELECT name FROM tiers`, name)
	if err == nil && found == "" {
		err = fmt.Errorf("tier %q: %w", name, ErrNotFound)
	}
	return found, err
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

func mustHaveTier(ctx context.Context, tx Tx, tier string) error {
	n, err := count(ctx, tx, `SELECT COUNT(*) FROM tiers WHERE name = $1`, tier)
	if err == nil && n == 0 {
		return fmt.Errorf("tier %q: %w", tier, ErrNotFound)
	}
	return err
}

// tierNamed is the tier that a person is put into, as it is stored; an empty name is none.
func tierNamed(ctx context.Context, tx Tx, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return findTier(ctx, tx, name)
}
