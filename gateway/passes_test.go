package gateway_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/testing/harness"
)

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
	if _, err := m.Team(t.Context()); err != nil { // after an edit it is read once more, whoever asks
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
