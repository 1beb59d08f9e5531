package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"perdiem/gateway/boot"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/keys"
	"perdiem/providers/registry"
	"perdiem/ui/live"
)

// rig is the whole window on a real meter over a fresh database, with a clock that the test holds.
type rig struct {
	*Desk
	t       *testing.T
	books   *meter.Meter
	gate    *gate
	shelf   *shelf
	secrets *pocket
	house   *boot.App
	home    string

	mu      sync.Mutex
	now     time.Time
	waiting []func() // to be drawn
}

// afternoon is a day like any other, some hours before its end.
var afternoon = time.Date(2026, 10, 19, 18, 47, 12, 0, time.UTC)

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, now: afternoon, gate: newGate(), secrets: newPocket()}
	house, err := boot.Open(t.Context(), boot.Options{Data: t.TempDir(), Listen: "127.0.0.1:0", Now: r.clock, Secrets: r.secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Close(); err != nil {
			t.Error(err)
		}
	})
	r.books, r.house, r.home = house.Meter, house, t.TempDir()
	r.shelf = &shelf{Registry: house.Providers}
	r.Desk = New(test.NewTempApp(t), Services{Meter: r.books, Registry: r.shelf, Secrets: r.secrets, Vendors: world{}, Gateway: r.gate, House: house,
		Login: live.NewLogin("linux", r.home, r.home, "/opt/per diem/perdiem"), Now: r.clock})
	t.Cleanup(func() { r.stop(); r.tasks.Wait() })
	r.draw = func(f func()) { // the test's goroutine is the drawing one; settle runs what waits for it
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waiting = append(r.waiting, f)
	}
	r.window.Show()
	return r
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) at(now time.Time) {
	r.mu.Lock()
	r.now = now
	r.mu.Unlock()
}

// settle waits for the actions under way, and shows what they changed, as the pump would.
func (r *rig) settle() {
	r.t.Helper()
	for r.drawNext() {
	}
	view := sight{r.Desk, r.inView()}
	if show := view.Load(r.ctx); show != nil {
		show()
	}
	if show := view.Tick(r.clock()); show != nil {
		show()
	}
}

// drawNext waits for the actions under way and draws what came of them; false if that was nothing.
func (r *rig) drawNext() bool {
	r.tasks.Wait()
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	for _, f := range waiting {
		f()
	}
	return len(waiting) > 0
}

// open goes to a page and shows it.
func (r *rig) open(page int) {
	r.t.Helper()
	r.goTo(page)
	r.settle()
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// person adds a teammate straight to the books.
func (r *rig) person(name, tier string) meter.Person {
	r.t.Helper()
	p, err := r.books.AddPerson(r.t.Context(), name, tier)
	r.must(err)
	return p
}

// allow sets an allowance straight in the books; negative is no limit.
func (r *rig) allow(h meter.Holder, model string, requests, tokens int64) {
	r.t.Helper()
	limit := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	r.must(r.books.SetAllowance(r.t.Context(), meter.Allowance{Holder: h, Model: model, Limits: meter.Limits{Requests: limit(requests), Tokens: limit(tokens)}}))
}

// call holds and settles one request, or logs its refusal as the gateway does.
func (r *rig) call(p meter.Person, model string, input, output int64) {
	r.t.Helper()
	hold, err := r.books.Reserve(r.t.Context(), meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: input, Output: output, MinOutput: output,
		Counts: meter.CountTotal, Price: &meter.Price{Input: 3_000_000, Cached: 300_000, Output: 15_000_000}})
	var no *meter.Refusal
	if errors.As(err, &no) {
		no.Person, no.Tool = p.Name, "OpenAI/Python 2.8.1"
		r.must(r.books.LogRefusal(r.t.Context(), no))
		return
	}
	r.must(err)
	r.must(r.books.Settle(r.t.Context(), hold.ID, meter.Usage{Input: input, Output: output}, meter.Reported))
}

func someone(p meter.Person) meter.Holder { return meter.Holder{Kind: meter.ForPerson, ID: p.ID} }

// gate is a gateway that can be switched and made to fail, as the page sees one.
type gate struct {
	mu        sync.Mutex
	on        bool
	fail      error
	addresses []Address
	flights   []live.Flight
}

func newGate() *gate {
	return &gate{on: true, addresses: []Address{{"http://192.168.1.20:7427/v1", "this network"}, {"http://localhost:7427/v1", "this machine"}}}
}

func (g *gate) On() bool             { g.mu.Lock(); defer g.mu.Unlock(); return g.on }
func (g *gate) ListenError() error   { g.mu.Lock(); defer g.mu.Unlock(); return g.fail }
func (g *gate) Addresses() []Address { return g.addresses }
func (g *gate) InFlight() []live.Flight {
	return g.flights
}

func (g *gate) SetOn(on bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fail == nil {
		g.on = on
	}
	return g.fail
}

// shelf is the real registry, which can be made unreadable.
type shelf struct {
	*registry.Registry
	fail error
}

func (s *shelf) Models(ctx context.Context) ([]providers.Model, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	return s.Registry.Models(ctx)
}

// models adds models by id, with their providers, straight to the registry.
func (r *rig) models(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		name, _, _ := strings.Cut(id, "/")
		_, err := r.shelf.AddProvider(r.t.Context(), providers.Provider{Name: name, BaseURL: "https://" + name + ".example"})
		if err != nil && !errors.Is(err, registry.ErrExists) {
			r.t.Fatal(err)
		}
		_, err = r.shelf.AddModel(r.t.Context(), providers.Model{ID: id, Context: 200_000, MaxReply: 64_000, Price: &providers.Price{Input: 3_000_000, Output: 15_000_000}})
		r.must(err)
	}
}

// pocket keeps secrets in memory, or is no keychain at all.
type pocket struct {
	mu      sync.Mutex
	secrets map[string]string
	missing error
}

func newPocket() *pocket { return &pocket{secrets: map[string]string{}} }

func (p *pocket) Get(_ context.Context, k providers.Key) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if secret, ok := p.secrets[k.ID]; ok {
		return secret, nil
	}
	return "", keys.ErrNotFound
}

func (p *pocket) Set(_ context.Context, k providers.Key, secret string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing == nil {
		p.secrets[k.ID] = secret
	}
	return p.missing
}

func (p *pocket) Delete(_ context.Context, k providers.Key) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.secrets, k.ID)
	return p.missing
}

// says tells whether any text in sight has these words.
func says(o fyne.CanvasObject, words string) bool { return find(o, words) != nil }
