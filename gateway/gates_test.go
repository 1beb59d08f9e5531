package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/gateway/https"
	"perdiem/meter"
	"perdiem/testing/fakeprovider"
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

func TestAPassIsTakenFromWhereverToolsPutTheirKey(t *testing.T) {
	h, _, pass := house(t)
	other, _ := h.Person("Bo")
	_, otherPass, err := h.Meter.IssuePass(t.Context(), other.ID, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header http.Header
		query  string
		status int
		reason meter.Reason
	}{
		"bearer":             {header: bearer(pass), status: 200},
		"bearer in capitals": {header: http.Header{"Authorization": {"BEARER " + pass}}, status: 200},
		"without a scheme":   {header: http.Header{"Authorization": {pass}}, status: 200},
		"x-api-key":          {header: http.Header{"X-Api-Key": {pass}}, status: 200},
		"x-goog-api-key":     {header: http.Header{"X-Goog-Api-Key": {pass}}, status: 200},
		"api-key":            {header: http.Header{"Api-Key": {pass}}, status: 200},
		"query":              {query: "?key=" + pass, status: 200},
		"twice the same":     {header: http.Header{"Authorization": {"Bearer " + pass}, "X-Api-Key": {pass}}, status: 200},
		"two that differ":    {header: http.Header{"Authorization": {"Bearer " + pass}, "X-Api-Key": {otherPass}}, status: 401, reason: "PASS_INVALID"},
		"good and bad":       {header: http.Header{"Authorization": {"Bearer " + pass}, "X-Api-Key": {"sk-else"}}, status: 401, reason: "PASS_INVALID"},
		"unknown":            {header: bearer("pdm_AAAAAAAA_" + strings.Repeat("A", 32)), status: 401, reason: "PASS_INVALID"},
		"another's key":      {header: bearer("sk-123"), status: 401, reason: "PASS_INVALID"},
		"none":               {status: 401, reason: "PASS_REQUIRED"},
		"an empty one":       {header: bearer(""), status: 401, reason: "PASS_REQUIRED"},
	} {
		t.Run(name, func(t *testing.T) {
			a := exchange{path: "/v1/chat/completions" + c.query, header: c.header}.do(t, h)
			if c.status == 200 {
				a.WantStatus(t, 200)
				return
			}
			wantReason(t, a, c.status, c.reason)
			if a.Header.Get("X-Should-Retry") != "false" {
				t.Error("an SDK would try again")
			}
		})
	}
	h.AtRest()
}

func TestUnknownRevokedAndExpiredPassesAreToldAlike(t *testing.T) {
	h, p, revoked := house(t)
	end := h.Clock.Now().Add(time.Minute)
	_, expired, err := h.Meter.IssuePass(t.Context(), p.ID, "", &end)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Meter.RevokePass(t.Context(), revoked[4:12]); err != nil {
		t.Fatal(err)
	}
	h.Clock.Set(end)
	var texts []string
	for _, pass := range []string{revoked, expired, "pdm_AAAAAAAA_" + strings.Repeat("A", 32), "nonsense"} {
		no := wantReason(t, exchange{header: bearer(pass)}.do(t, h), 401, "PASS_INVALID")
		texts = append(texts, no.Error.Message+no.Error.Type+no.Error.Code)
	}
	for _, text := range texts[1:] {
		if text != texts[0] {
			t.Errorf("told apart: %q and %q", text, texts[0])
		}
	}
}

func TestNothingOfACallersCredentialsGoesUpstream(t *testing.T) {
	h, _, pass := house(t)
	header := bearer(pass)
	for _, name := range []string{"Cookie", "Proxy-Authorization", "X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via", "Origin", "Referer", "X-Perdiem-Anything"} {
		header[name] = []string{"CANARY"}
	}
	header["X-Api-Key"] = []string{pass}
	header["Connection"] = []string{"X-Private"}
	header["X-Private"] = []string{"CANARY"}
	header["X-Custom"] = []string{"kept"}
	exchange{path: "/v1/chat/completions?key=" + pass + "&x=1", header: header}.do(t, h).WantStatus(t, 200)
	got := h.Upstream.Requests()[0]
	all := got.Query + string(got.Body)
	for name, values := range got.Header {
		all += name + strings.Join(values, " ")
	}
	for _, secret := range []string{"CANARY", pass, pass[13:]} {
		if strings.Contains(all, secret) {
			t.Errorf("%q went upstream: %s", secret, all)
		}
	}
	if got.Header.Get("Authorization") != "Bearer "+fakeprovider.Key || got.Header.Get("X-Custom") != "kept" || got.Query != "x=1" {
		t.Errorf("upstream got %v ?%s", got.Header, got.Query)
	}
}

