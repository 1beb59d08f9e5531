package meter

import "embed"

// SQLiteMigrations make the meter's tables on SQLite.
//
//go:embed migrations/sqlite/*.sql
var SQLiteMigrations embed.FS
