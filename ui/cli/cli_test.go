package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"perdiem/gateway/boot"
	"perdiem/testing/fakeprovider"
)

func TestMain(m *testing.M) {
	// The keychain's bus connection stays open for the life of the process; the library shares it.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/godbus/dbus/v5.newConn.func1"),
		goleak.IgnoreAnyFunction("github.com/godbus/dbus/v5.(*Conn).inWorker"))
}

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

func TestEachCommandTellsWhatItDid(t *testing.T) {
	cases := []struct {
		command string // its arguments, apart by |
		says    string
	}{
		{"person|add|carol|--tier|interns", "Their pass, shown this once:\n\n  pdm_"},
		{"person|list", "Bob Builder  interns  active"},
		{"person|suspend|alice", "Suspended alice"},
		{"person|resume|alice", "Resumed alice"},
		{"person|remove|alice", "Removed alice"},
		{"tier|list", "interns       1"},
		{"tier|remove|interns", "Removed the tier interns"},
		{"pass|issue|alice|--label|laptop|--for|24h", "pdm_"},
		{"pass|list|alice", "good"},
		{"provider|list", "fake              http://127.0.0.1:9/v1     0"},
		{"provider|vendors", "openai"},
		{"provider|remove|fake", "Removed fake"},
		{"key|list|fake", "No key is stored"},
		{"model|list", "fake/small  tiny"},
		{"model|remove|tiny", "Removed fake/small"},
		{"allow|alice|tiny|--tokens|10k", "alice, each day, of fake/small: requests no limit, tokens 10,000."},
		{"allow|tier:interns|*|--requests|0", "tier:interns, each day, of every model: requests not allowed, tokens no limit."},
		{"ceiling|*|--cost|2.50", "The team together, each day, of every model: requests no limit, tokens no limit, cost $2.50."},
		{"ceiling|tiny|--guests|--requests|5", "All guests together"},
		{"purse|everyone|--cost|$1", "everyone, each day, across all models: $1.00."},
		{"rate|guests|--requests|5", "guests, each minute: requests 5, tokens no limit, images no limit."},
		{"grant|alice|tiny|--requests|2|--tokens|1,000", "2 more requests, 1,000 more tokens"},
		{"limits", "No limit is set"},
		{"usage", "Nothing was used today."},
		{"usage|alice|--all", "fake/big"},
		{"refusals", "Nobody was refused."},
		{"verify", "0 holds are open"},
		{"credit|alice", "alice has $0.00 of credit left"},
		{"credit|alice|--add|2.50|--note|birthday", "alice has $2.50 of credit left: $2.50 paid in"},
		{"giveback", "Nothing was booked at the worst case today."},
	}
	for _, c := range cases {
		t.Run(c.command, func(t *testing.T) {
			s := furnished(t)
			if got := s.ok(strings.Split(c.command, "|")...); !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q in it", got, c.says)
			}
		})
		t.Run(c.command+" in JSON", func(t *testing.T) {
			s := furnished(t)
			out := s.ok(append(strings.Split(c.command, "|"), "--json")...)
			if !json.Valid([]byte(out)) {
				t.Errorf("no JSON: %s", out)
			}
		})
	}
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

func TestMoreCreditThanThereIsCannotBeTakenOut(t *testing.T) {
	s := furnished(t)
	s.ok("credit", "alice", "--add", "5")
	if status, _, errs := s.run("", "credit", "alice", "--take", "6"); status != statusFailed || !strings.Contains(errs, "only $5.00 are left") {
		t.Errorf("status %d, %s", status, errs)
	}
	if got := s.ok("credit", "alice", "--take", "4"); !strings.Contains(got, "$1.00 of credit left") {
		t.Errorf("it says %q", got)
	}
}

func TestGuestsAreNeverLetInWithoutACeiling(t *testing.T) {
	s := furnished(t)
	_, _, errs := s.run("", "model", "add", "fake/open", "--guests")
	if !strings.Contains(errs, "All guests together now have 100 requests a day.") || !strings.Contains(s.ok("limits"), "guests") {
		t.Errorf("it says %q", errs)
	}
	s.ok("ceiling", "*", "--guests", "--requests", "7")
	if _, _, errs := s.run("", "model", "add", "fake/open2", "--guests"); errs != "" {
		t.Errorf("the owner's own ceiling stays: %q", errs)
	}
}

