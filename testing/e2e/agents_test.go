//go:build agents

package e2e

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// agent is a coding agent as its users start it, set up by perdiem connect.
type agent struct {
	name    string   // perdiem connect's
	dialect string   // in which it asks
	foreign []string // dialects of providers, on whose models it works as well
	args    []string // of a single question; the question comes last
	env     []string // telemetry, updates and reports off
	tool    string   // its shell
	command string   // arguments of a call that writes the file "ran"
	refused int      // how often it asks at most, refused
	broken  int      // and if each stream breaks off
}

// How often they ask is what they did; see docs/tools/measured.md.
var agents = []agent{
	{
		"claude-code", "anthropic", []string{"openai", "gemini"}, []string{"claude", "--allowedTools=Bash", "-p"},
		[]string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1"},
		"Bash", `{"command":"echo yes > ran","description":"Writes a file"}`, 1, 2,
	},
	{
		"codex", "responses", []string{"openai", "anthropic", "gemini"}, []string{"codex", "exec", "--skip-git-repo-check", "--sandbox=danger-full-access"},
		nil, "exec_command", `{"cmd":"echo yes > ran"}`, 1, 6,
	},
	{
		"gemini", "gemini", []string{"openai", "anthropic"}, []string{"gemini", "--yolo", "-p"},
		[]string{"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"}, "run_shell_command", `{"command":"echo yes > ran"}`, 1, 8,
	},
	{
		"opencode", "openai", []string{"anthropic"}, []string{"opencode", "run"},
		[]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		"bash", `{"command":"echo yes > ran","description":"Writes a file"}`, 2, 8,
	},
}

// office is a real gateway process with a fake provider behind it, and an agent that knows it.
type office struct {
	*harness.Program
	t        *testing.T
	a        agent
	upstream *fakeprovider.Server
	base     string
	pass     string
	bin      string // the folder that the agents are in
	home     string
	work     string // the folder that the agent works in
}

func newOffice(t *testing.T, a agent, provider, requests string) *office {
	t.Helper()
	onlyLoopback(t)
	installed := os.Getenv("PERDIEM_TEST_AGENTS")
	if installed == "" {
		t.Fatal("no agents are installed here: run make test-clients, which installs them and sets PERDIEM_TEST_AGENTS")
	}
	o := &office{t: t, bin: filepath.Join(installed, "node_modules", ".bin"), Program: harness.NewProgram(t), a: a, upstream: fakeprovider.New(t), home: t.TempDir(), work: t.TempDir()}
	address := o.upstream.URL
	if provider == "gemini" {
		address = strings.TrimSuffix(address, "/v1")
	}
	o.Run(nil, "provider", "add", harness.Provider, "--url", address, "--dialect", provider)
	o.Run(nil, "model", "add", "fake/m", "--context", "200000", "--reply", "8000")
	var alice struct{ Pass string }
	o.Run(&alice, "person", "add", "alice")
	o.pass = alice.Pass
	o.Run(nil, "allow", "alice", "fake/m", "--requests", requests)
	_, o.base = o.Serve()
	o.connect()
	return o
}

// onlyLoopback makes sure that no agent can reach anything but this machine.
func onlyLoopback(t *testing.T) {
	t.Helper()
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			t.Fatalf("the network %s is up: run make test-clients, which denies it", i.Name)
		}
	}
}

func (o *office) connect() {
	o.t.Helper()
	cmd := o.Command("connect", o.a.name, "--url", o.base, "--write", "--pass-stdin")
	cmd.Env = o.env()
	cmd.Stdin = strings.NewReader(o.pass + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		o.t.Fatalf("perdiem connect %s: %v\n%s", o.a.name, err, out)
	}
}

func (o *office) env() []string {
	env := []string{"HOME=" + o.home, "PATH=" + o.bin + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + o.home, "TERM=xterm-256color", "NO_COLOR=1", keys.EnvName(harness.Provider) + "=" + fakeprovider.Key}
	return append(env, o.a.env...)
}

// patience is how long an agent may take, on a busy machine, too, where opencode's pauses alone take a minute; one that goes on
// trying by itself is ended, and has failed.
const patience = 3 * time.Minute

