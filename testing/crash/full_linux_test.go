package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"perdiem/meter"
)

const (
	diskSize    = 2 << 20
	ballastSize = 1 << 20
)

// beFull writes on a small disk of its own until it is full, and again after room was made.
func beFull() error {
	ctx := context.Background()
	dir := os.Getenv("PERDIEM_CRASH_FILE")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
		return errors.Join(errNoMount, err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, ballastSize), 0o600); err != nil {
		return err
	}
	path := filepath.Join(dir, "perdiem.db")
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	m := meter.New(s, meter.Options{})
	p, err := m.AddPerson(ctx, "Ada", "")
	if err != nil {
		return err
	}
	if err := m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		return err
	}
	acks := &acknowledged{}
	if err := fill(ctx, m, p, acks); err == nil || !strings.Contains(err.Error(), "full") {
		return fmt.Errorf("the disk did not run full: %w", err)
	}
	whileFull := len(acks.all)
	if _, err := m.Verify(ctx); err != nil {
		return fmt.Errorf("reading on a full disk: %w", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if err := write(ctx, m, p, acks); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	return judge(ctx, path, acks.all, whileFull)
}

var errNoMount = errors.New("no disk of its own")

type acknowledged struct {
	mu  sync.Mutex
	all []ack
}

// fill writes by several callers until each has failed, and gives an error of one.
func fill(ctx context.Context, m *meter.Meter, p meter.Person, acks *acknowledged) error {
	var all sync.WaitGroup
	failed := make(chan error, callers)
	for range callers {
		all.Go(func() {
			for range 100_000 {
				if err := write(ctx, m, p, acks); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

func write(ctx context.Context, m *meter.Meter, p meter.Person, acks *acknowledged) error {
	h, err := m.Reserve(ctx, meter.Request{ID: "r", PersonID: p.ID, Model: model, Input: 10, Output: 20, MinOutput: 20})
	if err != nil {
		return err
	}
	if err := m.Settle(ctx, h.ID, meter.Usage{Input: 3, Output: 4}, meter.Reported); err != nil {
		return err
	}
	acks.mu.Lock()
	defer acks.mu.Unlock()
	acks.all = append(acks.all, ack{Verb: "settle", Hold: h.ID, Input: 3, Output: 4})
	return nil
}

// judge tells what the parent is to know: what was acknowledged, and what the books have.
func judge(ctx context.Context, path string, acks []ack, whileFull int) error {
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	v := verdict{WhileFull: whileFull, Acknowledged: len(acks)}
	if err := s.Read().QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&v.Integrity); err != nil {
		return err
	}
	if err := s.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM ledger WHERE verb = 'settle' AND input = 3 AND output = 4`).Scan(&v.Settled); err != nil {
		return err
	}
	m := meter.New(s, meter.Options{})
	if _, err := m.Recover(ctx); err != nil {
		return err
	}
	report, err := m.Verify(ctx)
	v.Clean, v.Open = report.Clean(), report.OpenHolds
	return errors.Join(err, tell(v))
}

type verdict struct {
	WhileFull, Acknowledged, Settled, Open int
	Integrity                              string
	Clean                                  bool
}

// onItsOwnDisk runs a child that mounts a disk where nobody else sees it; who is not root may do so in
// a namespace. It gives what the child tells.
func onItsOwnDisk(t *testing.T, role string) []byte {
	t.Helper()
	cmd := child(t, role, "PERDIEM_CRASH_FILE="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if errors.Is(err, syscall.EPERM) || strings.Contains(complaint.String(), errNoMount.Error()) {
		t.Skip("this machine lets no test mount a disk of its own")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	return out
}

func TestADiskThatRunsFullLosesNothingAcknowledged(t *testing.T) {
	var v verdict
	if err := json.Unmarshal(onItsOwnDisk(t, "full"), &v); err != nil {
		t.Fatal(err)
	}
	// An error may hide a settle that stands; an acknowledgement may not hide one that does not.
	if v.WhileFull == 0 || v.Acknowledged <= v.WhileFull || v.Settled < v.Acknowledged || v.Integrity != "ok" || !v.Clean || v.Open != 0 {
		t.Errorf("got %+v", v)
	}
}
