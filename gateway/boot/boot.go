// Package boot wires the parts of Perdiem together: the database, the meter, the registry, the
// secrets and the gateway on its port.
//
// An [App] that is only opened reads and changes the books, as commands do; one that is started
// also owns the data folder, and is the only one that does.
package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/meter/sqlite"
	"perdiem/providers/keys"
	"perdiem/providers/registry"
)

// DefaultListen is the LAN port that teammates' tools are pointed at.
const DefaultListen = ":7427"

// Options are what an App is made of; zero values mean the real ones.
type Options struct {
	Data     string // the folder with the database; made if it is not there
	Listen   string // host:port; DefaultListen by default
	Now      func() time.Time
	Log      *slog.Logger
	Secrets  keys.Source    // where key secrets are; the keychain, then the environment
	Upstream *http.Client   // to providers
	Limits   gateway.Limits // what one call may take
}

// App is a whole Perdiem without a face.
type App struct {
	Meter     *meter.Meter
	Providers *registry.Registry
	Secrets   keys.Source

	options Options
	store   *sqlite.Store

	mu          sync.Mutex
	serving     *serving
	listenError error
}

// Open opens the data folder without serving it. It may be open elsewhere too.
func Open(ctx context.Context, o Options) (*App, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Listen == "" {
		o.Listen = DefaultListen
	}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	store, err := sqlite.Open(ctx, sqlite.Options{
		Path: databasePath(o.Data),
		Migrations: []sqlite.Migrations{
			{Name: "meter", Files: meter.SQLiteMigrations},
			{Name: registry.MigrationsName, Files: registry.Migrations},
		},
		Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	providers := registry.New(registryStore{store}, o.Now)
	if o.Secrets == nil {
		o.Secrets = defaultSecrets(o, providers)
	}
	return &App{
		Meter:     meter.New(store, meter.Options{Now: o.Now}),
		Providers: providers,
		Secrets:   o.Secrets,
		options:   o,
		store:     store,
	}, nil
}

func databasePath(data string) string { return filepath.Join(data, "perdiem.db") }

// Close stops serving, if the App does, and closes the data folder.
func (a *App) Close() error {
	return errors.Join(a.Stop(), a.store.Close())
}

// registryStore is the store in the registry's terms: the two packages do not know each other.
type registryStore struct{ *sqlite.Store }

func (s registryStore) Write(ctx context.Context, do func(context.Context, registry.Tx) error) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx meter.Tx) error { return do(ctx, tx) })
}

func (s registryStore) Read() registry.Tx { return s.Store.Read() }
