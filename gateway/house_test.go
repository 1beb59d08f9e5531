package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const model = harness.Provider + "/m"

func n(v int64) *int64 { return &v }

// house is an app with a model and a person who may use it without limit.
func house(t *testing.T) (*harness.House, meter.Person, string) {
	t.Helper()
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	p, pass := h.Person("Ada")
	h.Allow(p, model, nil, nil)
	return h, p, pass
}

// exchange is one request as its bytes are told, and what came back.
type exchange struct {
	method, path, host, body string
	header                   http.Header
}

func (e exchange) do(t *testing.T, h *harness.House) harness.Answer {
	t.Helper()
	if e.method == "" {
		e.method = http.MethodPost
	}
	if e.path == "" {
		e.path = "/v1/chat/completions"
	}
	if e.body == "" && e.method == http.MethodPost {
		e.body = ask(model)
	}
	root := strings.TrimSuffix(h.URL, "/v1")
	req, err := http.NewRequestWithContext(t.Context(), e.method, root+e.path, strings.NewReader(e.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = e.host
	for name, values := range e.header {
		req.Header[name] = values
	}
	res, err := plainClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return harness.Answer{Status: res.StatusCode, Header: res.Header, Body: body, Err: err}
}

// plainClient follows no redirect, so that one shows.
func plainClient(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func ask(model string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":"Say a few words."}]}`
}

// askWith is ask with more fields, which begin with a comma.
func askWith(more string) string { return strings.TrimSuffix(ask(model), "}") + more + "}" }

// changeModel changes a model as its owner does.
func changeModel(t *testing.T, h *harness.House, id string, change func(*providers.Model)) {
	t.Helper()
	target, err := h.Providers.Resolve(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	change(&target.Model)
	if err := h.Providers.UpdateModel(t.Context(), target.Model); err != nil {
		t.Fatal(err)
	}
}

func bearer(pass string) http.Header { return http.Header{"Authorization": {"Bearer " + pass}} }

func wantReason(t *testing.T, a harness.Answer, status int, reason meter.Reason) harness.Refusal {
	t.Helper()
	a.WantStatus(t, status)
	no := a.Refusal(t)
	if no.Reason != string(reason) || no.Error.Message == "" || no.Error.Type == "" || no.Error.Code == "" || no.RequestID != a.Header.Get("X-Request-Id") {
		t.Fatalf("got %+v, want the reason %s with message, type, code and request id", no, reason)
	}
	return no
}

func keyed(pass, key string) http.Header {
	h := bearer(pass)
	h.Set("Idempotency-Key", key)
	return h
}
