package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"

	"perdiem/meter/migrations"
)

// migrate brings the tables up to date, after a backup if there is anything to lose.
func migrate(ctx context.Context, db *sql.DB, o Options) error {
	if err := notForeign(ctx, db); err != nil {
		return err
	}
	// No lock: transactions are immediate.
	return migrations.Run(ctx, db, migrations.Engine{
		Script: func(ctx context.Context, tx *sql.Tx, text string) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		},
		Before: func(ctx context.Context) error {
			to := filepath.Join(BackupDir(o.Path), "before-update-"+o.Now().UTC().Format("2006-01-02T150405.000")+".db")
			return backup(ctx, o.Path, to)
		},
	}, o.Migrations, o.Now)
}
