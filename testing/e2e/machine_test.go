package e2e

import (
	"database/sql"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"perdiem/testing/harness"
)

// Another program that keeps the database locked stops the spending, and nothing else: nothing is lost.
func TestALockedDatabaseSpendsNothingAndMends(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusOK)
	h.AtRest()
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(h.Data, "perdiem.db")), RawQuery: "_txlock=immediate&_pragma=busy_timeout(10000)"}
	other, err := sql.Open("sqlite", name.String())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const callers = 8
	began := time.Now()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			a := h.Ask(pass, "fake/m", harness.Question{})
			if a.Status != http.StatusServiceUnavailable || a.Refusal(t).Reason != "METER_UNAVAILABLE" {
				t.Errorf("status %d %s", a.Status, a.Body)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > 8*time.Second { // 5 of them for whoever has it to let go
		t.Errorf("the callers waited %v", took)
	}
	if got := len(h.Upstream.Requests()); got != 1 {
		t.Errorf("%d reached the provider", got)
	}
	var list struct{ Data []any }
	if h.Get(pass, "/models", &list); len(list.Data) != 1 { // what only reads goes on
		t.Errorf("models: %+v", list)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusOK)
	h.AtRest()
	if got := h.Booked(); got.Requests != 2 || got.Refusals != callers {
		t.Errorf("booked %+v", got)
	}
}