// ask starts the agent with one question, and returns what it shows.
func (o *office) ask() string {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(o.bin, o.a.args[0]), append(o.a.args[1:len(o.a.args):len(o.a.args)], "Say a few words.")...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = o.env(), o.work, time.Second
	var shown bytes.Buffer
	cmd.Stdout, cmd.Stderr = &shown, &shown
	began := time.Now()
	err := cmd.Run()
	o.t.Logf("%s took %v, ended with %v, and shows:\n%s", o.a.name, time.Since(began).Round(time.Second/10), err, &shown)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		o.t.Errorf("%s goes on after %v", o.a.name, patience)
	}
	return shown.String()
}

// booked checks that each request that the provider got ended once in the ledger, and counts them.
func (o *office) booked() int {
	o.t.Helper()
	var report struct{ Clean bool }
	if o.Run(&report, "verify"); !report.Clean {
		o.t.Error("the books are not right")
	}
	ends, got := harness.Ends(o.t, o.Data), o.upstream.Requests()
	if len(ends) != len(got) {
		o.t.Errorf("%d requests reached the provider; the ledger says %+v", len(got), ends)
	}
	for i, r := range got {
		o.t.Logf("request %d: %s, %d bytes, stream %v", i+1, r.Path, len(r.Body), r.Stream)
	}
	return len(got)
}

// eachAgent runs do for each agent on a model of its own dialect, and on models of others.
func eachAgent(t *testing.T, requests string, do func(t *testing.T, o *office)) {
	for _, a := range agents {
		for _, provider := range append([]string{a.dialect}, a.foreign...) {
			t.Run(a.name+" on "+provider, func(t *testing.T) { do(t, newOffice(t, a, provider, requests)) })
		}
	}
}

func TestAgentsAnswer(t *testing.T) {
	eachAgent(t, "none", func(t *testing.T, o *office) {
		if shown := o.ask(); !strings.Contains(shown, "word word word") {
			t.Error("the answer is not shown")
		}
		o.booked()
	})
}

func TestAgentsRunTools(t *testing.T) {
	eachAgent(t, "none", func(t *testing.T, o *office) {
		o.upstream.On("m", fakeprovider.Chat{Tool: o.a.tool, Arguments: []byte(o.a.command)}.Answer)
		if shown := o.ask(); !strings.Contains(shown, "word word word") {
			t.Error("the answer is not shown")
		}
		if _, err := os.Stat(filepath.Join(o.work, "ran")); err != nil {
			last := o.upstream.Requests()[len(o.upstream.Requests())-1].Body
			t.Errorf("the tool did not run: %v\n… %s", err, bytes.Join(bytes.SplitAfter(last, []byte(`"tools"`))[:1], nil))
		}
		o.booked()
	})
}

// A refusal stops an agent at once, with the reason on its screen.
func TestAgentsStopAtARefusal(t *testing.T) {
	eachAgent(t, "1", func(t *testing.T, o *office) {
		if got := askForOne(t, o); got != 200 {
			t.Fatalf("there was room for one: status %d", got)
		}
		if shown := o.ask(); !strings.Contains(shown, "out of today's requests (1 of 1)") {
			t.Error("the reason is not shown")
		}
		var refusals []struct{ Reason string }
		o.Run(&refusals, "refusals")
		if t.Logf("%d requests were refused", len(refusals)); len(refusals) == 0 || len(refusals) > o.a.refused {
			t.Errorf("%d requests were refused, want 1 to %d", len(refusals), o.a.refused)
		}
		if n := o.booked(); n != 1 {
			t.Errorf("%d requests reached the provider", n)
		}
	})
}

// An agent whose streams all break off gives up, and each try is booked once.
func TestAgentsGiveUpOnBrokenStreams(t *testing.T) {
	eachAgent(t, "none", func(t *testing.T, o *office) {
		o.upstream.On("m", brokenOff)
		o.ask()
		if n := o.booked(); n == 0 || n > o.a.broken {
			t.Errorf("%d requests reached the provider, want 1 to %d", n, o.a.broken)
		}
	})
}

// askForOne spends a request by hand, in the agent's dialect.
func askForOne(t *testing.T, o *office) int {
	t.Helper()
	path, body := "/chat/completions", `{"model":"fake/m","messages":[{"role":"user","content":"Hi"}]}`
	switch o.a.dialect {
	case "anthropic":
		path, body = "/messages", `{"model":"fake/m","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}`
	case "responses":
		path, body = "/responses", `{"model":"fake/m","input":"Hi"}`
	case "gemini":
		path, body = "/models/fake/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+o.pass)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
