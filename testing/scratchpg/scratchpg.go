// Package scratchpg gives tests a PostgreSQL database of their own: an empty schema in the server
// that PERDIEM_TEST_POSTGRES names, which the test command starts.
package scratchpg

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

const variable = "PERDIEM_TEST_POSTGRES"

// T is what is asked of a test, or of one try of a property.
type T interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Need skips the test where there is no server.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skip("no PostgreSQL to test on: make test starts one, and sets " + variable)
	}
}

var schemas atomic.Int64

// Schema makes an empty schema for as long as t runs, and gives the address that leads into it. Its
// connections bear its name as their application's, by which they are found in the server.
func Schema(t T) (address string) {
	t.Helper()
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), schemas.Add(1))
	Run(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { Run(t, "SET client_min_messages = warning; DROP SCHEMA "+name+" CASCADE") })
	there, err := url.Parse(os.Getenv(variable))
	if err != nil {
		t.Fatalf("%s is not an address", variable)
	}
	q := there.Query()
	q.Set("search_path", name)
	q.Set("application_name", name)
	there.RawQuery = q.Encode()
	return there.String()
}

// Cut ends the connections to an address from the server's side, as a restart or a broken network
// does.
func Cut(t T, address string) {
	t.Helper()
	there, err := url.Parse(address)
	if err != nil {
		t.Fatalf("not an address of Schema's: %v", err)
	}
	Run(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, there.Query().Get("application_name"))
}

// Run runs statements as the server's owner, outside of every store.
func Run(t T, statements string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, os.Getenv(variable))
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statements, args...); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}