func TestForeignHostsAreRefused(t *testing.T) {
	h, _, pass := house(t)
	hosts := map[string]int{
		"": 200, "localhost": 200, "LOCALHOST:7427": 200, "127.0.0.1": 200, "192.168.1.5:7427": 200, "[::1]:7427": 200, "[fe80::1]": 200, "localhost.": 200,
		"evil.example": 403, "evil.example:7427": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403,
	}
	for _, own := range https.OwnHosts() { // the certificate has them, too
		hosts[own], hosts[own+".evil.example"] = 200, 403
	}
	for host, status := range hosts {
		a := exchange{host: host, header: bearer(pass)}.do(t, h)
		if status == 200 {
			a.WantStatus(t, 200)
			continue
		}
		wantReason(t, a, status, "FOREIGN_HOST")
	}
}

func TestMisSetBaseURLsStillArrive(t *testing.T) {
	h, _, pass := house(t)
	for _, path := range []string{"/v1/chat/completions", "/chat/completions", "/v1/v1/chat/completions", "//v1/chat/completions", "/v1//chat/completions/", "/v1/chat/completions/", "/v1beta/v1/chat/completions", "/v1/v1beta/v1/chat/completions"} {
		if a := (exchange{path: path, header: bearer(pass)}).do(t, h); a.Status != 200 {
			t.Errorf("%s: status %d %s", path, a.Status, a.Body)
		}
	}
	for _, path := range []string{"/v1beta/models/" + model, "/v1/models/" + model, "/v1beta/" + model, "/v1beta/v1/models/" + model, "/v1/v1beta/models/" + model} {
		if a := (exchange{path: path + ":generateContent", header: bearer(pass), body: `{"contents":[{"parts":[{"text":"Hi"}]}]}`}).do(t, h); a.Status != 200 {
			t.Errorf("%s: status %d %s", path, a.Status, a.Body)
		}
	}
	for _, path := range []string{"/v1/models", "/models", "/v1/v1/models/", "/v1/usage", "/v1/models/" + model, "/healthz"} {
		if a := (exchange{method: http.MethodGet, path: path, header: bearer(pass)}).do(t, h); a.Status != 200 {
			t.Errorf("%s: status %d %s", path, a.Status, a.Body)
		}
	}
	for _, e := range []exchange{{path: "/v1/nothing"}, {path: "/"}, {method: http.MethodGet}, {method: http.MethodDelete, path: "/v1/models"}} {
		a := e.do(t, h)
		if no := a.Refusal(t); (a.Status != 404 && a.Status != 405) || no.Error.Message == "" || no.Error.Code == "" {
			t.Errorf("%s %s: %d %s", e.method, e.path, a.Status, a.Body)
		}
	}
	h.AtRest()
}

func TestAPreflightNeedsNoPass(t *testing.T) {
	h, _, _ := house(t)
	a := exchange{method: http.MethodOptions, header: http.Header{"Origin": {"http://page.example"}, "Access-Control-Request-Method": {"POST"}}}.do(t, h)
	a.WantStatus(t, http.StatusNoContent)
	if a.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("headers %v", a.Header)
	}
	if got := h.Booked(); got != (meter.Totals{}) {
		t.Errorf("booked %+v", got)
	}
}

// Each row has every fault of those below it too, so that the order of the gates shows.
func TestTheFirstGateInTheListRefuses(t *testing.T) {
	h, p, pass := house(t)
	ctx := t.Context()
	tiny := h.Providers
	m, err := tiny.Resolve(ctx, model)
	if err != nil {
		t.Fatal(err)
	}
	m.Model.Context = 50
	if err := tiny.UpdateModel(ctx, m.Model); err != nil {
		t.Fatal(err)
	}
	h.Allow(p, model, nil, n(1))
	if err := h.Meter.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Requests: n(0)}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("many words ", 100)
	bad := `{"model":"` + model + `","max_tokens":-1,"messages":[{"role":"user","content":"` + long + `"}]}`
	good := `{"model":"` + model + `","messages":[{"role":"user","content":"` + long + `"}]}`
	var key string
	keys, err := h.Providers.Keys(ctx, harness.Provider)
	if err != nil {
		t.Fatal(err)
	}
	key = keys[0].ID
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(h.Providers.DisableKey(ctx, key, "test"))
	must(h.Meter.SuspendPerson(ctx, p.ID, true))
	for _, step := range []struct {
		mend   func()
		ask    exchange
		status int
		reason meter.Reason
	}{
		{ask: exchange{host: "evil.example", body: strings.ReplaceAll(bad, model, "none")}, status: 403, reason: "FOREIGN_HOST"},
		{ask: exchange{body: strings.ReplaceAll(bad, model, "none")}, status: 404, reason: "MODEL_NOT_FOUND"},
		{ask: exchange{body: bad}, status: 401, reason: "PASS_REQUIRED"},
		{ask: exchange{body: bad, header: bearer(pass)}, status: 403, reason: "PERSON_SUSPENDED"},
		{mend: func() { must(h.Meter.SuspendPerson(ctx, p.ID, false)) }, ask: exchange{body: bad, header: bearer(pass)}, status: 503, reason: "PROVIDER_NOT_CONFIGURED"},
		{mend: func() { must(h.Providers.EnableKey(ctx, key)) }, ask: exchange{body: bad, header: bearer(pass)}, status: 429, reason: "RATE_LIMIT"},
		{mend: h.NoRate, ask: exchange{body: bad, header: bearer(pass)}, status: 429, reason: "RATE_LIMIT"}, // their own rate still stands
		{mend: func() { must(h.Meter.RemoveRate(ctx, meter.Holder{Kind: meter.ForPerson, ID: p.ID})) }, ask: exchange{body: bad, header: bearer(pass)}, status: 400, reason: "INVALID_REQUEST"},
		{ask: exchange{body: good, header: bearer(pass)}, status: 400, reason: "CONTEXT_LIMIT"},
		{ask: exchange{header: bearer(pass)}, status: 429, reason: "DAILY_TOKEN_LIMIT"},
		{mend: func() { h.Allow(p, model, n(0), nil) }, ask: exchange{header: bearer(pass)}, status: 404, reason: "MODEL_NOT_ALLOWED"},
	} {
		if step.mend != nil {
			step.mend()
		}
		wantReason(t, step.ask.do(t, h), step.status, step.reason)
	}
	if got := h.Booked(); got.Requests != 0 || got.HeldRequests != 0 || len(h.Upstream.Requests()) != 0 {
		t.Errorf("refused calls left %+v, and %d reached the provider", got, len(h.Upstream.Requests()))
	}
	if all, err := h.Meter.Refusals(ctx, meter.RefusalFilter{}); err != nil || len(all) != 11 {
		t.Errorf("%d refusals were logged, %v; want 11", len(all), err)
	}
}

