package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// built builds the real program, headless and without C, once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "perdiem-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "perdiem")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", path, "perdiem")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		if path, err := built(); err == nil {
			_ = os.RemoveAll(filepath.Dir(path)) // a folder left among the temporary ones is no failure
		}
		os.Exit(status)
	}))
}

// program is the built program on a data folder, with the fake provider's key in its environment and
// no keychain.
type program struct {
	t    *testing.T
	path string
	data string
}

func newProgram(t *testing.T) *program {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return &program{t: t, path: path, data: t.TempDir()}
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(p.t.Context()), p.path, append(args, "--data", p.data)...)
	cmd.Env = []string{"HOME=" + p.data, "PATH=" + os.Getenv("PATH"), keys.EnvName(harness.Provider) + "=" + fakeprovider.Key}
	return cmd
}

// run runs a command that must succeed, and decodes its JSON into value, if there is one.
func (p *program) run(value any, args ...string) {
	p.t.Helper()
	cmd := p.command(append(args, "--json")...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("perdiem %s: %v\n%s%s", strings.Join(args, " "), err, out, &errs)
	}
	if value == nil {
		value = new(any)
	}
	if err := json.Unmarshal(out, value); err != nil {
		p.t.Fatalf("perdiem %s printed no JSON: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// fail runs a command that must fail, and returns what it says.
func (p *program) fail(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err == nil {
		p.t.Fatalf("perdiem %s did not fail:\n%s", strings.Join(args, " "), out)
	}
	return string(out)
}

// serve starts the gateway as a process of its own and waits until it serves.
func (p *program) serve() (cmd *exec.Cmd, base string) {
	p.t.Helper()
	cmd = p.command("serve", "--listen", "127.0.0.1:0")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // it has ended by itself otherwise
			_ = cmd.Wait()
		}
		if p.t.Failed() {
			p.t.Logf("the gateway's log:\n%s", &log)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "http://"); ok {
			base, _, _ = strings.Cut("http://"+address, " ")
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the process
			return cmd, base
		}
	}
	_ = cmd.Wait() // its log tells more than its status
	p.t.Fatalf("the gateway did not start:\n%s", &log)
	return nil, ""
}
