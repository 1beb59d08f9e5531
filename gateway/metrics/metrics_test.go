package metrics_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scrape reads the metrics of a house as Prometheus does, under a host's name.
func scrape(t *testing.T, h *harness.House, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(h.URL, "/v1")+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func want(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			t.Errorf("%q is not told; but %q", line, regexp.MustCompile(`(?m)^`+name+`.*`).FindAllString(text, -1))
		}
	}
}

func TestEachCallIsCountedOnce(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"swift", "sage"}})
	ada, pass := h.Person("Ada")
	h.Allow(ada, "fake/swift", nil, nil)
	one := int64(1)
	h.Allow(ada, "fake/sage", &one, nil)
	for range 2 {
		h.Ask(pass, "fake/sage", harness.Question{})
	}
	h.Upstream.Next(func(fakeprovider.Request) fakeprovider.Reply {
		return fakeprovider.Error(http.StatusInternalServerError, "server_error", "broken")
	})
	h.Ask(pass, "fake/swift", harness.Question{}).WantStatus(t, http.StatusInternalServerError)

	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
	answer := h.Begin(pass, "fake/swift", harness.Question{Stream: true})
	gate.Await(t, 1)
	_, during := scrape(t, h, "localhost")
	want(t, during, "perdiem_in_flight 1", "perdiem_held_requests 1")
	gate.Open()
	answer().WantStatus(t, http.StatusOK)
	h.AtRest()

	_, text := scrape(t, h, "localhost")
	want(t, text,
		`perdiem_requests_total{model="fake/sage",outcome="reported"} 1`,
		`perdiem_refusals_total{model="fake/sage",reason="DAILY_REQUEST_LIMIT"} 1`,
		`perdiem_requests_total{model="fake/swift",outcome="released"} 1`,
		`perdiem_requests_total{model="fake/swift",outcome="reported"} 1`,
		`perdiem_provider_failures_total{provider="fake"} 1`,
		`perdiem_tokens_total{kind="input",model="fake/swift"} 9`,
		`perdiem_tokens_total{kind="output",model="fake/swift"} 5`,
		`perdiem_first_byte_seconds_count{model="fake/swift"} 2`,
		`perdiem_request_seconds_count{model="fake/sage"} 1`,
		"perdiem_in_flight 0", "perdiem_held_requests 0", "perdiem_held_tokens 0")
	if strings.Contains(text, "Ada") || strings.Contains(text, ada.ID) || strings.Contains(text, pass[4:12]) {
		t.Error("a person is named")
	}
}

func TestCallersCannotMakeMoreOfThem(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"swift"}})
	_, before := scrape(t, h, "localhost")
	for _, model := range []string{"a", "b", "c", `d" e`} {
		h.Ask("pdm_nobody", model, harness.Question{}).WantStatus(t, http.StatusNotFound)
	}
	_, after := scrape(t, h, "localhost")
	want(t, after, `perdiem_refusals_total{model="none",reason="MODEL_NOT_FOUND"} 4`)
	own := regexp.MustCompile(`(?m)^perdiem_`)
	if n := len(own.FindAllString(after, -1)) - len(own.FindAllString(before, -1)); n != 1 {
		t.Errorf("%d more lines", n)
	}
}

func TestAForeignNameIsToldNothing(t *testing.T) {
	h := harness.Start(t, harness.Options{})
	if status, text := scrape(t, h, "evil.example"); status != http.StatusForbidden || strings.Contains(text, "perdiem_") {
		t.Errorf("status %d", status)
	}
}
