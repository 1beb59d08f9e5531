package gateway_test

import (
	"net/http"
	"testing"

	"github.com/tidwall/gjson"
)

func TestAStoredResponseIsItsMakersAlone(t *testing.T) {
	h, _, pass := house(t)
	bo, other := h.Person("Bo")
	h.Allow(bo, model, nil, nil)
	ask := func(pass, more string) string {
		t.Helper()
		a := exchange{path: "/v1/responses", body: `{"model":"` + model + `","input":"Hi"` + more + `}`, header: bearer(pass)}.do(t, h)
		a.WantStatus(t, 200)
		return gjson.GetBytes(a.Body, "id").String()
	}
	id := ask(pass, "")
	if id == "" {
		t.Fatal("the fake provider gave no id")
	}
	ask(pass, `,"previous_response_id":"`+id+`"`)
	goesOn := exchange{path: "/v1/responses", body: `{"model":"` + model + `","input":"Hi","previous_response_id":"` + id + `"}`, header: bearer(other)}
	if no := wantReason(t, goesOn.do(t, h), 404, "OBJECT_NOT_FOUND"); no.Error.Param != "previous_response_id" {
		t.Errorf("it names the field %q", no.Error.Param)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		no := wantReason(t, exchange{method: method, path: "/v1/responses/" + id, header: bearer(other)}.do(t, h), 404, "OBJECT_NOT_FOUND")
		if no.Error.Param != "" {
			t.Errorf("it names the field %q of a request that has none", no.Error.Param)
		}
		wantReason(t, exchange{method: method, path: "/v1/responses/" + id}.do(t, h), 401, "PASS_REQUIRED")
	}
	wantReason(t, exchange{path: "/v1/responses", body: `{"model":"` + model + `","input":"Hi","background":true}`, header: bearer(pass)}.do(t, h), 400, "INVALID_REQUEST")
}

// Who is suspended sees what they used, and gets at nothing else: a stored response is read with the owner's key.
func TestASuspendedPersonSeesTheirUsageAlone(t *testing.T) {
	h, p, pass := house(t)
	a := exchange{path: "/v1/responses", body: `{"model":"` + model + `","input":"Hi"}`, header: bearer(pass)}.do(t, h)
	id := gjson.GetBytes(a.Body, "id").String()
	if err := h.Meter.SuspendPerson(t.Context(), p.ID, true); err != nil {
		t.Fatal(err)
	}
	for path, methods := range map[string][]string{
		"/v1/models": {"GET"}, "/v1/models/" + model: {"GET"}, "/v1beta/models": {"GET"},
		"/v1/responses/" + id: {"GET", "DELETE"}, "/v1/responses/" + id + "/input_items": {"GET"},
	} {
		for _, method := range methods {
			a := exchange{method: method, path: path, header: bearer(pass)}.do(t, h)
			if a.Status != http.StatusForbidden || gjson.GetBytes(a.Body, "reason").String() != "PERSON_SUSPENDED" {
				t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
		}
	}
	exchange{method: http.MethodGet, path: "/v1/usage", header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if got := len(h.Upstream.Requests()); got != 1 {
		t.Errorf("%d requests reached the provider", got)
	}
}
