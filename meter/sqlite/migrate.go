package sqlite

import (
	"context"
	"database/sql"

	"perdiem/meter/migrations"
)

// Migrations are one owner's tables.
type Migrations = migrations.Set

// engine needs no lock: transactions are immediate.
var engine = migrations.Engine{
	Script: func(ctx context.Context, tx *sql.Tx, text string) error {
		_, err := tx.ExecContext(ctx, text)
		return err
	},
}
