// Package harness boots the whole app for a test: real books in a temporary folder, the real gateway
// on a loopback port, a clock that the test sets, and the fake provider behind it. Callers reach it
// over HTTP with their passes, as any tool does.
package harness

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
)

// Noon is when the clock of a test starts: far from midnight.
var Noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// Provider is the name that the fake provider goes by.
const Provider = "fake"

// Options are what a test changes; zero values are a house in good order.
type Options struct {
	Models   []string            // models of the fake provider, by their upstream names
	Speaks   []providers.Dialect // what the fake provider speaks; all dialects if empty
	BaseURL  string              // in place of the fake provider's
	Upstream *http.Client        // in place of the gateway's own
	Limits   gateway.Limits      // what one call may take
	Store    string              // a shared store's address; it goes by the real time
	Log      *slog.Logger        // nil throws it away
	HTTPS    bool                // the port speaks it, with a certificate made here
}

// House is the whole app with its surroundings.
type House struct {
	*boot.App
	// URL is the gateway's base URL, /v1 included.
	URL      string
	Upstream *fakeprovider.Server
	Clock    *Clock
	Data     string // the data folder

	t      testing.TB
	client *http.Client
}

// Start boots an app that is closed with the test.
func Start(t testing.TB, o Options) *House {
	t.Helper()
	h := &House{t: t, Upstream: fakeprovider.New(t), Clock: &Clock{now: Noon}, Data: t.TempDir()}
	if o.BaseURL == "" {
		o.BaseURL = h.Upstream.URL
	}
	// The key stands in an environment of the test's own: the keychain has tests of its own.
	secrets := &Pocket{Source: keys.NewEnv(func(name string) (string, bool) {
		return fakeprovider.Key, name == keys.EnvName(Provider)
	}, nil)}
	now := h.Clock.Now
	if o.Store != "" { // which refuses a machine whose clock is wrong
		now = time.Now
		h.Clock.Set(time.Now())
	}
	app, err := boot.Open(t.Context(), boot.Options{
		Data: h.Data, Store: o.Store, Listen: "127.0.0.1:0", Now: now, Secrets: secrets, Upstream: o.Upstream, Limits: o.Limits, Log: o.Log, HTTPS: o.HTTPS,
	})
	if err != nil {
		t.Fatalf("opening the app: %v", err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Errorf("closing the app: %v", err)
		}
	})
	h.App = app
	if _, err := app.Providers.AddProvider(t.Context(), o.provider()); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Providers.AddKey(t.Context(), Provider, "", providers.Environment); err != nil {
		t.Fatal(err)
	}
	for _, model := range o.Models {
		h.Model(model)
	}
	if err := app.Start(t.Context()); err != nil {
		t.Fatalf("starting the gateway: %v", err)
	}
	h.URL = app.Addresses()[0].URL
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSClientConfig: app.ClientTLS(), ForceAttemptHTTP2: true}
	h.client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	return h
}

// provider is the fake provider as its owner sets it up.
func (o Options) provider() providers.Provider {
	p := providers.Provider{Name: Provider, BaseURL: o.BaseURL, Dialects: o.Speaks}
	if len(p.Dialects) == 0 {
		p.Dialects = []providers.Dialect{providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini}
	}
	if root := strings.TrimSuffix(o.BaseURL, "/v1"); slices.Contains(p.Dialects, providers.Gemini) {
		p.Bases = map[providers.Dialect]string{providers.Gemini: root}
		if len(p.Dialects) == 1 {
			p.BaseURL, p.Bases = root, nil
		}
	}
	return p
}

// Model makes a model of the fake provider known, as "fake/NAME". Doing so twice is fine.
func (h *House) Model(name string) {
	h.t.Helper()
	if _, err := h.Providers.Resolve(h.t.Context(), Provider+"/"+name); err == nil {
		return
	}
	if _, err := h.Providers.AddModel(h.t.Context(), providers.Model{Provider: Provider, Upstream: name}); err != nil {
		h.t.Fatal(err)
	}
}

// Person adds a teammate and issues a pass.
func (h *House) Person(name string) (meter.Person, string) {
	h.t.Helper()
	p, err := h.Meter.AddPerson(h.t.Context(), name, "")
	if err != nil {
		h.t.Fatal(err)
	}
	_, pass, err := h.Meter.IssuePass(h.t.Context(), p.ID, "", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return p, pass
}

// Allow sets a person's allowance; nil is no limit.
func (h *House) Allow(p meter.Person, model string, requests, tokens *int64) {
	h.t.Helper()
	err := h.Meter.SetAllowance(h.t.Context(), meter.Allowance{
		Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Model: model, Limits: meter.Limits{Requests: requests, Tokens: tokens},
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// Ceiling sets a ceiling.
func (h *House) Ceiling(c meter.Ceiling) {
	h.t.Helper()
	if err := h.Meter.SetCeiling(h.t.Context(), c); err != nil {
		h.t.Fatal(err)
	}
}

// NoRate lets everyone ask as often as they like.
func (h *House) NoRate() {
	h.t.Helper()
	if err := h.Meter.SetRate(h.t.Context(), meter.Rate{Holder: meter.Holder{Kind: meter.ForEveryone}}); err != nil {
		h.t.Fatal(err)
	}
}

// Needs tells how many tokens a question holds while it runs: another person asks it, whose
// allowance leaves the hold whole, and is looked at in the middle.
func (h *House) Needs(model string, q Question) int64 {
	h.t.Helper()
	p, pass := h.Person("who asks " + model)
	roomy := int64(1_000_000)
	h.Allow(p, model, nil, &roomy)
	gate := fakeprovider.NewGate()
	h.Upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		return fakeprovider.Chat{}.Answer(r).HoldAt(fakeprovider.BeforeHeader, gate)
	})
	answer := h.Begin(pass, model, q)
	gate.Await(h.t, 1)
	standing := Standing(h.t, h.Meter, p, model)
	gate.Open()
	answer().WantStatus(h.t, http.StatusOK)
	return standing.HeldTokens
}

// Standing is how a person stands on a model today.
func Standing(t testing.TB, m *meter.Meter, p meter.Person, model string) meter.Standing {
	t.Helper()
	all, err := m.Standings(t.Context(), []meter.Person{p}, []string{model})
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// Booked is what stands in the books for today.
func (h *House) Booked() meter.Totals {
	h.t.Helper()
	totals, err := h.Meter.Totals(context.WithoutCancel(h.t.Context()), meter.Day(h.Clock.Now()))
	if err != nil {
		h.t.Fatal(err)
	}
	return totals
}

// settling is how long a call may take to end its hold after its caller has seen its end.
const settling = 20 * time.Second

// AtRest waits until nothing is in flight or held, and fails the test unless the books are then
// right: nothing held, each hold ended just once, each row what the ledger says.
func (h *House) AtRest() {
	h.t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	deadline := time.NewTimer(settling)
	defer deadline.Stop()
	for {
		totals := h.Booked()
		if len(h.InFlight()) == 0 && totals.HeldRequests == 0 && totals.HeldTokens == 0 {
			break
		}
		select {
		case <-look.C:
		case <-deadline.C:
			h.t.Fatalf("after %v still in flight: %+v; held: %d requests, %d tokens", settling, h.InFlight(), totals.HeldRequests, totals.HeldTokens)
		}
	}
	report, err := h.Meter.Verify(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if !report.Clean() || report.OpenHolds != 0 {
		h.t.Fatalf("the books are not right: %+v", report)
	}
}

// Clock is a clock that stands until it is set.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the clock.
func (c *Clock) Set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = to
}
