package cli

import (
	"os"
	"strings"
	"testing"

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
