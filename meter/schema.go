package meter

import "embed"

// SQLiteMigrations make the meter's tables on SQLite.
//
//go:embed migrations/sqlite/*.sql
var SQLiteMigrations embed.FS

// PostgresMigrations make the same tables on PostgreSQL, in the same steps.
//
//go:embed migrations/postgres/*.sql
var PostgresMigrations embed.FS
