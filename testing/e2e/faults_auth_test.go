package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/testing/harness"
)

// An error is in the dialect of its path, on paths and methods that do not exist, too.
func TestFault97ErrorsSpeakTheDialectOfTheirPath(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	google := http.Header{"X-Goog-Api-Key": {pass}}
	for _, c := range []struct {
		name, method, path string
		head               http.Header
		status             int
	}{
		{"chat, no method", http.MethodGet, "/v1/chat/completions", bearer(pass), 405},
		{"chat, no model", http.MethodPost, "/v1/chat/completions", bearer(pass), 404},
		{"nowhere", http.MethodPost, "/v1/nowhere", bearer(pass), 404},
		{"messages, no method", http.MethodGet, messages, bearer(pass), 405},
		{"messages, no path", http.MethodPost, "/v1/messages/batches", bearer(pass), 404},
		{"messages, no model", http.MethodPost, messages, bearer(pass), 404},
		{"responses, no method", http.MethodPut, respond, bearer(pass), 405},
		{"responses, no model", http.MethodPost, respond, bearer(pass), 404},
		{"Gemini, no path", http.MethodPost, "/v1beta/nowhere", google, 404},
		{"Gemini, no model", http.MethodPost, "/v1beta/models/fake/none:generateContent", google, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := send(t, h, c.method, c.path, strings.ReplaceAll(fault{path: c.path}.asks(), "fake/m", "fake/none"), c.head)
			a.WantStatus(t, c.status)
			var body struct {
				Type  string
				Error struct {
					Message, Type, Status string
					Code                  any
				}
			}
			if err := json.Unmarshal(a.Body, &body); err != nil || body.Error.Message == "" {
				t.Fatalf("%v: %s", err, a.Body)
			}
			code, isText := body.Error.Code.(string)
			good := isText && code != "" && body.Error.Type != "" // OpenAI's
			switch {
			case strings.HasPrefix(c.path, messages):
				good = body.Type == "error" && body.Error.Type != ""
			case strings.HasPrefix(c.path, "/v1beta"):
				good = body.Error.Code == float64(c.status) && body.Error.Status != ""
			}
			if !good {
				t.Errorf("not in the dialect of its path: %s", a.Body)
			}
		})
	}
}

// A wrong pass is told the same everywhere, and nothing of how passes are kept.
func TestFault100And102EachPathTakesAPassFromEachHeader(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	heads := map[string]func(pass string) http.Header{
		"bearer":         bearer,
		"x-api-key":      func(p string) http.Header { return http.Header{"X-Api-Key": {p}} },
		"x-goog-api-key": func(p string) http.Header { return http.Header{"X-Goog-Api-Key": {p}} },
	}
	for path, body := range asked {
		for name, head := range heads {
			send(t, h, http.MethodPost, path, body, head(pass)).WantStatus(t, 200)
			a := send(t, h, http.MethodPost, path, body, head("pdm_AAAAAAAA_"+strings.Repeat("A", 32)))
			a.WantStatus(t, 401)
			if !strings.Contains(string(a.Body), "This pass is not valid. Ask the owner of the gateway for a new one.") || strings.Contains(string(a.Body), "sha") {
				t.Errorf("%s at %s: %s", name, path, a.Body)
			}
		}
		both := bearer(pass)
		both.Set("X-Api-Key", "sk-other")
		send(t, h, http.MethodPost, path, body, both).WantStatus(t, 401)
	}
	h.AtRest()
	if booked := h.Booked(); booked.Requests != int64(len(asked)*len(heads)) {
		t.Errorf("booked %+v", booked)
	}
}

// Where a caller says they come from is not believed: guests share the rate of their true address.
func TestFault109ForwardedAddressesAreNotBelieved(t *testing.T) {
	h, _ := readyHouse(t, harness.Options{Models: []string{"open"}})
	target, err := h.Providers.Resolve(t.Context(), "fake/open")
	if err != nil {
		t.Fatal(err)
	}
	target.Model.Guests = true
	if err := h.Providers.UpdateModel(t.Context(), target.Model); err != nil {
		t.Fatal(err)
	}
	many, two := int64(100), int64(2)
	h.Ceiling(meter.Ceiling{Guests: true, Model: "fake/open", Caps: meter.Caps{Requests: &many}})
	if err := h.Meter.SetRate(t.Context(), meter.Rate{Holder: meter.Holder{Kind: meter.ForGuests}, Requests: &two}); err != nil {
		t.Fatal(err)
	}
	body := strings.ReplaceAll(asked["/v1/chat/completions"], "fake/m", "fake/open")
	for i := range 5 {
		from := fmt.Sprintf("198.51.100.%d", i)
		a := send(t, h, http.MethodPost, "/v1/chat/completions", body, http.Header{"X-Forwarded-For": {from}, "X-Real-Ip": {from}, "Forwarded": {"for=" + from}})
		want := 200
		if i >= 2 {
			want = 429
		}
		a.WantStatus(t, want)
	}
	h.AtRest()
}
