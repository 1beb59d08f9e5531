package e2e

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perdiem/testing/harness"
	"perdiem/testing/spoil"
)

// Large books are served before they are read. Where they turn out to be damaged, the program does not stay
// behind without its gateway: it ends as one that failed, and says how to go back to a backup.
func TestTheProgramEndsWhereItsLargeBooksAreDamaged(t *testing.T) {
	p := harness.NewProgram(t)
	var log bytes.Buffer
	p.Log = &log
	p.Run(nil, "person", "add", "Ada")
	path := filepath.Join(p.Data, "perdiem.db")
	p.Run(nil, "backup", filepath.Join(p.Data, "backups", "perdiem-2026-10-19.db"))
	spoil.Enlarge(t, path)
	spoil.Page(t, path, "ledger", 0)

	gateway, _ := p.Serve()
	bound := time.AfterFunc(time.Minute, func() { _ = gateway.Process.Kill() })
	defer bound.Stop()
	if err := gateway.Wait(); gateway.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	if said := log.String(); !strings.Contains(said, "\nperdiem: the books in ") || !strings.Contains(said, "perdiem restore --data "+p.Data) {
		t.Errorf("it says: %s", said)
	}
}
