package postgres_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/migrations"
	"perdiem/meter/postgres"
	"perdiem/testing/scratchpg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMeterOnPostgreSQL(t *testing.T) {
	scratchpg.Need(t)
	metertest.Run(t, func(t metertest.T) meter.Store { return open(t, scratchpg.Schema(t)) })
}

func open(t metertest.T, address string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), postgres.Options{
		URL: address, Migrations: []migrations.Set{{Name: "meter", Files: meter.PostgresMigrations}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
