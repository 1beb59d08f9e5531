package boot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/postgres"
	"perdiem/meter/sqlite"
	"perdiem/providers/registry"
)

// ErrServed means that another process serves this data folder already.
var ErrServed = sqlite.ErrLocked

// store is a database, on whichever engine it is.
type store interface {
	meter.Store
	// Enter makes this process a gateway of that id, until leave is called or the process ends.
	Enter(ctx context.Context, gateway string) (leave func() error, err error)
	Close() error
}

// openStore opens the database, and tells by which clock its gateways go.
func openStore(ctx context.Context, o Options) (store, func() time.Time, error) {
	switch {
	case o.Store == "":
		if err := os.MkdirAll(o.Data, 0o700); err != nil {
			return nil, nil, fmt.Errorf("make the data folder: %w", err)
		}
		in := fileOptions(o.Data, o.Now)
		s, err := sqlite.Open(ctx, in)
		if err != nil {
			return nil, nil, offerBackup(err)
		}
		return file{s, in.Path}, o.Now, nil
	case strings.HasPrefix(o.Store, "postgres://"), strings.HasPrefix(o.Store, "postgresql://"):
		s, err := postgres.Open(ctx, postgres.Options{
			URL: o.Store, Now: o.Now, Migrations: tables(meter.PostgresMigrations),
		})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Now, nil
	default: // not shown: there may be a password in it
		return nil, nil, errors.New("a store is the address of a PostgreSQL database, such as postgres://user@host/database")
	}
}

// tables are all that a database must have, the meter's in its engine's words.
func tables(ofMeter fs.FS) []migrations.Set {
	return []migrations.Set{{Name: "meter", Files: ofMeter}, {Name: registry.MigrationsName, Files: registry.Migrations}}
}

func fileOptions(data string, now func() time.Time) sqlite.Options {
	return sqlite.Options{Path: databaseIn(data), Now: now, Migrations: tables(meter.SQLiteMigrations)}
}

// file is the embedded store, which one gateway serves at a time.
type file struct {
	*sqlite.Store
	path string
}

func (f file) Enter(ctx context.Context, _ string) (leave func() error, err error) {
	leave, err = sqlite.Lock(f.path)
	if err != nil || f.large() {
		return leave, err
	}
	if err := f.Check(ctx); err != nil {
		return nil, errors.Join(offerBackup(err), leave())
	}
	return leave, nil
}

// registryStore is the store in the registry's terms: the two packages do not know each other.
type registryStore struct{ store }

func (s registryStore) Write(ctx context.Context, do func(context.Context, registry.Tx) error) error {
	return s.store.Write(ctx, func(ctx context.Context, tx meter.Tx) error { return do(ctx, tx) })
}

func (s registryStore) Read() registry.Tx { return s.store.Read() }
