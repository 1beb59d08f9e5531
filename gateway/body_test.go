package gateway_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestABodyThatCannotBeReadIsRefused(t *testing.T) {
	h, _, pass := house(t)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"not JSON":          {body: "hello", status: 400},
		"cut":               {body: ask(model)[:30], status: 400},
		"a list":            {body: "[]", status: 400},
		"no model":          {body: `{"messages":[]}`, status: 400},
		"two models":        {body: `{"model":"` + model + `","model":"other"}`, status: 400},
		"an escaped second": {body: `{"model":"` + model + `","mod\u0065l":"other"}`, status: 400},
		"odd spelling":      {body: ask(strings.ToUpper(model)), status: 404},
		"blanks around":     {body: ask(" " + model + " "), status: 404},
	} {
		a := exchange{body: c.body, header: bearer(pass)}.do(t, h)
		if no := a.Refusal(t); a.Status != c.status || no.Error.Message == "" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		if no := (exchange{body: c.body}).do(t, h); c.status == 400 && no.Status != 401 {
			t.Errorf("%s: a stranger was told %d before who they are", name, no.Status)
		}
	}
	if len(h.Upstream.Requests()) != 0 {
		t.Error("one of them reached the provider")
	}
}

func TestLargeBodiesPassUpToTheLimit(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	p, pass := h.Person("Ada")
	h.Allow(p, model, nil, nil)
	picture := func(megabytes int) string {
		var b bytes.Buffer
		b.WriteString(`{"model":"` + model + `","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`)
		b.Write(bytes.Repeat([]byte("A"), megabytes<<20))
		b.WriteString(`"}}]}]}`)
		return b.String()
	}
	body := picture(12)
	exchange{body: body, header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := h.Upstream.Requests()[0].Body; len(got) < 12<<20 || !strings.Contains(string(got), body[50:1<<20]) {
		t.Errorf("upstream got %d bytes", len(got))
	}
	wantReason(t, exchange{body: picture(65), header: bearer(pass)}.do(t, h), 413, "BODY_TOO_LARGE")
	h.AtRest()
}

func TestAStrangersLargeRequestIsNotReadToItsEnd(t *testing.T) {
	h, _, pass := house(t)
	large := askWith(`,"x":"` + strings.Repeat("x", 2<<20) + `"`)
	wantReason(t, exchange{body: large}.do(t, h), 413, "BODY_TOO_LARGE")
	wantReason(t, exchange{body: large, header: bearer("pdm_nonsense")}.do(t, h), 401, "PASS_INVALID")
	exchange{body: large, header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := h.Upstream.Requests()[0].Body; len(got) != len(large)-len(harness.Provider+"/") {
		t.Errorf("upstream got %d of %d bytes", len(got), len(large))
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
			if status != http.StatusServiceUnavailable {
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

// A teammate's requests are in memory until they are answered. A few bytes, compressed, may be a large one.
func TestLargeRequestsTogetherHaveOnlySoMuchMemory(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}, Limits: gateway.Limits{Large: 3 << 20}})
	p, pass := h.Person("Ada")
	h.Allow(p, model, nil, nil)
	large := askWith(`,"padding":"` + strings.Repeat("a", 2<<20) + `"`)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(large)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
	first := h.Begin(pass, model, harness.Question{Body: large})
	gate.Await(t, 1)
	for name, q := range map[string]harness.Question{
		"as it is":   {Body: large},
		"compressed": {Body: packed.String(), Header: http.Header{"Content-Encoding": {"gzip"}}},
	} {
		if got := h.Ask(pass, model, q); got.Refusal(t).Reason != string(gateway.MemoryTaken) || got.Status != 503 || got.Header.Get("Retry-After") != "5" {
			t.Errorf("%s, a second one: %d %v %s", name, got.Status, got.Header, got.Body)
		}
	}
	h.Ask(pass, model, harness.Question{}).WantStatus(t, http.StatusOK)
	gate.Open()
	first().WantStatus(t, http.StatusOK)
	h.AtRest()
	h.Ask(pass, model, harness.Question{Body: large}).WantStatus(t, http.StatusOK) // their memory is free again
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// deadlines is a recorder that takes deadlines as a connection does.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error { return nil }

func (deadlines) SetWriteDeadline(time.Time) error { return nil }

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
