// Package gateway is the HTTP side of Perdiem: it lets a teammate's call through the gates, in
// order, holds its room in the meter, relays it to the provider byte for byte, reads what was used
// and settles.
//
// Invariants:
//
//   - Nothing that costs is sent to a provider without a hold, and every hold that the gateway made
//     is ended by it, on every exit path, on a context that outlives the caller's.
//   - No credential of a caller goes upstream; no provider key comes back.
//   - A stream ends cleanly for the caller only if the provider's did.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"perdiem/gateway/throttle"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
)

// Catalogue finds the models that the owner imported.
type Catalogue interface {
	// Resolve finds a model by its id or an alias, exactly; registry.ErrNotFound if there is none.
	Resolve(ctx context.Context, name string) (registry.Target, error)
	// Account finds a provider by its name, without a model; registry.ErrNotFound if there is none.
	Account(ctx context.Context, provider string) (registry.Target, error)
	Models(ctx context.Context) ([]providers.Model, error)
}

// Credentials finds the usable keys of a target's provider.
type Credentials interface {
	// For lists them in the owner's order; ErrNoKey, with why, if there is none.
	For(ctx context.Context, t registry.Target) ([]Credential, error)
	// Disable takes a key out of use and tells the owner why.
	Disable(ctx context.Context, keyID, why string) error
}

// ErrNoKey means that a provider has no key that can be used.
var ErrNoKey = errors.New("the provider has no usable key")

// Options are a gateway's parts; Meter, Catalogue and Credentials must be there.
type Options struct {
	Meter       *meter.Meter
	Catalogue   Catalogue
	Credentials Credentials
	Client      *http.Client // to providers; by default one that bounds only how long a connection takes
	Log         *slog.Logger
	HostNames   func() []string // further names that callers may address this machine by; none if nil
	// GuestSecret gives what guests' networks are hashed with; nil lets no guests in. It is asked for
	// when the first guest calls, since a keychain may have to ask its owner.
	GuestSecret func(context.Context) ([]byte, error)
	// Page answers at "/" and below "/page/", for people with a browser; nil leaves these paths unknown.
	Page     http.Handler
	Observer Observer     // nil where nobody measures
	Metrics  http.Handler // answers programs on this machine at "/metrics"; nil leaves the path unknown
	Limits   Limits
}

// Limits bound what one call may take; zero values mean the defaults.
type Limits struct {
	Body      int64         // bytes of a request; 64 MiB
	Unknown   int64         // bytes of all requests together whose callers are not known; 256 MiB
	Large     int64         // bytes of all large requests together whose callers are known; 1 GiB
	Reply     int64         // bytes of a reply that is not a stream; 64 MiB
	Deadline  time.Duration // of a whole call; 15 min
	Silence   time.Duration // after which a stream's headers, or a keep-alive, are sent; 60 s
	ErrorTime time.Duration // that the body of a provider's error may take; 3 s
	AfterDone time.Duration // that a stream may stay open after its finish; 10 s
	StuckFor  time.Duration // that a caller may not take what is written; 60 s
	BodyPause time.Duration // that a caller may take between two pieces of a request; 30 s
	BodyTime  time.Duration // that a caller may take for all of it; 5 min
}

func (l Limits) withDefaults() Limits {
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	if l.Body == 0 {
		l.Body = 64 << 20
	}
	if l.Unknown == 0 {
		l.Unknown = 256 << 20
	}
	if l.Large == 0 {
		l.Large = 1 << 30
	}
	if l.Reply == 0 {
		l.Reply = 64 << 20
	}
	or(&l.Deadline, 15*time.Minute)
	or(&l.Silence, time.Minute)
	or(&l.ErrorTime, 3*time.Second)
	or(&l.AfterDone, 10*time.Second)
	or(&l.StuckFor, time.Minute)
	or(&l.BodyPause, 30*time.Second)
	or(&l.BodyTime, 5*time.Minute)
	return l
}

// Gateway is an http.Handler. Close ends what runs.
type Gateway struct {
	Options
	routes   http.Handler
	flights  flights
	pool     pool
	breakers breakers
	floods   floods
	tries    *throttle.Throttle // bad passes, by network
	good     goodPasses
	sleep    sleep
	unknown  atomic.Int64 // bytes of requests that are in memory and whose callers are not known
	large    atomic.Int64 // bytes of large ones whose callers are
	closing  context.Context
	close    context.CancelCauseFunc
	late     *lateEnds

	mu      sync.Mutex // between a call that begins and Close
	running sync.WaitGroup
}

// New returns a gateway of these parts.
func New(o Options) *Gateway {
	if o.Client == nil {
		o.Client = newClient()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	o.Limits = o.Limits.withDefaults()
	g := &Gateway{Options: o}
	g.closing, g.close = context.WithCancelCause(context.Background())
	g.sleep.began = time.Now()
	g.tries = throttle.New(badPassesAMinute, g.now)
	g.late = newLateEnds(g.closing, o.Log)
	g.routes = g.mux()
	return g
}

// Close ends running calls as if their callers had left, after telling them, and waits for their
// holds to be ended, or for ctx. New calls are refused from now on.
func (g *Gateway) Close(ctx context.Context) error {
	g.mu.Lock()
	g.close(errClosing)
	g.mu.Unlock()
	done := make(chan struct{})
	go func() {
		g.running.Wait()
		g.late.wait()
		close(done)
	}()
	defer g.flushFloods(context.WithoutCancel(ctx))
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin counts a call as running, unless the gateway is closing.
func (g *Gateway) begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing.Err() != nil {
		return false
	}
	g.running.Add(1)
	return true
}

func (g *Gateway) now() time.Time { return g.Meter.Now() }
