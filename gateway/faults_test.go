package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/meter/sqlite"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/testing/fakeprovider"
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

type fixedKey struct{}

func (fixedKey) For(context.Context, providers.Provider) (gateway.Credential, error) {
	return gateway.Credential{Secret: fakeprovider.Key}, nil
}

func TestWithoutBooksNothingIsSpentAndNoChargeIsLost(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlite.Options{
		Path:       filepath.Join(t.TempDir(), "perdiem.db"),
		Migrations: []sqlite.Migrations{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	books := &brittle{Store: store}
	m := meter.New(books, meter.Options{})
	upstream := fakeprovider.New(t)
	g := gateway.New(gateway.Options{
		Meter: m, Credentials: fixedKey{},
		Catalogue: fixedModel{registry.Target{
			Provider: providers.Provider{Name: "fake", BaseURL: upstream.URL, Dialects: []providers.Dialect{providers.OpenAI}},
			Model:    providers.Model{ID: model, Provider: "fake", Upstream: "m"},
		}},
	})
	server := httptest.NewServer(g)
	defer server.Close()
	p, err := m.AddPerson(t.Context(), "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	_, pass, err := m.IssuePass(t.Context(), p.ID, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetAllowance(t.Context(), meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		t.Fatal(err)
	}
	call := func() int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/chat/completions", strings.NewReader(ask(model)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = bearer(pass)
		res, err := plainClient(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}

	books.failing.Store(2) // the hold, and the note of the refusal
	if status := call(); status != http.StatusServiceUnavailable || len(upstream.Requests()) != 0 {
		t.Errorf("status %d, and %d reached the provider", status, len(upstream.Requests()))
	}

	// The settle fails; it is tried again until the books can be written, and then stands once.
	upstream.Next(func(r fakeprovider.Request) fakeprovider.Reply {
		books.failing.Store(1000)
		return fakeprovider.Chat{Prompt: 7, Words: 5}.Answer(r)
	})
	if status := call(); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	books.failing.Store(0)
	if err := g.Close(context.WithoutCancel(t.Context())); err != nil { // waits for what is late
		t.Fatal(err)
	}
	s, err := m.Access(t.Context(), p, model)
	if err != nil {
		t.Fatal(err)
	}
	report, err := m.Verify(t.Context())
	if err != nil || !report.Clean() {
		t.Errorf("the books are wrong: %+v, %v", report, err)
	}
	if s.UsedRequests != 1 || s.UsedTokens != 12 || s.HeldTokens != 0 {
		t.Errorf("booked %+v, want 1 request and 12 tokens", s)
	}
}
