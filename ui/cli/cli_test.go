package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perdiem/gateway/boot"
	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
)

// shell runs commands on one scratch data folder.
type shell struct {
	t    *testing.T
	data string
}

func newShell(t *testing.T) shell { return shell{t, t.TempDir()} }

// run runs one command and returns what it printed, and its status.
func (s shell) run(stdin string, args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = Main(s.t.Context(), append(args, "--data", s.data), Streams{strings.NewReader(stdin), &o, &e}, Hooks{})
	return status, o.String(), e.String()
}

// ok runs a command that must succeed, and returns what it printed.
func (s shell) ok(args ...string) string {
	s.t.Helper()
	status, out, errs := s.run("", args...)
	if status != statusOK {
		s.t.Fatalf("perdiem %s: status %d\n%s%s", strings.Join(args, " "), status, out, errs)
	}
	return out
}

// furnished is a shell with a provider, two models, a tier and two people.
func furnished(t *testing.T) shell {
	s := newShell(t)
	s.ok("provider", "add", "fake", "--url", "http://127.0.0.1:9/v1")
	s.ok("model", "add", "fake/big")
	s.ok("model", "add", "fake/small", "--alias", "tiny")
	s.ok("tier", "add", "interns")
	s.ok("person", "add", "alice")
	s.ok("person", "add", "Bob Builder", "--tier", "interns")
	return s
}

func TestAModelCanBeChanged(t *testing.T) {
	s := furnished(t)
	s.ok("model", "set", "tiny", "--title", "Tiny", "--context", "8k", "--input", "0.25", "--output", "2", "--at-zero", "ladder", "--fallback", "fake/big")
	var models []struct {
		ID, Title string
		Aliases   []string
		Context   int64
		Price     *struct{ Input, CacheRead, Output int64 }
	}
	if err := json.Unmarshal([]byte(s.ok("model", "list", "--json")), &models); err != nil {
		t.Fatal(err)
	}
	m := models[1]
	if m.ID != "fake/small" || m.Title != "Tiny" || m.Context != 8000 || len(m.Aliases) != 1 || m.Price == nil || m.Price.Input != 250_000 || m.Price.CacheRead != 250_000 || m.Price.Output != 2_000_000 {
		t.Errorf("the model is %+v", m)
	}
	for _, bad := range [][]string{{"--at-zero", "panic"}, {"--fallback", "fake/none"}, {"--counts", "twice"}} {
		if status, _, _ := s.run("", append([]string{"model", "set", "tiny"}, bad...)...); status == statusOK {
			t.Errorf("%v went through", bad)
		}
	}
	if status, _, errs := s.run("", "model", "set", "fake/big", "--input", "1"); status == statusOK || !strings.Contains(errs, "--output") {
		t.Errorf("half a price: %s", errs)
	}
}

func TestAnAllowanceKeepsTheColumnThatIsNotNamed(t *testing.T) {
	s := furnished(t)
	limit := func(args ...string) allowance {
		t.Helper()
		s.ok(append([]string{"allow", "alice", "tiny"}, args...)...)
		var all limits
		if err := json.Unmarshal([]byte(s.ok("limits", "--json")), &all); err != nil || len(all.Allowances) != 1 {
			t.Fatalf("%v: %+v", err, all)
		}
		return all.Allowances[0]
	}
	is := func(n *int64, want int64) bool { return want < 0 && n == nil || n != nil && *n == want }
	for _, step := range []struct {
		args             []string
		requests, tokens int64 // -1 is no limit
	}{
		{[]string{"--requests", "5"}, 5, -1},
		{[]string{"--tokens", "10k"}, 5, 10_000},
		{[]string{"--requests", "none"}, -1, 10_000},
		{[]string{"--tokens", "0"}, -1, 0},
	} {
		if got := limit(step.args...); !is(got.MaxRequests, step.requests) || !is(got.MaxTokens, step.tokens) {
			t.Errorf("after %v: %+v", step.args, got)
		}
	}
	s.ok("allow", "alice", "tiny", "--remove")
	if out := s.ok("limits"); !strings.Contains(out, "No limit is set") {
		t.Errorf("after --remove: %s", out)
	}
}

// The keychain of the system holds the key; the data folder, the lists and the answers do not.
func TestKeyIsKeptInTheKeychainAlone(t *testing.T) {
	if os.Getenv("PERDIEM_TEST_KEYRING") == "" {
		t.Skip("no keychain to test with: make test starts one, and sets PERDIEM_TEST_KEYRING")
	}
	upstream := fakeprovider.New(t)
	upstream.On("some-model", fakeprovider.Chat{}.Answer)
	s := newShell(t)
	status, out, errs := s.run(fakeprovider.Key+"\r\n", "provider", "add", "fake", "--url", upstream.URL, "--key-stdin", "--json")
	if status != statusOK {
		t.Fatalf("status %d: %s", status, errs)
	}
	out += errs + s.ok("key", "list") + s.ok("key", "list", "--json") + s.ok("provider", "list", "--json")
	if got := s.ok("key", "test", "fake"); !strings.Contains(got, "works") {
		t.Errorf("the key that is in the keychain: %s", got)
	}
	if got := s.ok("model", "import", "fake"); !strings.Contains(got, "Imported 1 model of fake") {
		t.Errorf("the import says %s", got)
	}
	if strings.Contains(out, fakeprovider.Key) {
		t.Errorf("the key is shown: %s", out)
	}
	err := filepath.WalkDir(s.data, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(fakeprovider.Key)) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	status, _, errs = s.run("sk-CANARY", "key", "add", "fake", "--label", "wrong one", "--key-stdin")
	if status != statusOK {
		t.Fatalf("adding another key: %s", errs)
	}
	status, out, errs = s.run("", "key", "test", "fake")
	if status != statusFailed || strings.Contains(out+errs, "CANARY") {
		t.Errorf("a wrong key: status %d, says %q", status, out+errs)
	}
	s.ok("provider", "remove", "fake")
	if list := s.ok("key", "list"); !strings.Contains(list, "No key is stored") {
		t.Errorf("after the provider went: %s", list)
	}
}

// A provider that speaks its vendor's own dialect alone is asked in it.
func TestAKeyIsTestedInTheProvidersOwnDialect(t *testing.T) {
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet || r.URL.Path != "/v1/models":
			http.NotFound(w, r)
		case r.Header.Get("X-Api-Key") != "sk-right":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"claude-x"}]}`))
		}
	}))
	t.Cleanup(vendor.Close)
	s := newShell(t)
	s.ok("provider", "add", "fake", "--url", vendor.URL, "--dialect", "anthropic")
	for secret, want := range map[string]int{"sk-right": statusOK, "sk-wrong": statusFailed} {
		t.Setenv(keys.EnvName("fake"), secret)
		if status, out, errs := s.run("", "key", "test", "fake"); status != want {
			t.Errorf("%s: status %d, %s%s", secret, status, out, errs)
		}
	}
}

func TestWindowOpensOnAServingApp(t *testing.T) {
	opened := false
	hooks := Hooks{OpenWindow: func(_ context.Context, app *boot.App) error {
		opened = app.On()
		return nil
	}}
	var out, errs bytes.Buffer
	status := Main(t.Context(), []string{"--data", t.TempDir(), "window", "--listen", "127.0.0.1:0"}, Streams{nil, &out, &errs}, hooks)
	if status != statusOK || !opened {
		t.Errorf("status %d, opened on a serving app: %v\n%s", status, opened, &errs)
	}
}
