package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const model = harness.Provider + "/swift"

// caller asks the page of a house as a browser does.
type caller struct {
	t    *testing.T
	h    *harness.House
	root string
}

func newCaller(t *testing.T) caller {
	h := harness.Start(t, harness.Options{Models: []string{"swift"}})
	return caller{t, h, strings.TrimSuffix(h.URL, "/v1")}
}

// person adds a teammate who may use the model as much as they like.
func (c caller) person(name string) (meter.Person, string) {
	p, pass := c.h.Person(name)
	c.h.Allow(p, model, nil, nil)
	return p, pass
}

func (c caller) ask(method, path, pass string, change func(*http.Request)) (*http.Response, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.root+path, http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	if pass != "" {
		req.Header.Set("Authorization", "Bearer "+pass)
	}
	if change != nil {
		change(req)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res, string(body)
}

// get asks with a pass and decodes the answer.
func get[T any](c caller, path, pass string) (value T) {
	c.t.Helper()
	res, body := c.ask(http.MethodGet, path, pass, nil)
	if err := json.Unmarshal([]byte(body), &value); err != nil || res.StatusCode != http.StatusOK {
		c.t.Fatalf("GET %s: status %d, %v", path, res.StatusCode, err)
	}
	return value
}

func TestNothingIsToldWithoutAGoodPass(t *testing.T) {
	c := newCaller(t)
	ada, good := c.person("Ada")
	expired := c.h.Clock.Now().Add(time.Hour)
	_, old, err := c.h.Meter.IssuePass(t.Context(), ada.ID, "", &expired)
	if err != nil {
		t.Fatal(err)
	}
	c.h.Clock.Set(expired)
	for _, path := range []string{"/page/api/pulse", "/page/api/log", "/page/api/passes", "/page/api/setups"} {
		for what, pass := range map[string]string{"none": "", "unknown": good[:len(good)-1] + "x", "expired": old} {
			if res, _ := c.ask(http.MethodGet, path, pass, nil); res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with a pass that is %s: status %d", path, what, res.StatusCode)
			}
		}
		if res, _ := c.ask(http.MethodGet, path+"?key="+good, "", nil); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s takes a pass from its address", path)
		}
		if res, _ := c.ask(http.MethodGet, path, good, nil); res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s with a good pass: status %d, kept: %s", path, res.StatusCode, res.Header.Get("Cache-Control"))
		}
	}
}

type past struct {
	Days []struct {
		Day              string
		Requests, Tokens int64
	}
	Refusals []struct{ Reason, Words, ModelID string }
}

func TestEachIsToldOfThemselvesAlone(t *testing.T) {
	c := newCaller(t)
	_, ada := c.person("Ada")
	ben, bens := c.person("Ben")
	yesterday := c.h.Clock.Now()
	c.h.Ask(ada, model, harness.Question{}).WantStatus(t, http.StatusOK)
	c.h.Clock.Set(yesterday.Add(24 * time.Hour))
	one := int64(1)
	c.h.Allow(ben, model, &one, nil)
	c.h.Ask(bens, model, harness.Question{}).WantStatus(t, http.StatusOK)
	c.h.Ask(bens, model, harness.Question{}).WantStatus(t, http.StatusTooManyRequests)

	hers, his := get[past](c, "/page/api/log", ada), get[past](c, "/page/api/log", bens)
	if len(hers.Days) != 30 || hers.Days[29].Day != "2026-11-30" || hers.Days[28].Tokens != 14 || hers.Days[29].Tokens != 0 || len(hers.Refusals) != 0 {
		t.Errorf("Ada is told %+v", hers)
	}
	if his.Days[28].Requests != 0 || his.Days[29].Requests != 1 || len(his.Refusals) != 1 || his.Refusals[0].Reason != "DAILY_REQUEST_LIMIT" {
		t.Errorf("Ben is told %+v", his)
	}
	if res, _ := c.ask(http.MethodPost, "/page/api/passes/"+ada[4:12]+"/rotate", bens, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("Ben rotates Ada's pass: status %d", res.StatusCode)
	}
	if _, _, err := c.h.Meter.Authenticate(t.Context(), ada); err != nil {
		t.Errorf("Ada's pass: %v", err)
	}
}

func TestARefusalSaysHowLongItStillLasts(t *testing.T) {
	c := newCaller(t)
	ada, pass := c.person("Ada")
	one := int64(1)
	c.h.Allow(ada, model, &one, nil)
	for range 2 {
		c.h.Ask(pass, model, harness.Question{})
	}
	for at, says := range map[time.Duration]string{0: "in 12 h", 11 * time.Hour: "in 1 h", 13 * time.Hour: "in 12 h"} {
		c.h.Clock.Set(harness.Noon.Add(at))
		if got := get[past](c, "/page/api/log", pass).Refusals[0].Words; !strings.Contains(strings.ReplaceAll(got, ";", "."), says+".") {
			t.Errorf("after %v: %s", at, got)
		}
	}
}

