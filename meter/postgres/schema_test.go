package postgres_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
	"perdiem/testing/scratchpg"
)

func TestBothEnginesHaveTheSameTables(t *testing.T) {
	scratchpg.Need(t)
	file, err := sqlite.Open(context.Background(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "a.db"), Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	here := columns(t, open(t, scratchpg.Schema(t)), `
		SELECT table_name, column_name, data_type, is_nullable = 'NO' FROM information_schema.columns
		WHERE table_schema = current_schema()`)
	there := columns(t, file, `
		SELECT m.name, c.name, c.type, c."notnull" FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
	for column := range here {
		if !there[column] {
			t.Errorf("only PostgreSQL has %s", column)
		}
	}
	for column := range there {
		if !here[column] {
			t.Errorf("only SQLite has %s", column)
		}
	}
}

// columns lists a database's columns as name, kind and whether they may be NULL.
func columns(t metertest.T, s meter.Store, query string) map[string]bool {
	t.Helper()
	rows, err := s.Read().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]bool{}
	for rows.Next() {
		var table, column, kind string
		var required bool
		if err := rows.Scan(&table, &column, &kind, &required); err != nil {
			t.Fatal(err)
		}
		switch kind = strings.ToUpper(kind); kind {
		case "INTEGER": // SQLite's name for a row's own number
			kind, required = "BIGINT", true
		case "BLOB":
			kind = "BYTEA"
		}
		all[fmt.Sprintf("%s.%s %s %t", table, column, kind, required)] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
