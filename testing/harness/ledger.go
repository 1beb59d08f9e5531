package harness

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // to look into the books from outside
)

// End is how the ledger says that a hold ended.
type End struct {
	Verb, Provenance string
	Input, Output    int64
}

// Ends reads every end of a hold in a data folder's ledger, in order, from outside of the app.
func Ends(t testing.TB, data string) []End {
	t.Helper()
	var ends []End
	Books(t, data, func(db *sql.DB) error {
		rows, err := db.QueryContext(t.Context(), `
			SELECT verb, provenance, input, output FROM ledger
			WHERE verb IN ('settle', 'release', 'expire', 'correct') ORDER BY seq`)
		if err != nil {
			return fmt.Errorf("reading the ledger: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var e End
			if err := rows.Scan(&e.Verb, &e.Provenance, &e.Input, &e.Output); err != nil {
				return fmt.Errorf("reading the ledger: %w", err)
			}
			ends = append(ends, e)
		}
		return rows.Err()
	})
	return ends
}

// Books opens a data folder's database read-only, beside whoever has it open.
func Books(t testing.TB, data string, look func(*sql.DB) error) {
	t.Helper()
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(data, "perdiem.db")), RawQuery: "mode=ro&_pragma=busy_timeout(5000)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		t.Fatal(err)
	}
	err = look(db)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.Fatal(err)
	}
}
