package harness

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

	"perdiem/providers/keys"
	"perdiem/testing/fakeprovider"
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

// RemoveBuilt throws away what the tests built; for a TestMain to call at its end.
func RemoveBuilt() {
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // a folder left among the temporary ones is no failure
	}
}

// Program is the built program on a data folder, with the fake provider's key in its environment and
// no keychain.
type Program struct {
	Data string
	Env  []string  // besides
	Log  io.Writer // of the gateways; nil shows it where the test fails

	t    *testing.T
	path string
}

// NewProgram returns the program on an empty folder.
func NewProgram(t *testing.T) *Program {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return &Program{Data: t.TempDir(), t: t, path: path}
}

// Command is a command line that has yet to be run.
func (p *Program) Command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(p.t.Context()), p.path, append(args, "--data", p.Data)...)
	cmd.Env = append([]string{"HOME=" + p.Data, "PATH=" + os.Getenv("PATH"), keys.EnvName(Provider) + "=" + fakeprovider.Key}, p.Env...)
	return cmd
}

// Run runs a command that must succeed, and decodes its JSON into value, if there is one.
func (p *Program) Run(value any, args ...string) {
	p.t.Helper()
	cmd := p.Command(append(args, "--json")...)
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

// Fail runs a command that must fail, and returns what it says.
func (p *Program) Fail(args ...string) string {
	p.t.Helper()
	out, err := p.Command(args...).CombinedOutput()
	if err == nil {
		p.t.Fatalf("perdiem %s did not fail:\n%s", strings.Join(args, " "), out)
	}
	return string(out)
}

// Serve starts the gateway as a process of its own, on a port that is free unless the arguments name
// one, and waits until it serves. It is killed with the test, if it is there still.
func (p *Program) Serve(args ...string) (cmd *exec.Cmd, base string) {
	p.t.Helper()
	cmd = p.Command(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	var log bytes.Buffer
	cmd.Stderr = &log
	if p.Log != nil {
		cmd.Stderr = p.Log
	}
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
		if p.t.Failed() && log.Len() > 0 {
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
