//go:build tools

// Package tools connects the real tools of teammates by `perdiem connect`, and has each complete a
// call through the gateway. They are large, so this is asked for: install them with npm into a
// folder, name it in PERDIEM_TEST_TOOLS, and run `go test -tags ci,tools ./testing/tools`. See
// docs/tools for the versions that were tried.
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
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
	"perdiem/ui/cli"
)

// said is what the fake provider answers in every dialect.
const said = "Fifteen geese flew by."

// all are the tools that are tried.
var all = []struct {
	tool    string
	dialect providers.Dialect
	reply   string
	command []string
}{
	{"claude-code", providers.Anthropic, messagesReply, []string{"claude", "-p", "Hello"}},
	{"codex", providers.Responses, responsesReply, []string{"codex", "exec", "--skip-git-repo-check", "Hello"}},
	{"gemini", providers.Gemini, geminiReply, []string{"gemini", "--skip-trust", "-p", "Hello"}},
	{"opencode", providers.OpenAI, chatReply, []string{"opencode", "run", "Hello"}},
	{"continue", providers.OpenAI, chatReply, []string{"cn", "-p", "Hello"}},
}

func TestEachToolCompletesACallOnceConnected(t *testing.T) {
	for _, c := range all {
		t.Run(c.tool, func(t *testing.T) {
			h := harness.Start(t, harness.Options{})
			serve(t, h, c.dialect, c.reply)
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
			h := harness.Start(t, harness.Options{HTTPS: true})
			serve(t, h, c.dialect, c.reply)
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

// serve puts the fake provider's model behind the gateway, in one dialect, with one reply.
func serve(t *testing.T, h *harness.House, dialect providers.Dialect, reply string) {
	t.Helper()
	base := h.Upstream.URL
	if dialect == providers.Gemini {
		base = strings.TrimSuffix(base, "/v1")
	}
	if err := h.Providers.RemoveProvider(t.Context(), harness.Provider); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Providers.AddProvider(t.Context(), providers.Provider{Name: harness.Provider, BaseURL: base, Dialects: []providers.Dialect{dialect}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Providers.AddKey(t.Context(), harness.Provider, "", providers.Environment); err != nil {
		t.Fatal(err)
	}
	h.Model("swift")
	h.Upstream.On("swift", fakeprovider.Body(200, "text/event-stream", reply).Always())
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

const chatReply = `data: {"id":"c1","object":"chat.completion.chunk","created":1796000000,"model":"swift","choices":[{"index":0,"delta":{"role":"assistant","content":"` + said + `"},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1796000000,"model":"swift","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1796000000,"model":"swift","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}

data: [DONE]

`

const messagesReply = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"swift","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + said + `"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

`

const responsesReply = `event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","created_at":1796000000,"status":"in_progress","model":"swift","output":[]}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":1,"output_index":0,"item":{"id":"m1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"` + said + `","annotations":[]}]}}

event: response.completed
data: {"type":"response.completed","sequence_number":2,"response":{"id":"resp_1","object":"response","created_at":1796000000,"status":"completed","model":"swift","output":[{"id":"m1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"` + said + `","annotations":[]}]}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":14}}}

`

const geminiReply = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"` + said + `"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"totalTokenCount":14},"modelVersion":"swift"}

`
