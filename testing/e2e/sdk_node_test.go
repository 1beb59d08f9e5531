package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// askNode runs a script of testing/clients in the Node.js that its SDK is installed beside; see .ci/clients.
func askNode(script, prefix string) func(t *testing.T, base, pass, model, how string) said {
	return func(t *testing.T, base, pass, model, how string) said {
		t.Helper()
		installed := os.Getenv("PERDIEM_TEST_JS")
		if installed == "" {
			t.Skip("the SDKs for JavaScript are not installed here: make test installs them, and sets PERDIEM_TEST_JS")
		}
		path, err := filepath.Abs(filepath.Join("..", "clients", script))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(installed, "node_modules", ".bin", "node"), path, prefix+how, base, pass, model)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PERDIEM_TEST_JS=" + installed}
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("running the SDK: %v", err)
		}
		var got said
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("reading what the SDK said: %v\n%s", err, out)
		}
		return got
	}
}
