package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// A script sets a gateway up on a machine without a window and without a keychain; a teammate's SDK
// then streams through it, is metered, and is told no where the allowance ends.
func TestScriptSetsAGatewayUp(t *testing.T) {
	upstream := fakeprovider.New(t)
	p := harness.NewProgram(t)
	p.Run(nil, "provider", "add", harness.Provider, "--url", upstream.URL, "--dialect", "openai")
	p.Run(nil, "model", "add", "fake/m", "--alias", "tiny", "--context", "8k", "--reply", "50", "--counts", "total")
	p.Run(nil, "tier", "add", "interns")
	var bob struct{ ID, Name, Tier, Pass string }
	p.Run(&bob, "person", "add", "Bob", "--tier", "interns")
	if bob.Name != "Bob" || bob.Tier != "interns" || bob.ID == "" || !strings.HasPrefix(bob.Pass, "pdm_") {
		t.Fatalf("person add printed %+v", bob)
	}
	p.Run(nil, "allow", "everyone", "*", "--requests", "0")
	p.Run(nil, "allow", "tier:interns", "tiny", "--requests", "2")
	p.Run(nil, "rate", "everyone", "--requests", "100", "--tokens", "none")
	gateway, base := p.Serve()

	for range 2 {
		if got := askOpenAIGo(t, base, bob.Pass, "tiny", "stream"); strings.TrimSpace(got.Text) != "word word word word word" {
			t.Fatalf("the SDK got %+v", got)
		}
	}
	if got := askOpenAIGo(t, base, bob.Pass, "tiny", "stream"); got.Error == nil || got.Error.Code != "insufficient_quota" {
		t.Errorf("past the allowance the SDK got %+v", got)
	}
	// The running gateway obeys on the next request.
	p.Run(nil, "grant", "Bob", "fake/m", "--requests", "1")
	if got := askOpenAIGo(t, base, bob.Pass, "tiny", "complete"); got.Text == "" {
		t.Errorf("after a grant the SDK got %+v", got)
	}
	p.Run(nil, "person", "suspend", "Bob")
	if got := askOpenAIGo(t, base, bob.Pass, "tiny", "complete"); got.Error == nil || got.Error.Status != 403 {
		t.Errorf("a suspended person got %+v", got)
	}

	var days []struct {
		Person string
		Models []struct {
			ModelID                               string
			UsedRequests, UsedTokens, InputTokens int64
			MaxRequests                           *int64
		}
	}
	p.Run(&days, "usage", "Bob")
	if len(days) != 1 || len(days[0].Models) != 1 || days[0].Models[0].UsedRequests != 3 || days[0].Models[0].UsedTokens != 3*14 || *days[0].Models[0].MaxRequests != 3 {
		t.Errorf("Bob's day: %+v", days)
	}
	var refusals []struct{ Reason, Person, Message string }
	p.Run(&refusals, "refusals")
	if len(refusals) != 2 || refusals[1].Reason != "DAILY_REQUEST_LIMIT" || refusals[0].Reason != "PERSON_SUSPENDED" {
		t.Errorf("refusals: %+v", refusals)
	}
	var report struct{ Clean bool }
	if p.Run(&report, "verify"); !report.Clean {
		t.Error("the books are not right")
	}
	stopsPolitely(t, gateway)
}

// stopsPolitely ends the gateway as a system does.
func stopsPolitely(t *testing.T, gateway *exec.Cmd) {
	t.Helper()
	if err := gateway.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Wait(); err != nil {
		t.Errorf("the gateway did not end well: %v", err)
	}
}

// What goes wrong is told in words that say what to do.
func TestMistakesAreExplained(t *testing.T) {
	upstream := fakeprovider.New(t)
	p := harness.NewProgram(t)
	p.Run(nil, "provider", "add", harness.Provider, "--url", upstream.URL)
	p.Run(nil, "model", "add", "fake/little-model", "--alias", "little")
	p.Run(nil, "person", "add", "alice")
	for _, c := range []struct {
		name, says string
		args       []string
	}{
		{"a person's name misspelt", `there is no person "alicia"; did you mean alice?`, []string{"allow", "alicia", "little", "--tokens", "10k"}},
		{"a model's name misspelt", `there is no model "litle"; did you mean little`, []string{"allow", "alice", "litle", "--tokens", "10k"}},
		{"no such tier", `there is no tier "staff"`, []string{"allow", "tier:staff", "*", "--requests", "1"}},
		{"no such vendor", `did you mean openai`, []string{"provider", "add", "x", "--vendor", "opena1"}},
		{"no such provider", `there is no provider "fakes"; did you mean fake?`, []string{"model", "add", "fakes/m"}},
		{"a name that is taken", "already exists", []string{"person", "add", "alice"}},
		{"no amount", "write a whole number such as 10,000", []string{"allow", "alice", "little", "--tokens", "lots"}},
		{"a key as an argument", "unexpected argument", []string{"key", "add", "fake", "sk-CANARY"}},
		{"a key with nowhere to come from", "--key-stdin", []string{"key", "add", "fake"}},
		{"no window in this build", "perdiem serve", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := p.Fail(c.args...); !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q in it", got, c.says)
			}
		})
	}
	t.Run("in JSON when asked for", func(t *testing.T) {
		var told struct{ Error string }
		if err := json.Unmarshal([]byte(p.Fail("person", "suspend", "bob", "--json")), &told); err != nil || told.Error == "" {
			t.Errorf("%v %+v", err, told)
		}
	})
}
