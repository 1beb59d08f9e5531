package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/meter"
	"perdiem/testing/harness"
	"perdiem/ui/web"
)

// join asks for a pass for a device that is called phone.
func (c caller) join(code string) (*http.Response, string) {
	c.t.Helper()
	body, err := json.Marshal(map[string]string{"code": code, "device": "phone"})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.post("/page/api/join", body)
}

func (c caller) post(path string, body []byte) (*http.Response, string) {
	c.t.Helper()
	return c.ask(http.MethodPost, path, "", func(r *http.Request) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
	})
}

func (c caller) code(personID string) string {
	c.t.Helper()
	code, _, err := c.h.Meter.MakeJoinCode(c.t.Context(), personID)
	if err != nil {
		c.t.Fatal(err)
	}
	return code
}

func TestOfTwoDevicesOneJoins(t *testing.T) {
	c := newCaller(t)
	ada, _ := c.person("Ada")
	code := c.code(ada.ID)
	var won, lost atomic.Int64
	var pass string
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			res, body := c.join(code)
			switch res.StatusCode {
			case http.StatusOK:
				var got struct{ Person, Pass, PassID string }
				if err := json.Unmarshal([]byte(body), &got); err != nil || got.Person != "Ada" || !strings.Contains(got.Pass, got.PassID) {
					t.Errorf("%v: %+v", err, got)
				}
				pass = got.Pass
				won.Add(1)
			case http.StatusForbidden:
				lost.Add(1)
			default:
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || lost.Load() != 7 {
		t.Fatalf("%d joined, %d did not", won.Load(), lost.Load())
	}
	if res, body := c.ask(http.MethodGet, "/page/api/passes", pass, nil); res.StatusCode != http.StatusOK || !strings.Contains(body, `"label":"phone"`) {
		t.Errorf("the new pass: status %d, %s", res.StatusCode, body)
	}
}

func TestCodesThatAreNotGoodAreAnsweredAlike(t *testing.T) {
	c := newCaller(t)
	ada, _ := c.person("Ada")
	used := c.code(ada.ID)
	if res, _ := c.join(used); res.StatusCode != http.StatusOK {
		t.Fatalf("status %d", res.StatusCode)
	}
	late := c.code(ada.ID)
	c.h.Clock.Set(harness.Noon.Add(10 * time.Minute))
	answers := map[string]bool{}
	for _, code := range []string{used, late, "never", ""} {
		res, body := c.join(code)
		answers[res.Status+res.Header.Get("Content-Type")+body] = true
	}
	if len(answers) != 1 {
		t.Errorf("there are %d answers: %v", len(answers), answers)
	}
}

func TestWhatIsNoRequestToJoinUsesNoCodeUp(t *testing.T) {
	c := newCaller(t)
	ada, _ := c.person("Ada")
	code := c.code(ada.ID)
	for what, body := range map[string]string{
		"no JSON": "code=" + code, "nothing": "", "no device": `{"code":"` + code + `"}`, "a device that cannot be shown": `{"code":"` + code + `","device":"a\u0000b"}`,
		"a device with a long name": `{"code":"` + code + `","device":"` + strings.Repeat("a", 81) + `"}`, "too long": `{"device":"` + strings.Repeat("a", 5000) + `"}`,
	} {
		if res, _ := c.post("/page/api/join", []byte(body)); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", what, res.StatusCode)
		}
	}
	if res, _ := c.ask(http.MethodGet, "/page/api/join?code="+code, "", nil); res.StatusCode == http.StatusOK {
		t.Error("a code is taken from an address")
	}
	if res, _ := c.join(code); res.StatusCode != http.StatusOK {
		t.Errorf("it was used up: status %d", res.StatusCode)
	}
}

func TestWrongPassesAndCodesAreThrottled(t *testing.T) {
	c := newCaller(t)
	ada, pass := c.person("Ada")
	code := c.code(ada.ID)
	for range 5 {
		if res, _ := c.join("wrong"); res.StatusCode != http.StatusForbidden {
			t.Fatalf("status %d", res.StatusCode)
		}
		if res, _ := c.ask(http.MethodGet, "/page/api/pulse", "pdm_wrong", nil); res.StatusCode != http.StatusUnauthorized {
			t.Fatalf("status %d", res.StatusCode)
		}
	}
	// From here on nothing is looked at: not even what is right tells that it is.
	for what, ask := range map[string]func() (*http.Response, string){
		"a wrong code": func() (*http.Response, string) { return c.join("wrong") },
		"a right code": func() (*http.Response, string) { return c.join(code) },
		"a right pass": func() (*http.Response, string) { return c.ask(http.MethodGet, "/page/api/pulse", pass, nil) },
	} {
		if res, body := ask(); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || !strings.Contains(body, "your network") {
			t.Errorf("%s: status %d, %s", what, res.StatusCode, body)
		}
	}
	c.h.Clock.Set(harness.Noon.Add(time.Minute))
	if res, _ := c.join(code); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("as the next minute begins the last one counts in full: status %d", res.StatusCode)
	}
	c.h.Clock.Set(harness.Noon.Add(70 * time.Second))
	if res, body := c.join(code); res.StatusCode != http.StatusOK {
		t.Errorf("later: status %d, %s", res.StatusCode, body)
	}
}

func TestThePageHasARateOfItsOwn(t *testing.T) {
	c := newCaller(t)
	_, pass := c.person("Ada")
	_, other := c.person("Ben")
	for i := range 1200 {
		if res, _ := c.ask(http.MethodGet, "/page/api/pulse", pass, func(r *http.Request) { r.Close = false }); res.StatusCode != http.StatusOK {
			t.Fatalf("after %d: status %d", i, res.StatusCode)
		}
	}
	if res, body := c.ask(http.MethodGet, "/page/api/pulse", pass, nil); res.StatusCode != http.StatusTooManyRequests || !strings.Contains(body, "too often") {
		t.Errorf("status %d, %s", res.StatusCode, body)
	}
	if res, _ := c.ask(http.MethodGet, "/page/api/pulse", other, nil); res.StatusCode != http.StatusOK {
		t.Errorf("another person: status %d", res.StatusCode)
	}
	if res, _ := c.ask(http.MethodGet, "/v1/usage", pass, nil); res.StatusCode != http.StatusOK {
		t.Errorf("their tools: status %d", res.StatusCode)
	}
}

// unwritable are books that cannot be written, which the page logs.
type unwritable struct{ *meter.Meter }

func (unwritable) RedeemJoinCode(context.Context, string, string) (meter.Person, meter.Pass, string, error) {
	return meter.Person{}, meter.Pass{}, "", errors.New("the disk is full")
}

func TestNoCodeIsLogged(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := harness.Start(t, harness.Options{Log: logger})
	c := caller{t, h, strings.TrimSuffix(h.URL, "/v1")}
	ada, _ := h.Person("Ada")
	code := c.code(ada.ID)
	failing := httptest.NewServer(web.Handler(web.Deps{Books: unwritable{h.Meter}, Log: logger}))
	defer failing.Close()
	if res, body := (caller{t, h, failing.URL}).join(code); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("status %d, %s", res.StatusCode, body)
	}
	c.join(code)
	c.join(code)
	if err := h.Stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "/page/api/join") {
		t.Errorf("what went wrong is not in the log: %s", &log)
	}
	if strings.Contains(log.String(), code) || strings.Contains(log.String(), code[:8]) {
		t.Error("the code is in the log")
	}
}
