//go:build tools

// Package tools connects the real tools of teammates by `perdiem connect`, and has each complete a
// call through the gateway. They are large, so this is asked for: .ci/clients installs all but
// Continue into build/agents, or npm into any folder; name it in PERDIEM_TEST_TOOLS, and run
// `go test -tags ci,tools ./testing/tools`. See docs/tools for the versions that were tried.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/providers"
	"perdiem/testing/harness"
	"perdiem/ui/cli"
)

// said is part of what the fake provider answers in every dialect.
const said = "word word word"

// all are the tools that are tried.
var all = []struct {
	tool    string
	dialect providers.Dialect
	command []string
}{
	{"claude-code", providers.Anthropic, []string{"claude", "-p", "Hello"}},
	{"codex", providers.Responses, []string{"codex", "exec", "--skip-git-repo-check", "Hello"}},
	{"gemini", providers.Gemini, []string{"gemini", "--skip-trust", "-p", "Hello"}},
	{"opencode", providers.OpenAI, []string{"opencode", "run", "Hello"}},
	{"continue", providers.OpenAI, []string{"cn", "-p", "Hello"}},
}

func TestEachToolCompletesACallOnceConnected(t *testing.T) {
	for _, c := range all {
		t.Run(c.tool, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"swift"}, Speaks: []providers.Dialect{c.dialect}})
			ada, pass := h.Person("Ada")
			h.Allow(ada, harness.Provider+"/swift", nil, nil)

			home, data := t.TempDir(), t.TempDir()
			t.Setenv("HOME", home)
			connect := func(args ...string) {
				t.Helper()
				var out, errs bytes.Buffer
				args = append([]string{"connect", c.tool, "--data", data}, args...)
				if cli.Main(t.Context(), args, cli.Streams{In: strings.NewReader(pass), Out: &out, Err: &errs}, cli.Hooks{}) != 0 {
					t.Fatal(errs.String())
				}
			}
			connect("--url", h.URL, "--write", "--pass-stdin")
			out := run(t, home, c.command)
			if !strings.Contains(out, said) {
				t.Errorf("it says:\n%s", strings.ReplaceAll(out, pass, "PASS"))
			}
			h.AtRest()
			if h.Booked().Requests == 0 {
				t.Error("nothing is booked")
			}

			one := h.Booked().Requests
			h.Allow(ada, harness.Provider+"/swift", &one, nil)
			begun := time.Now()
			out = run(t, home, c.command)
			if !strings.Contains(out, "is out of today's requests") {
				t.Errorf("at a refusal it says:\n%s", strings.ReplaceAll(out, pass, "PASS"))
			}
			t.Logf("told of the refusal in %v:\n%s", time.Since(begun).Round(time.Second), strings.ReplaceAll(out, pass, "PASS"))
			connect("--undo")
		})
	}
}

// Over HTTPS each tool is told of the certificate by its own file, or else by the variable that connect
// names; without either it must not get through.
func TestEachToolTrustsAnEncryptedGatewayOnceConnected(t *testing.T) {
	for _, c := range all {
		t.Run(c.tool, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"swift"}, Speaks: []providers.Dialect{c.dialect}, HTTPS: true})
			ada, pass := h.Person("Ada")
			h.Allow(ada, harness.Provider+"/swift", nil, nil)
			now, err := h.HTTPS(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			t.Setenv("HOME", home)
			var out, errs bytes.Buffer
			args := []string{"connect", c.tool, "--data", t.TempDir(), "--url", h.URL, "--fingerprint", now.Fingerprint, "--write", "--pass-stdin", "--json"}
			if cli.Main(t.Context(), args, cli.Streams{In: strings.NewReader(pass), Out: &out, Err: &errs}, cli.Hooks{}) != 0 {
				t.Fatal(errs.String())
			}
			var told struct{ Environment map[string]string }
			if err := json.Unmarshal(out.Bytes(), &told); err != nil {
				t.Fatal(err)
			}
			var environment []string
			for name, value := range told.Environment {
				environment = append(environment, name+"="+value)
			}
			if got := run(t, home, c.command, environment...); !strings.Contains(got, said) {
				t.Errorf("it says:\n%s", strings.ReplaceAll(got, pass, "PASS"))
			}
			h.AtRest()
			if h.Booked().Requests == 0 {
				t.Error("nothing is booked")
			}
		})
	}
}

// run runs a tool in an empty folder, with nothing in its environment but the home and the path.
func run(t *testing.T, home string, command []string, environment ...string) string {
	t.Helper()
	bin := filepath.Join(os.Getenv("PERDIEM_TEST_TOOLS"), "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, command[0])); err != nil {
		t.Skipf("%s is not installed in PERDIEM_TEST_TOOLS", command[0])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // opencode tries for a minute before it tells of a refusal
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, command[0]), command[1:]...)
	cmd.Dir = t.TempDir()
	cmd.WaitDelay = time.Second
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "NO_COLOR=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "IS_SANDBOX=1"}
	cmd.Env = append(cmd.Env, environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s\n%v", out, err)
	}
	return string(out)
}
