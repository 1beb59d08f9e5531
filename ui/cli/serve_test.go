package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
)

const canary = "CANARY"

// TestALogHasNoSecretInIt runs a gateway that logs all it can, and calls it in ways that have secrets
// and prompts at hand when something is logged.
func TestALogHasNoSecretInIt(t *testing.T) {
	upstream := fakeprovider.New(t)
	t.Setenv(keys.EnvName("fake"), fakeprovider.Key)
	s := newShell(t)
	s.ok("provider", "add", "fake", "--url", upstream.URL)
	s.ok("provider", "add", "gone", "--url", fakeprovider.RefusedURL(t))
	s.ok("model", "add", "fake/swift")
	s.ok("model", "add", "gone/swift")
	var ada struct{ Pass string }
	if err := json.Unmarshal([]byte(s.ok("person", "add", "Ada", "--json")), &ada); err != nil {
		t.Fatal(err)
	}
	s.ok("allow", "Ada", "*", "--requests", "4")

	base, stop := s.serve("--log-level", "debug", "--log-format", "json")
	call := func(method, path, pass, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if pass != "" {
			req.Header.Set("Authorization", "Bearer "+pass)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	ask := `{"model":"fake/swift","messages":[{"role":"user","content":"` + canary + `"}]}`
	call("POST", "/chat/completions", ada.Pass, ask)
	call("POST", "/chat/completions", "pdm_"+canary, ask)
	call("GET", "/models?key=pdm_"+canary, "", "")
	call("POST", "/chat/completions", ada.Pass, `{"model":"`+canary)
	call("POST", "/chat/completions", ada.Pass, strings.Replace(ask, "fake/", "gone/", 1))
	upstream.Next(func(fakeprovider.Request) fakeprovider.Reply {
		return fakeprovider.EchoKey("Bearer " + fakeprovider.Key)
	})
	call("POST", "/chat/completions", ada.Pass, ask)
	call("POST", "/chat/completions", ada.Pass, ask)
	log := stop()

	for what, secret := range map[string]string{"a foreign secret or a prompt": canary, "the pass": ada.Pass, "the pass's secret half": ada.Pass[13:], "the provider's key": fakeprovider.Key} {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("%s is in the log: …%s", what, log[max(0, i-120):i])
		}
	}
	calls := map[string]bool{}
	for line := range strings.Lines(log) {
		var entry struct{ Level, Msg, Request string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("no JSON: %s", line)
		}
		calls[entry.Request] = true
	}
	if len(calls) < 6 {
		t.Errorf("only these calls can be told apart: %v", calls)
	}
}

func TestALogSaysOnlyWhatWasAskedFor(t *testing.T) {
	s := newShell(t)
	_, stop := s.serve("--log-level", "error")
	if log := stop(); log != "" {
		t.Errorf("it says %s", log)
	}
	if status, _, errs := s.run("", "serve", "--log-level", "loud"); status != statusUsage || !strings.Contains(errs, `"loud" is no level: write debug, info`) {
		t.Errorf("status %d, %s", status, errs)
	}
}

// A service that is stopped right after its start is no failed one, and systemd does not start it again.
func TestWhoIsToldToEndWhileOpeningEndsWell(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, command := range []string{"serve", "window"} {
		var out, errs bytes.Buffer
		status := Main(ended, []string{command, "--listen", "127.0.0.1:0", "--data", t.TempDir()}, Streams{strings.NewReader(""), &out, &errs}, Hooks{OpenWindow: window})
		if status != statusOK || out.Len()+errs.Len() > 0 {
			t.Errorf("%s: status %d, and it says %s%s", command, status, &out, &errs)
		}
	}
}

// serve runs a gateway on a free port, and returns its base URL, and a function that ends it and
// returns what it logged.
func (s shell) serve(args ...string) (base string, stop func() (log string)) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	read, write := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		args = append([]string{"serve", "--json", "--listen", "127.0.0.1:0", "--data", s.data}, args...)
		ended <- Main(ctx, args, Streams{strings.NewReader(""), write, &errs}, Hooks{})
		write.Close()
	}()
	var told struct{ Addresses []struct{ URL string } }
	if err := json.NewDecoder(read).Decode(&told); err != nil || len(told.Addresses) == 0 {
		cancel()
		<-ended
		s.t.Fatalf("it does not serve: %v\n%s", err, &errs)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }() // until the writer is closed
	return told.Addresses[0].URL, func() string {
		cancel()
		if status := <-ended; status != statusOK {
			s.t.Errorf("status %d\n%s", status, &errs)
		}
		return errs.String()
	}
}
