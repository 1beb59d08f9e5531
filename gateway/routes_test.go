package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/harness"

	"github.com/tidwall/gjson"
)

// A path that does not take a method says which it does, in its dialect, and never sends a caller elsewhere.
func TestAPathSaysWhichMethodsItTakes(t *testing.T) {
	h, _, pass := house(t)
	for path, c := range map[string]struct {
		methods []string // that it does not take
		allow   string
		kind    string // where its dialect says what went wrong
	}{
		"/v1/chat/completions":      {[]string{"GET", "PUT", "DELETE"}, "POST, OPTIONS", "error.code"},
		"/v1/embeddings":            {[]string{"GET", "PATCH"}, "POST, OPTIONS", "error.code"},
		"/v1/images/generations":    {[]string{"GET"}, "POST, OPTIONS", "error.code"},
		"/v1/responses":             {[]string{"GET", "PUT"}, "", "error.code"},
		"/v1/responses/resp_1":      {[]string{"PUT", "POST"}, "DELETE, GET, OPTIONS", "error.code"},
		"/v1/messages/count_tokens": {[]string{"GET"}, "POST, OPTIONS", "error.type"},
		"/v1/models":                {[]string{"POST", "DELETE"}, "GET, OPTIONS", "error.code"},
		"/v1/models/":               {[]string{"POST"}, "GET, OPTIONS", "error.code"},
		"/v1beta/models":            {[]string{"POST"}, "GET, OPTIONS", "error.status"},
		"/v1beta/models/" + model:   {[]string{"DELETE"}, "GET, POST, OPTIONS", "error.status"},
		"/v1/usage":                 {[]string{"POST"}, "GET, OPTIONS", "error.code"},
		"/metrics":                  {[]string{"POST"}, "GET, OPTIONS", "error.code"},
		"/page/main.js":             {[]string{"DELETE"}, "GET, POST, OPTIONS", "error.code"},
	} {
		for _, method := range c.methods {
			a := exchange{method: method, path: path, header: bearer(pass)}.do(t, h)
			if a.Status != http.StatusMethodNotAllowed || gjson.GetBytes(a.Body, c.kind).String() == "" || gjson.GetBytes(a.Body, "error.message").String() == "" {
				t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
			if got := a.Header.Get("Allow"); c.allow != "" && got != c.allow {
				t.Errorf("%s %s: Allow is %q, want %q", method, path, got, c.allow)
			}
		}
	}
	for _, path := range []string{"/page", "/page/", "/v1", "/v1beta/", "/v1/images"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if a := (exchange{method: method, path: path, header: bearer(pass)}).do(t, h); a.Status != http.StatusNotFound {
				t.Errorf("%s %s: %d %v", method, path, a.Status, a.Header)
			}
		}
	}
}

func TestAMethodThatGeminiHasAndWeDoNotIsDeclinedInItsWords(t *testing.T) {
	h, _, pass := house(t)
	for _, version := range []string{"/v1", "/v1beta"} {
		a := exchange{path: version + "/models/" + model + ":embedContent", body: "{}", header: bearer(pass)}.do(t, h)
		if a.Status != http.StatusNotFound || gjson.GetBytes(a.Body, "error.status").String() != "NOT_FOUND" {
			t.Errorf("%s: %d %s", version, a.Status, a.Body)
		}
	}
}

// An SDK in a browser sees only the headers that are named to it; without x-should-retry it would ask again.
func TestAPageSeesWhatItsSDKGoesBy(t *testing.T) {
	h, _, _ := house(t)
	a := exchange{header: http.Header{"Origin": {"http://page.example"}}}.do(t, h)
	wantReason(t, a, 401, "PASS_REQUIRED")
	if a.Header.Get("Access-Control-Allow-Origin") != "*" || a.Header.Get("Access-Control-Expose-Headers") != "*" {
		t.Errorf("headers %v", a.Header)
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

func TestACallThatIsNotServedIsToldApartFromAWrongAddress(t *testing.T) {
	h, _, _ := house(t)
	for path, says := range map[string]string{
		"/v1/files": "This gateway does not serve GET /v1/files.", "/v1/messages/batches": "does not serve", "/v1beta/files": "does not serve",
		"/files": "Is the base URL right?", "/api/v1/models": "Is the base URL right?",
	} {
		a := exchange{method: http.MethodGet, path: path}.do(t, h)
		if got := gjson.GetBytes(a.Body, "error.message").String(); a.Status != http.StatusNotFound || !strings.Contains(got, says) {
			t.Errorf("%s: %d, %q", path, a.Status, got)
		}
	}
}

func TestAPageFromElsewhereGetsNothingWithoutAPass(t *testing.T) {
	h, _, pass := house(t)
	h.Model("open")
	const open = harness.Provider + "/open"
	changeModel(t, h, open, func(m *providers.Model) { m.Guests = true })
	h.Ceiling(meter.Ceiling{Guests: true, Model: open, Caps: meter.Caps{Requests: n(9)}})
	root := strings.TrimSuffix(h.URL, "/v1")
	get := http.MethodGet
	for _, e := range []exchange{
		{body: ask(open)}, {method: get, path: "/v1/models"}, {method: get, path: "/v1/models/" + open},
		{method: get, path: "/healthz"}, {method: get, path: "/metrics"}, {method: get, path: "/page/main.js"}, {path: "/page/api/join", body: `{"code":"x"}`},
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