type pulse struct {
	Day, Changed, Person, PassID string
	ResetsAt                     time.Time
	Suspended                    bool
	Running                      []struct{ ModelID, Tool string }
}

func TestThePulseTellsThatFiguresChangedAndWhatRuns(t *testing.T) {
	c := newCaller(t)
	_, pass := c.person("Ada")
	_, other := c.person("Ben")
	before := get[pulse](c, "/page/api/pulse", pass)
	if again := get[pulse](c, "/page/api/pulse", pass); again.Changed != before.Changed {
		t.Error("looking changes the figure")
	}
	if before.Day != "2026-11-29" || before.Person != "Ada" || before.PassID != pass[4:12] || !before.ResetsAt.Equal(harness.Noon.Add(12*time.Hour)) {
		t.Errorf("the pulse is %+v", before)
	}
	gate := fakeprovider.NewGate()
	c.h.Upstream.Next(fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
	answer := c.h.Begin(pass, model, harness.Question{})
	gate.Await(t, 1)
	during := get[pulse](c, "/page/api/pulse", pass)
	if during.Changed == before.Changed || len(during.Running) != 1 || during.Running[0].ModelID != model {
		t.Errorf("while it runs: %+v", during)
	}
	if seen := get[pulse](c, "/page/api/pulse", other); len(seen.Running) != 0 {
		t.Errorf("Ben sees %+v", seen.Running)
	}
	gate.Open()
	answer().WantStatus(t, http.StatusOK)
	c.h.AtRest()
	if after := get[pulse](c, "/page/api/pulse", pass); after.Changed == during.Changed || len(after.Running) != 0 {
		t.Errorf("after it: %+v", after)
	}
}

func TestARotatedPassKeepsItsLabelAndEnd(t *testing.T) {
	c := newCaller(t)
	ada, pass := c.person("Ada")
	end := c.h.Clock.Now().Add(48 * time.Hour)
	old, _, err := c.h.Meter.IssuePass(t.Context(), ada.ID, "laptop", &end)
	if err != nil {
		t.Fatal(err)
	}
	_, body := c.ask(http.MethodPost, "/page/api/passes/"+old.ID+"/rotate", pass, nil)
	var fresh struct{ ID, Pass string }
	if err := json.Unmarshal([]byte(body), &fresh); err != nil {
		t.Fatal(err)
	}
	if _, p, err := c.h.Meter.Authenticate(t.Context(), fresh.Pass); err != nil || p.ID != fresh.ID || !p.ExpiresAt.Equal(end) {
		t.Errorf("the new pass: %+v, %v", p, err)
	}
	listed := get[[]struct{ ID, Label string }](c, "/page/api/passes", pass)
	if len(listed) != 2 {
		t.Fatalf("her passes are %+v", listed)
	}
	for _, p := range listed {
		if p.ID == old.ID || p.ID == fresh.ID && p.Label != "laptop" {
			t.Errorf("her passes are %+v", listed)
		}
	}
	if res, _ := c.ask(http.MethodPost, "/page/api/passes/"+old.ID+"/rotate", pass, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("a pass that ended is rotated: status %d", res.StatusCode)
	}
}

func TestAPassThatIsRotatedManyTimesAtOnceIsReplacedByOne(t *testing.T) {
	c := newCaller(t)
	ada, pass := c.person("Ada")
	old, _, err := c.h.Meter.IssuePass(t.Context(), ada.ID, "laptop", nil)
	if err != nil {
		t.Fatal(err)
	}
	var rotated, not atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch res, _ := c.ask(http.MethodPost, "/page/api/passes/"+old.ID+"/rotate", pass, nil); res.StatusCode {
			case http.StatusOK:
				rotated.Add(1)
			case http.StatusNotFound:
				not.Add(1)
			default:
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
	all.Wait()
	if listed := get[[]struct{ ID string }](c, "/page/api/passes", pass); rotated.Load() != 1 || not.Load() != 15 || len(listed) != 2 {
		t.Errorf("%d were told of a new pass, %d were not; she has %d", rotated.Load(), not.Load(), len(listed))
	}
}

func TestTheSuspendedMayLookAndNotRotate(t *testing.T) {
	c := newCaller(t)
	ada, pass := c.person("Ada")
	if err := c.h.Meter.SuspendPerson(t.Context(), ada.ID, true); err != nil {
		t.Fatal(err)
	}
	if !get[pulse](c, "/page/api/pulse", pass).Suspended {
		t.Error("she is not told")
	}
	if res, _ := c.ask(http.MethodPost, "/page/api/passes/"+pass[4:12]+"/rotate", pass, nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", res.StatusCode)
	}
}

type setUps struct {
	Tools           []struct{ Tool, Text string }
	Fingerprint, CA string
}
