package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// brittle is a real store whose writes fail while told to.
type brittle struct {
	*sqlite.Store
	failing atomic.Int64 // how many writes to come fail
}

var errDisk = errors.New("database or disk is full")

func (b *brittle) Write(ctx context.Context, do func(context.Context, meter.Tx) error) error {
	if b.failing.Load() > 0 && b.failing.Add(-1) >= 0 {
		return errDisk
	}
	return b.Store.Write(ctx, do)
}

type fixedModel struct{ target registry.Target }

func (f fixedModel) Resolve(context.Context, string) (registry.Target, error) { return f.target, nil }
func (f fixedModel) Models(context.Context) ([]providers.Model, error) {
	return []providers.Model{f.target.Model}, nil
}

func (f fixedModel) Account(context.Context, string) (registry.Target, error) {
	return registry.Target{Provider: f.target.Provider}, nil
}

// keyring is a provider's keys, as a test has them.
type keyring struct {
	mu       sync.Mutex
	keys     []gateway.Credential
	disabled []string
}

func (k *keyring) For(context.Context, registry.Target) ([]gateway.Credential, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.keys) == 0 {
		return nil, gateway.ErrNoKey
	}
	return slices.Clone(k.keys), nil
}

func (k *keyring) Disable(_ context.Context, keyID, _ string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = slices.DeleteFunc(k.keys, func(c gateway.Credential) bool { return c.KeyID == keyID })
	k.disabled = append(k.disabled, keyID)
	return nil
}

// newStore is a database for as long as t runs.
func newStore(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "perdiem.db"), Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// newPerson is somebody with a pass, in a team of which everyone has these limits on any model.
func newPerson(t testing.TB, m *meter.Meter, limits meter.Limits) (meter.Person, string) {
	t.Helper()
	p, err := m.AddPerson(t.Context(), "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	_, pass, err := m.IssuePass(t.Context(), p.ID, "", nil)
	if err == nil {
		err = m.SetAllowance(t.Context(), meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel, Limits: limits})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, pass
}

// bare is a gateway without the app around it, so that its parts can fail.
type bare struct {
	*gateway.Gateway
	t        *testing.T
	books    *brittle
	meter    *meter.Meter
	upstream *fakeprovider.Server
	url      string
	person   meter.Person
	pass     string
}

func newBare(t *testing.T, keys *keyring) *bare {
	t.Helper()
	b := &bare{t: t, books: &brittle{Store: newStore(t)}, upstream: fakeprovider.New(t)}
	b.meter = meter.New(b.books, meter.Options{})
	b.Gateway = gateway.New(gateway.Options{
		Meter: b.meter, Credentials: keys,
		Catalogue: fixedModel{registry.Target{
			Provider: providers.Provider{Name: "fake", BaseURL: b.upstream.URL, Dialects: []providers.Dialect{providers.OpenAI, providers.Anthropic}},
			Model:    providers.Model{ID: model, Provider: "fake", Upstream: "m"},
		}},
	})
	server := httptest.NewServer(b.Gateway)
	t.Cleanup(server.Close)
	b.url = server.URL + "/v1/chat/completions"
	b.person, b.pass = newPerson(t, b.meter, meter.Limits{})
	return b
}

// call asks and returns the status.
func (b *bare) call() int {
	b.t.Helper()
	return b.post(b.url)
}

// post asks at an address, and returns the answer's status.
func (b *bare) post(url string) int {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, url, strings.NewReader(ask(model)))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header = bearer(b.pass)
	res, err := plainClient(b.t).Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// wantBooked compares the person's day with what it must be, and the ledger with itself.
func (b *bare) wantBooked(requests, tokens int64) {
	b.t.Helper()
	s := harness.Standing(b.t, b.meter, b.person, model)
	if s.UsedRequests != requests || s.UsedTokens != tokens || s.HeldTokens != 0 || s.HeldRequests != 0 {
		b.t.Errorf("booked %+v; want %d requests and %d tokens", s, requests, tokens)
	}
	if report, err := b.meter.Verify(b.t.Context()); err != nil || !report.Clean() {
		b.t.Errorf("the books are wrong: %+v, %v", report, err)
	}
}

func TestWithoutBooksNothingIsSpentAndNoChargeIsLost(t *testing.T) {
	b := newBare(t, &keyring{keys: []gateway.Credential{{Secret: fakeprovider.Key}}})
	b.books.failing.Store(1) // the hold
	if status := b.call(); status != http.StatusServiceUnavailable || len(b.upstream.Requests()) != 0 {
		t.Errorf("status %d, and %d reached the provider", status, len(b.upstream.Requests()))
	}

	// The settle fails; it is tried again until the books can be written, and then stands once.
	b.upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		b.books.failing.Store(1000)
		return fakeprovider.Chat{Prompt: 7, Words: 5}.Answer(r)
	})
	if status := b.call(); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	b.books.failing.Store(0)
	if err := b.Close(context.WithoutCancel(t.Context())); err != nil { // waits for what is late
		t.Fatal(err)
	}
	b.wantBooked(1, 12)
}
