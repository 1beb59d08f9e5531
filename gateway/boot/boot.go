// Package boot wires the parts of Perdiem together: the database, the meter, the registry, the
// secrets and the gateway on its port.
//
// An [App] that is only opened reads and changes the books, as commands do. One that is started also
// owns the data folder, and is the only one that does; or, on a store that is shared, is one of its
// gateways.
package boot

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"perdiem/gateway"
	"perdiem/gateway/door"
	"perdiem/gateway/metrics"
	"perdiem/meter"
	"perdiem/providers/keys"
	"perdiem/providers/registry"
)

// DefaultListen is the LAN port that teammates' tools are pointed at.
const DefaultListen = ":7427"

// defaultDoor bounds the port's connections: enough for a large team, and few enough for one machine.
var defaultDoor = door.Limits{All: 2048, Network: 512}

// Options are what an App is made of; zero values mean the real ones.
type Options struct {
	Data     string // the folder with the database; made if it is not there
	Store    string // postgres://… instead, where several gateways share one database
	Listen   string // host:port; DefaultListen by default
	Now      func() time.Time
	Log      *slog.Logger
	Secrets  keys.Source    // where key secrets are; the keychain, the environment and the encrypted file
	Upstream *http.Client   // to providers
	Limits   gateway.Limits // what one call may take
	Door     door.Limits    // how many connections the port has at once; enough for a large team by default
	Quiet    bool           // not announced in the local network
	HTTPS    bool           // the port speaks HTTPS, whatever the settings say
}

// App is a whole Perdiem without a face.
type App struct {
	Meter     *meter.Meter
	Providers *registry.Registry
	Secrets   keys.Source

	options Options
	store   store
	id      string // this process's as a gateway, fresh at every start
	guests  guests
	metrics *metrics.Metrics

	listenGiven bool // not a setting
	sweepEvery  time.Duration
	settings    atomic.Pointer[Settings]
	encryption  atomic.Pointer[encryption] // of the gateway that serves

	mu          sync.Mutex
	serving     *serving
	listenError error
	gaveUp      chan error // why it stopped by itself
}

// Open opens the data folder without serving it. It may be open elsewhere too.
func Open(ctx context.Context, o Options) (*App, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Door == (door.Limits{}) {
		o.Door = defaultDoor
	}
	store, now, err := openStore(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Now = now
	providers := registry.New(registryStore{store}, o.Now)
	if o.Secrets == nil {
		o.Secrets = defaultSecrets(o, providers)
	}
	id := uuid.NewString()
	app := &App{
		Meter:     meter.New(store, meter.Options{Now: o.Now, Gateway: id, SharedRates: o.Store != ""}),
		Providers: providers,
		Secrets:   o.Secrets,
		options:   o,
		store:     store,
		id:        id,

		listenGiven: o.Listen != "",
		sweepEvery:  sweepEvery,
		gaveUp:      make(chan error, 1),
	}
	app.guests.app = app
	app.metrics = metrics.New(metrics.Sources{InFlight: func() int { return len(app.InFlight()) }, Held: app.held})
	if err := app.loadSettings(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return app, nil
}

// Close stops serving, if the App does, and closes the data folder.
func (a *App) Close() error {
	return errors.Join(a.Stop(), a.store.Close())
}
