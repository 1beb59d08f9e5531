package postgres_test

import (
	"context"
	"sync"
	"testing"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/testing/scratchpg"
)

// addresses remembers which database each store was opened on, to open it again and look into it.
var addresses sync.Map

var engine = metertest.Engine{
	Open: func(t metertest.T) meter.Store {
		address := scratchpg.Schema(t)
		s := open(t, address)
		addresses.Store(meter.Store(s), address)
		t.Cleanup(func() { addresses.Delete(meter.Store(s)) })
		return s
	},
	Again: func(t metertest.T, s meter.Store) meter.Store { return open(t, addressOf(t, s)) },
	Waiting: func(t metertest.T, s meter.Store) int {
		var waiting int
		err := s.Read().QueryRowContext(context.Background(), `
			SELECT COUNT(*) FROM pg_stat_activity
			WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		return waiting
	},
}

func addressOf(t metertest.T, s meter.Store) string {
	address, ok := addresses.Load(s)
	if !ok {
		t.Fatal("a store that no test opened")
	}
	return address.(string)
}

func TestForcedInterleavingsOnPostgreSQL(t *testing.T) {
	scratchpg.Need(t)
	metertest.Interleave(t, engine)
}

func TestConcurrentHistoriesOnPostgreSQLAreLinearizable(t *testing.T) {
	scratchpg.Need(t)
	metertest.Linearize(t, engine)
}
