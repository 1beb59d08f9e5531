package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"perdiem/gateway/https"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

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

// Each row has every fault of those below it too, so that the order of the gates shows.
func TestTheFirstGateInTheListRefuses(t *testing.T) {
	h, p, pass := house(t)
	ctx := t.Context()
	changeModel(t, h, model, func(m *providers.Model) { m.Context = 50 })
	h.Allow(p, model, nil, n(1))
	if err := h.Meter.SetRate(ctx, meter.Rate{Holder: meter.Holder{Kind: meter.ForPerson, ID: p.ID}, Requests: n(0)}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("many words ", 100)
	bad := `{"model":"` + model + `","max_tokens":-1,"messages":[{"role":"user","content":"` + long + `"}]}`
	good := `{"model":"` + model + `","messages":[{"role":"user","content":"` + long + `"}]}`
	keys, err := h.Providers.Keys(ctx, harness.Provider)
	if err != nil {
		t.Fatal(err)
	}
	key := keys[0].ID
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

func TestGuestsUseOnlyWhatIsOpenToThem(t *testing.T) {
	h, _, pass := house(t)
	h.Model("open")
	open := harness.Provider + "/open"
	changeModel(t, h, open, func(m *providers.Model) { m.Guests = true })
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
