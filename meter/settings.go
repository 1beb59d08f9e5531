package meter

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Setting reads one of the owner's settings, kept beside the books for every gateway and face that
// shares them; empty if it was never set.
func (m *Meter) Setting(ctx context.Context, name string) (string, error) {
	value, err := readSetting(ctx, m.store.Read(), name)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	return value, nil
}

// SetSetting writes a setting; an empty value removes it.
func (m *Meter) SetSetting(ctx context.Context, name, value string) error {
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if value == "" {
			_, err := tx.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, name)
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
		return err
	})
	if err != nil {
		return fmt.Errorf("write the setting %s: %w", name, err)
	}
	return nil
}

// SetSettingOnce writes a setting that has no value yet, and returns the value that it has then: the
// first of several gateways decides.
func (m *Meter) SetSettingOnce(ctx context.Context, name, value string) (string, error) {
	var stands string
	err := m.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, value)
		if err != nil {
			return err
		}
		stands, err = readSetting(ctx, tx, name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("write the setting %s once: %w", name, err)
	}
	return stands, nil
}

func readSetting(ctx context.Context, tx Tx, name string) (string, error) {
	var value string
	err := tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}