func TestABodyThatCannotBeReadIsRefused(t *testing.T) {
	h, _, pass := house(t)
	for name, c := range map[string]struct {
		body, coding string
		status       int
	}{
		"not JSON":          {body: "hello", status: 400},
		"cut":               {body: ask(model)[:30], status: 400},
		"a list":            {body: "[]", status: 400},
		"no model":          {body: `{"messages":[]}`, status: 400},
		"two models":        {body: `{"model":"` + model + `","model":"other"}`, status: 400},
		"an escaped second": {body: `{"model":"` + model + `","mod\u0065l":"other"}`, status: 400},
		"compressed oddly":  {body: ask(model), coding: "br", status: 415},
		"odd spelling":      {body: ask(strings.ToUpper(model)), status: 404},
		"blanks around":     {body: ask(" " + model + " "), status: 404},
	} {
		header := bearer(pass)
		if c.coding != "" {
			header.Set("Content-Encoding", c.coding)
		}
		a := exchange{body: c.body, header: header}.do(t, h)
		if no := a.Refusal(t); a.Status != c.status || no.Error.Message == "" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		if no := (exchange{body: c.body, header: http.Header{"Content-Encoding": header["Content-Encoding"]}}).do(t, h); c.status == 400 && no.Status != 401 {
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

func TestGuestsUseOnlyWhatIsOpenToThem(t *testing.T) {
	h, _, pass := house(t)
	h.Model("open")
	open := harness.Provider + "/open"
	target, err := h.Providers.Resolve(t.Context(), open)
	if err != nil {
		t.Fatal(err)
	}
	target.Model.Guests = true
	if err := h.Providers.UpdateModel(t.Context(), target.Model); err != nil {
		t.Fatal(err)
	}
	h.Ceiling(meter.Ceiling{Guests: true, Model: open, Caps: meter.Caps{Requests: n(2)}})
	exchange{body: ask(open)}.do(t, h).WantStatus(t, 200)
	wantReason(t, exchange{body: ask(model)}.do(t, h), 401, "PASS_REQUIRED")
	wantReason(t, exchange{body: ask(open), header: bearer("pdm_nonsense")}.do(t, h), 401, "PASS_INVALID")
	wantReason(t, exchange{body: ask(open), header: http.Header{"Origin": {"http://page.example"}}}.do(t, h), 403, "FOREIGN_HOST")
	exchange{body: ask(open)}.do(t, h).WantStatus(t, 200)
	wantReason(t, exchange{body: ask(open)}.do(t, h), 429, "TEAM_CEILING")
	ids := func(header http.Header) string {
		var list struct{ Data []struct{ ID string } }
		a := exchange{method: http.MethodGet, path: "/v1/models", header: header}.do(t, h)
		if err := json.Unmarshal(a.Body, &list); err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, m := range list.Data {
			all += m.ID + " "
		}
		return all
	}
	if got := ids(nil); got != open+" " {
		t.Errorf("a guest is shown %q", got)
	}
	if got := ids(bearer(pass)); got != model+" " {
		t.Errorf("Ada is shown %q", got)
	}
	h.AtRest()
}
