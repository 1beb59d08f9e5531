package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

func TestMigrationsRunOnceAndInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	first := fstest.MapFS{"0001_a.sql": {Data: []byte(`CREATE TABLE a (x BIGINT)`)}}
	second := fstest.MapFS{"0001_a.sql": first["0001_a.sql"], "0002_b.sql": {Data: []byte(`ALTER TABLE a ADD COLUMN y BIGINT; CREATE TABLE b (x BIGINT)`)}}
	broken := fstest.MapFS{"0001_a.sql": first["0001_a.sql"], "0002_b.sql": second["0002_b.sql"], "0003_c.sql": {Data: []byte(`CREATE TABLE c (x BIGINT); NONSENSE`)}}
	gap := fstest.MapFS{"0001_a.sql": first["0001_a.sql"], "0003_c.sql": {Data: []byte(`SELECT 1`)}}
	open := func(files fstest.MapFS) error {
		s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Migrations: []migrations.Set{{Name: "test", Files: files}}, Now: time.Now})
		if err != nil {
			return err
		}
		return s.Close()
	}
	for _, step := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"the first", first, ""},
		{"the first again", first, ""},
		{"a second", second, ""},
		{"one that fails", broken, "migration 3"},
		{"the second, after a failed one", second, ""},
		{"an older program", first, "newer Perdiem"},
		{"a missing number", gap, "missing"},
	} {
		err := open(step.files)
		if (step.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), step.want)) {
			t.Errorf("%s: %v, want %q", step.name, err, step.want)
		}
	}
}

// Whoever only looks at the books opens them while another program writes.
func TestABookThatIsUpToDateOpensWhileAnotherWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perdiem.db")
	open(t, path)
	other, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	writing, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writing.Rollback() }()
	open(t, path)
}
