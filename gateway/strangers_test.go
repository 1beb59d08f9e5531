package gateway_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/testing/harness"
)

func TestBadPassesAreThrottledByNetworkAndGoodOnesAreNotShutOut(t *testing.T) {
	h, p, pass := house(t)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200) // known good from here on
	_, fresh, err := h.Meter.IssuePass(t.Context(), p.ID, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := func(i int) http.Header { return bearer(fmt.Sprintf("pdm_%08d_%s", i, strings.Repeat("A", 32))) }
	for i := range 30 {
		wantReason(t, exchange{header: bad(i)}.do(t, h), 401, "PASS_INVALID")
	}
	paths := []exchange{{}, {method: http.MethodGet, path: "/v1/models"}, {method: http.MethodGet, path: "/v1/usage"}}
	for _, e := range paths {
		e.header = bad(99)
		e.header.Set("X-Forwarded-For", "198.51.100.7") // is not believed
		a := e.do(t, h)
		wantReason(t, a, 429, "PASS_THROTTLED")
		if a.Header.Get("Retry-After") != "60" || a.Header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %v", e.path, a.Header)
		}
	}
	wantReason(t, exchange{header: bearer(fresh)}.do(t, h), 429, "PASS_THROTTLED") // not even what is right tells that it is
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	h.Clock.Set(harness.Noon.Add(61 * time.Second))
	exchange{header: bearer(fresh)}.do(t, h).WantStatus(t, 200)
	h.AtRest()
}

// counting is a store that counts what is read.
type counting struct {
	meter.Store
	reads atomic.Int64
}

type countingTx struct {
	meter.Tx
	reads *atomic.Int64
}

func (c *counting) Read() meter.Tx { return countingTx{c.Store.Read(), &c.reads} }

func (c countingTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.reads.Add(1)
	return c.Tx.QueryContext(ctx, query, args...)
}

func (c *counting) Figure(ctx context.Context, query string) (int64, error) {
	c.reads.Add(1)
	return c.Store.Figure(ctx, query)
}

