package sqlite_test

import (
	"path/filepath"
	"testing"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/sqlite"
)

var engine = metertest.Engine{
	Open:    func(t metertest.T) meter.Store { return open(t, filepath.Join(folder(t), "perdiem.db")) },
	Again:   func(_ metertest.T, s meter.Store) meter.Store { return s },
	Waiting: func(_ metertest.T, s meter.Store) int { return sqlite.Waiting(s.(*sqlite.Store)) },
}

func TestForcedInterleavingsOnSQLite(t *testing.T) { metertest.Interleave(t, engine) }

func TestConcurrentHistoriesOnSQLiteAreLinearizable(t *testing.T) { metertest.Linearize(t, engine) }
