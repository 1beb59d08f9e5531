package postgres_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/meter/metertest"
	"perdiem/meter/migrations"
	"perdiem/meter/postgres"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMeterOnPostgreSQL(t *testing.T) {
	server(t)
	metertest.Run(t, func(t metertest.T) meter.Store { return open(t, schema(t)) })
}

// server is the address of a real PostgreSQL, which the test command starts.
func server(t *testing.T) {
	t.Helper()
	if os.Getenv("PERDIEM_TEST_POSTGRES") == "" {
		t.Skip("no PostgreSQL to test on: make test starts one, and sets PERDIEM_TEST_POSTGRES")
	}
}

var schemas atomic.Int64

// schema makes an empty schema for as long as t runs, and gives the address that leads into it. Its
// connections say its name, by which a test finds them in the server.
func schema(t metertest.T) string {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	run(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(t, "SET client_min_messages = warning; DROP SCHEMA "+name+" CASCADE") })
	address, err := url.Parse(os.Getenv("PERDIEM_TEST_POSTGRES"))
	if err != nil {
		t.Fatal("PERDIEM_TEST_POSTGRES is not an address")
	}
	q := address.Query()
	q.Set("search_path", name)
	q.Set("application_name", name)
	address.RawQuery = q.Encode()
	return address.String()
}

// run runs statements as the server's owner, outside of every store.
func run(t metertest.T, statements string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv("PERDIEM_TEST_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statements, args...); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
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