func TestWhatIsWrongWithAPassShowsInNothing(t *testing.T) {
	b := newBare(t, &keyring{})
	counts := &counting{Store: b.books}
	m := meter.New(counts, meter.Options{})
	past := time.Now().Add(-time.Hour)
	_, expired, err := m.IssuePass(t.Context(), b.person.ID, "", &past)
	if err != nil {
		t.Fatal(err)
	}
	revokedPass, revoked, err := m.IssuePass(t.Context(), b.person.ID, "", nil)
	if err == nil {
		err = m.RevokePass(t.Context(), revokedPass.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, pass := range map[string]string{
		"unknown": "pdm_AAAAAAAA_" + strings.Repeat("A", 32), "expired": expired, "revoked": revoked,
		"another secret": b.pass[:len(b.pass)-1] + "!", "good": b.pass,
	} {
		before := counts.reads.Load()
		_, _, err := m.Authenticate(t.Context(), pass)
		if got := counts.reads.Load() - before; got != 1 {
			t.Errorf("%s: %d queries", name, got)
		}
		if (err == nil) != (name == "good") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What strangers send must not fill the memory: neither many at once nor large ones.
func TestStrangersTogetherHaveOnlySoMuchMemory(t *testing.T) {
	g := gateway.New(gateway.Options{Meter: newBare(t, &keyring{}).meter, Limits: gateway.Limits{Unknown: 3 << 20}})
	const callers = 10
	held, arrived, answered := make(chan struct{}), make(chan struct{}, callers), make(chan int, callers)
	post := func(body io.Reader) int {
		w := httptest.NewRecorder()
		g.ServeHTTP(deadlines{w}, httptest.NewRequest(http.MethodPost, "http://localhost/v1/chat/completions", body))
		return w.Code
	}
	for range callers { // each sends all but the end of a megabyte
		go func() {
			answered <- post(io.MultiReader(strings.NewReader(strings.Repeat(" ", 1<<20-1)), readerFunc(func([]byte) (int, error) {
				arrived <- struct{}{}
				<-held
				return 0, io.ErrUnexpectedEOF
			})))
		}()
	}
	inside := 0
	for range callers {
		select {
		case <-arrived:
			inside++
		case status := <-answered:
			if status != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d", status)
			}
		}
	}
	if inside > 3 || inside == 0 {
		t.Errorf("%d megabytes of strangers are held", inside)
	}
	close(held)
	for range inside {
		<-answered
	}
	if status := post(strings.NewReader("{}")); status != http.StatusUnauthorized { // their memory is free again
		t.Errorf("status %d", status)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// deadlines is a recorder that takes deadlines as a connection does.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error  { return nil }
func (deadlines) SetWriteDeadline(time.Time) error { return nil }

func TestAPageFromElsewhereGetsNothingWithoutAPass(t *testing.T) {
	h, _, pass := house(t)
	h.Model("open")
	target, err := h.Providers.Resolve(t.Context(), harness.Provider+"/open")
	if err != nil {
		t.Fatal(err)
	}
	target.Model.Guests = true
	if err := h.Providers.UpdateModel(t.Context(), target.Model); err != nil {
		t.Fatal(err)
	}
	h.Ceiling(meter.Ceiling{Guests: true, Model: target.Model.ID, Caps: meter.Caps{Requests: n(9)}})
	root := strings.TrimSuffix(h.URL, "/v1")
	get := http.MethodGet
	for _, e := range []exchange{
		{body: ask(target.Model.ID)}, {method: get, path: "/v1/models"}, {method: get, path: "/v1/models/" + target.Model.ID},
		{method: get, path: "/healthz"}, {method: get, path: "/page/main.js"}, {path: "/page/api/join", body: `{"code":"x"}`},
	} {
		for name, header := range map[string]http.Header{
			"another origin":       {"Origin": {"http://evil.example"}},
			"none that it tells":   {"Origin": {"null"}},
			"another port here":    {"Origin": {"http://127.0.0.1:1"}},
			"by what browsers say": {"Origin": {root}, "Sec-Fetch-Site": {"cross-site"}},
			"a sister of ours":     {"Sec-Fetch-Site": {"same-site"}},
		} {
			e.header = header
			if a := e.do(t, h); a.Status != 403 || a.Refusal(t).Reason != "FOREIGN_HOST" {
				t.Errorf("%s %s: %d %s", e.path, name, a.Status, a.Body)
			}
		}
		for name, header := range map[string]http.Header{
			"our own page":             {"Origin": {root}},
			"our own, behind a proxy":  {"Origin": {"https://gateway.example"}, "Sec-Fetch-Site": {"same-origin"}},
			"a program":                nil,
			"who typed the address in": {"Sec-Fetch-Site": {"none"}},
		} {
			e.header = header
			if a := e.do(t, h); a.Status == 403 && strings.Contains(string(a.Body), "FOREIGN_HOST") {
				t.Errorf("%s %s: %s", e.path, name, a.Body)
			}
		}
	}
	if got := len(h.Upstream.Requests()); got != 4 {
		t.Errorf("%d reached the provider, want those of our own", got)
	}
	header := bearer(pass)
	header.Set("Origin", "http://page.example")
	exchange{header: header}.do(t, h).WantStatus(t, 200)
	for _, path := range []string{"/", "/page/main.js", "/healthz"} {
		if a := (exchange{method: get, path: path}).do(t, h); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("every page may read %s", path)
		}
	}
	h.AtRest()
}

func TestAClaimantsRequestIsReadOnlyOnceTheirPassIsKnown(t *testing.T) {
	h, _, pass := house(t)
	large := `{"model":"nothing","x":"` + strings.Repeat("x", 80<<10) + `"}`
	wantReason(t, exchange{body: large, header: bearer("pdm_nonsense")}.do(t, h), 401, "PASS_INVALID")
	wantReason(t, exchange{body: large, header: bearer(pass)}.do(t, h), 404, "MODEL_NOT_FOUND")
	wantReason(t, exchange{body: large}.do(t, h), 404, "MODEL_NOT_FOUND")
}

func TestADeeplyNestedRequestIsRefused(t *testing.T) {
	h, _, pass := house(t)
	deep := strings.Repeat("[", 8<<20)
	for path, field := range map[string]string{
		"/v1/chat/completions": "messages", "/v1/completions": "prompt", "/v1/embeddings": "input", "/v1/responses": "input", "/v1/messages": "messages",
		"/v1/messages/count_tokens": "messages", "/v1beta/models/" + model + ":generateContent": "contents", "/v1/images/generations": "prompt",
	} {
		body := `{"model":"` + model + `","` + field + `":` + deep
		if a := (exchange{path: path, body: body, header: bearer(pass)}).do(t, h); a.Status != 400 || !strings.Contains(string(a.Body), `"INVALID_REQUEST"`) {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
		exchange{path: path, body: body[:900<<10]}.do(t, h).WantStatus(t, 401)
	}
	if len(h.Upstream.Requests()) != 0 {
		t.Error("one of them reached the provider")
	}
	h.AtRest()
}
