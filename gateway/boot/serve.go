package boot

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"perdiem/gateway"
	"perdiem/gateway/door"
	"perdiem/gateway/https"
	"perdiem/gateway/lan"
	"perdiem/gateway/peer"
	"perdiem/ui/web"
)

// Shutting down may take this long: telling callers, ending holds, and what is left of two seconds
// for the process to end.
const closeWithin = 1500 * time.Millisecond

// serving is one time of the gateway being on, from its port being taken to its being given back.
type serving struct {
	gateway  *gateway.Gateway
	server   *http.Server
	listener net.Listener
	leave    func() error // gives the store back
	sweep    context.CancelFunc
	running  sync.WaitGroup

	insecure *http.Server // tells those who speak plain HTTP where they must not; else nil
}

// Start takes the data folder and the port, ends what a crash left behind, and serves. Starting
// what serves already does nothing. The error tells a person what is in the way.
func (a *App) Start(ctx context.Context) error {
	// Before the lock: a keychain may have to ask its owner first.
	e, errKey := a.openEncryption(ctx, *a.settings.Load())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.serving != nil {
		return nil
	}
	if a.listenError = errKey; errKey == nil {
		a.serving, a.listenError = a.start(ctx, e)
	}
	return a.listenError
}

func (a *App) start(ctx context.Context, e *encryption) (_ *serving, err error) {
	s := &serving{}
	if s.leave, err = a.store.Enter(ctx, a.id); err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		if s.listener != nil {
			err = errors.Join(err, s.listener.Close())
		}
		err = errors.Join(err, s.leave())
	}()
	if s.listener, err = listen(ctx, a.options.Listen); err != nil {
		return nil, err
	}
	if err := a.tellGiven(ctx, s.listener.Addr().String()); err != nil {
		return nil, err
	}
	s.listener = door.Limit(s.listener, a.options.Door)
	if err := a.Meter.LoadRates(ctx); err != nil {
		return nil, err
	}
	ended, err := a.Meter.Recover(ctx)
	if err != nil {
		return nil, fmt.Errorf("recover after the last run: %w", err)
	}
	if ended > 0 {
		a.options.Log.Info("ended what the last run left open", "holds", ended)
	}
	page := web.Handler(web.Deps{Books: a.Meter, Log: a.options.Log, Certificate: certificate(e), InFlight: func() []gateway.Flight { return s.gateway.InFlight() }})
	s.gateway = gateway.New(gateway.Options{
		Meter: a.Meter, Catalogue: a.Providers, Credentials: credentials{a},
		Client: a.options.Upstream, Log: a.options.Log, Limits: a.options.Limits, HostNames: a.hostNames, GuestSecret: a.guests.get,
		Observer: a.metrics, Metrics: a.metrics.Handler(), Page: page,
	})
	s.server = a.server(s.gateway)
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.sweep = stop
	s.running.Go(func() { a.keepHouse(sweeping, s.gateway) })
	if name, port, ok := a.announced(s.listener.Addr()); ok {
		s.running.Go(func() { lan.Announce(sweeping, lan.Gateway{Name: name, Port: port, HTTPS: e != nil}, a.options.Log) })
	}
	a.encryption.Store(e)
	if e == nil {
		s.running.Go(func() { a.answer(s.server, s.listener) })
		return s, nil
	}
	port := https.Split(s.listener, e.config())
	s.listener = port.Secure
	s.insecure = a.server(gateway.Insecure(web.CAPath, page))
	s.running.Go(func() { a.answer(s.server, port.Secure) })
	s.running.Go(func() { a.answer(s.insecure, port.Plain) })
	s.running.Go(port.Wait)
	return s, nil
}

// server is one for a port that strangers reach.
func (a *App) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h,
		// A slow sender of headers is let go. ReadTimeout and WriteTimeout stay unset: they would cut
		// healthy streams; the gateway bounds each write by itself.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
		ErrorLog:          errorLog(a.options.Log),
	}
}

// answer answers a listener's callers until it is closed.
func (a *App) answer(s *http.Server, l net.Listener) {
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		a.options.Log.Error("the gateway stopped", "error", err)
	}
}

// certificate is what the page tells of the port's; nil where there is none.
func certificate(e *encryption) func() web.Certificate {
	if e == nil {
		return nil
	}
	return func() web.Certificate {
		h := e.describe()
		return web.Certificate{Fingerprint: h.Fingerprint, CA: h.CA}
	}
}

// ErrPortTaken means that another program listens on the port already.
var ErrPortTaken = errors.New("taken by another program")

// Windows has numbers of its own for these two, which Go does not translate:
// https://learn.microsoft.com/windows/win32/winsock/windows-sockets-error-codes-2
const (
	wsaeAccess    = syscall.Errno(10013)
	wsaeAddrInUse = syscall.Errno(10048)
)

func listen(ctx context.Context, address string) (net.Listener, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = ":" + address // a port alone
	}
	l, err := peer.ListenConfig().Listen(ctx, "tcp", address)
	_, port, _ := net.SplitHostPort(address)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaeAddrInUse):
		return nil, fmt.Errorf("port %s is %w; end that one, or choose another port", port, ErrPortTaken)
	case errors.Is(err, syscall.EACCES), errors.Is(err, wsaeAccess):
		return nil, fmt.Errorf("port %s is not open to you; choose one above 1023: %w", port, err)
	default:
		return nil, fmt.Errorf("listen on %s: %w; give a port such as 7427, or HOST:PORT with an address of this machine", address, err)
	}
}

// Stop ends running calls as if their callers had left, gives the port and the data folder back,
// and returns within two seconds. Stopping what does not serve does nothing.
func (a *App) Stop() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.serving
	if s == nil {
		return nil
	}
	a.serving = nil
	a.encryption.Store(nil)
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	s.sweep()
	_ = s.listener.Close() // no new calls; the server closes it again, which is no fault
	if err := s.gateway.Close(ctx); err != nil {
		a.options.Log.Warn("some calls did not end in time; their holds are ended at the next start", "error", err)
	}
	err := s.server.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	if s.insecure != nil {
		_ = s.insecure.Close() // its listener is closed already
	}
	s.running.Wait()
	return errors.Join(err, s.leave())
}

// Wait waits until ctx ends, and stops, or until the gateway gave up by itself, and tells why: its books turned out to be damaged.
func (a *App) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return a.Stop()
	case err := <-a.gaveUp:
		return err
	}
}

// On tells whether the gateway serves.
func (a *App) On() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.serving != nil
}

// SetOn starts or stops the gateway.
func (a *App) SetOn(on bool) error {
	if on {
		return a.Start(context.Background())
	}
	return a.Stop()
}

// ListenError is why the last start failed, nil if it did not.
func (a *App) ListenError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listenError
}

// InFlight lists the requests that run now.
func (a *App) InFlight() []gateway.Flight {
	a.mu.Lock()
	s := a.serving
	a.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.gateway.InFlight()
}
