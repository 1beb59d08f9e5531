package sqlite_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"perdiem/meter"
)

func TestAWriteGoesBackToItsOwnSavepoint(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	letGo := blockWriter(t, s)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := s.Write(context.Background(), add("kept", 1)); err != nil {
				t.Errorf("a write without savepoints: %v", err)
			}
		})
		all.Go(func() {
			err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
				for _, do := range []func(context.Context, meter.Tx) error{
					add("kept", 1), run("SAVEPOINT mine"), add("gone", 1), run("ROLLBACK TO SAVEPOINT mine"), run("RELEASE SAVEPOINT mine"), add("kept", 1),
				} {
					if err := do(ctx, tx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("a write with a savepoint: %v", err)
			}
		})
	}
	letGo()
	all.Wait()
	if kept, gone := read(t, s, "kept"), read(t, s, "gone"); kept != 60 || gone != 0 {
		t.Errorf("kept %d of 60, and %d of 0", kept, gone)
	}
}

func run(statement string) func(context.Context, meter.Tx) error {
	return func(ctx context.Context, tx meter.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	}
}

func TestArgumentsFollowTheirParameters(t *testing.T) {
	s := counters(t, filepath.Join(t.TempDir(), "a.db"))
	err := s.Write(context.Background(), func(ctx context.Context, tx meter.Tx) error {
		if err := add("a", 7)(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT name, CAST($2 AS BIGINT), $1, CAST($2 AS BIGINT) FROM counters WHERE name = $3`, "one", 2, "a")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name, one string
			var two, again int
			if err := rows.Scan(&name, &two, &one, &again); err != nil {
				return err
			}
			if name != "a" || one != "one" || two != 2 || again != 2 {
				t.Errorf("%s %d %s %d", name, two, one, again)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}
