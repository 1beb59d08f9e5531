package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perdiem/testing/harness"
	"perdiem/ui/cli/connect"
)

func TestConnectPrintsTheSetUpOfEveryTool(t *testing.T) {
	for _, tool := range connect.Tools {
		s := newShell(t)
		if out := s.ok("connect", tool.Name, "--url", "192.0.2.1:7427", "--model", "acme/m"); !strings.Contains(out, "192.0.2.1:7427") || !strings.Contains(out, passTo) {
			t.Errorf("%s: %s", tool.Name, out)
		}
		if entries, err := os.ReadDir(s.data); err != nil || len(entries) > 0 {
			t.Errorf("%s: printing leaves %v, %v", tool.Name, entries, err)
		}
	}
}

func TestConnectAsksTheGatewayBeforeItWrites(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"swift", "sage"}})
	ada, pass := h.Person("Ada")
	h.Allow(ada, "fake/sage", nil, nil)
	_, barred := h.Person("Ben")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for what, c := range map[string]struct {
		pass, says string
		args       []string
	}{
		"no pass":          {"", "the pass is empty", nil},
		"a bad pass":       {"pdm_nobody", "This pass is not valid", nil},
		"a pass of no use": {barred, "may not use any model yet", nil},
		"another model":    {pass, `this pass may not use "fake/swift"; it may use fake/sage`, []string{"--model", "fake/swift"}},
		"no gateway":       {pass, "no gateway answers at http://127.0.0.1:9/v1", []string{"--url", "127.0.0.1:9"}},
		"no address":       {pass, "looks like", []string{"--url", "ftp://x"}},
	} {
		t.Run(what, func(t *testing.T) {
			s := newShell(t)
			status, out, errs := s.run(c.pass, append([]string{"connect", "aider", "--url", h.URL, "--write", "--pass-stdin"}, c.args...)...)
			if status != statusFailed || !strings.Contains(errs, c.says) {
				t.Errorf("status %d, %s%s", status, out, errs)
			}
			if _, err := os.Stat(filepath.Join(home, ".aider.conf.yml")); err == nil {
				t.Error("it wrote all the same")
			}
		})
	}
	s := newShell(t)
	status, out, errs := s.run(pass+"\n", "connect", "aider", "--url", h.URL, "--write", "--pass-stdin")
	if status != statusOK || !strings.Contains(out, "aider now uses fake/sage") || strings.Contains(out+errs, pass) {
		t.Errorf("status %d, %s", status, strings.ReplaceAll(out+errs, pass, "PASS"))
	}
	if out := s.ok("connect", "aider", "--undo"); !strings.Contains(out, "As it was before") {
		t.Errorf("it says %s", out)
	}
	if status, _, errs := s.run("", "connect", "aider", "--undo"); status != statusFailed || !strings.Contains(errs, "aider: there is nothing to take back") {
		t.Errorf("status %d, %s", status, errs)
	}
}