func TestABackupIsABookOfItsOwn(t *testing.T) {
	s := furnished(t)
	to := shell{t, t.TempDir()}
	file := filepath.Join(to.data, "perdiem.db")
	if got := s.ok("backup", file); !strings.Contains(got, "Copied the books to "+file) {
		t.Errorf("it says %q", got)
	}
	if got := to.ok("person", "list"); !strings.Contains(got, "Bob Builder") {
		t.Errorf("the copy has %s", got)
	}
	if status, _, errs := s.run("", "backup", file); status != statusFailed || !strings.Contains(errs, "exists") {
		t.Errorf("over another file: status %d, %s", status, errs)
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

func TestPassIsShownOnceAndRevoked(t *testing.T) {
	s := furnished(t)
	var issued struct{ Pass, ID, Name string }
	if err := json.Unmarshal([]byte(s.ok("pass", "issue", "alice", "--json")), &issued); err != nil || issued.Name != "alice" {
		t.Fatalf("%v: %+v", err, issued)
	}
	// A whole pass, given by mistake, is taken for its public part; its secret is not repeated.
	if out := s.ok("pass", "revoke", issued.Pass); strings.Contains(out, issued.Pass) || !strings.Contains(out, issued.ID) {
		t.Errorf("it says %q", out)
	}
	if out := s.ok("pass", "list", "alice"); !strings.Contains(out, "revoked") || strings.Contains(out, issued.Pass) {
		t.Errorf("the list says %q", out)
	}
}

func TestWhatKeysAreNot(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "a blank line": "\n", "two lines": "sk-CANARY\nsk-other\n", "a sentence": "my key is sk-CANARY"} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			status, out, errs := s.run(text, "provider", "add", "fake", "--url", "http://127.0.0.1:9/v1", "--key-stdin")
			if status != statusFailed || strings.Contains(out+errs, "CANARY") {
				t.Errorf("status %d, says %q", status, out+errs)
			}
			if list := s.ok("provider", "list"); !strings.Contains(list, "No providers") {
				t.Errorf("half of it was kept: %s", list)
			}
		})
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
	if got := s.ok("model", "import", "fake"); !strings.Contains(got, "Imported 1 models") {
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

func TestServingStopsWhenTold(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out := &stopsOnWrite{stop: stop}
	var errs bytes.Buffer
	if status := Main(ctx, []string{"serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, Streams{nil, out, &errs}, Hooks{}); status != statusOK {
		t.Errorf("status %d\n%s", status, &errs)
	}
	if !strings.Contains(out.String(), "http://127.0.0.1:") {
		t.Errorf("it says %q", out)
	}
}

// stopsOnWrite ends the command once it has told its address.
type stopsOnWrite struct {
	bytes.Buffer
	stop func()
}

func (w *stopsOnWrite) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("http://")) {
		defer w.stop()
	}
	return w.Buffer.Write(p)
}

func TestHelpNamesEveryCommandThatScriptsRelyOn(t *testing.T) {
	_, out, _ := newShell(t).run("", "--help")
	for _, command := range []string{"serve", "demo", "provider", "key", "model", "tier", "person", "pass", "allow", "ceiling", "purse", "rate", "grant", "usage", "refusals", "verify"} {
		if !strings.Contains(out, "\n  "+command+" ") {
			t.Errorf("help lacks %s", command)
		}
	}
}

func TestTheDoctorFailsWhereThereIsAFault(t *testing.T) {
	s := furnished(t) // whose provider is not there
	status, out, errs := s.run("", "doctor", "--json")
	if status != statusFailed || !json.Valid([]byte(out)) || !strings.Contains(out, `"what": "provider fake"`) || !strings.Contains(errs, "cannot do its work") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if _, out, _ := s.run("", "doctor"); !strings.Contains(out, "fault  provider fake: ") {
		t.Errorf("it says %s", out)
	}
}
