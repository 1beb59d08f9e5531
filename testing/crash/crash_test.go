// Package crash kills a process that writes the books, again and again, and looks at what it leaves;
// lets its disk run full; and sets its clock and time zone wrong.
package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	_ "time/tzdata" // the zones, on any machine

	"perdiem/meter"
	"perdiem/meter/migrations"
	"perdiem/meter/sqlite"
)

// The test program starts itself anew as the process to be killed, and says by this variable as what.
const roleVariable = "PERDIEM_CRASH_ROLE"

func TestMain(m *testing.M) {
	roles := map[string]func() error{"": nil, "writer": beWriter, "days": beDays, "full": beFull, "readonly": beReadOnly, "gateway": beGateway}
	role, known := roles[os.Getenv(roleVariable)]
	switch {
	case !known:
		fmt.Fprintln(os.Stderr, "no such role")
		os.Exit(2)
	case role == nil:
		os.Exit(m.Run())
	}
	if err := role(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is this program in another role, with its variables.
func child(t *testing.T, role string, variables ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role), variables...)
	cmd.Stderr = os.Stderr
	return cmd
}

// rounds is how often the writer is killed: some times with every test, more by this variable.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("PERDIEM_CRASH_ROUNDS")
	if text == "" {
		return 25
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PERDIEM_CRASH_ROUNDS is %q, want a number", text)
	}
	return n
}

func TestNothingThatWasAcknowledgedIsLostToAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perdiem.db")
	person := addPerson(t, path)
	zones := []string{"UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"}
	ahead := []time.Duration{0, 24 * time.Hour, 0, -24 * time.Hour} // the clock is set a day ahead, and back
	var all []ack
	for round := range rounds(t) {
		acks := killOnce(t, path, person, zones[round%len(zones)], ahead[round%len(ahead)])
		all = append(all, acks...)
		inspect(t, path, all)
		if t.Failed() {
			t.Fatalf("after %d kills and %d acknowledged writes", round+1, len(all))
		}
	}
	settled := 0
	for _, a := range all {
		if a.Verb == "settle" {
			settled++
		}
	}
	if settled == 0 {
		t.Error("no settle was acknowledged before a kill; the loop shows nothing")
	}
	t.Logf("%d kills, %d acknowledged writes, %d of them settles", rounds(t), len(all), settled)
}

// killOnce starts a writer, kills it at a random moment, and gives what it had acknowledged. In one
// of four rounds the moment is while it opens the books; else it is after so many writes.
func killOnce(t *testing.T, path, person, zone string, ahead time.Duration) (acks []ack) {
	t.Helper()
	cmd := child(t, "writer", "PERDIEM_CRASH_FILE="+path, "PERDIEM_CRASH_PERSON="+person,
		"PERDIEM_CRASH_AHEAD="+ahead.String(), "TZ="+zone)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = cmd.Process.Kill() }
	most := 1 + rand.N(300)
	if rand.N(4) == 0 {
		early := time.AfterFunc(rand.N(60*time.Millisecond), kill)
		defer early.Stop()
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var a ack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			break // cut off by the kill
		}
		if acks = append(acks, a); len(acks) == most {
			kill()
		}
		if len(acks) == 10_000 {
			t.Error("the writer does not die")
			kill()
		}
	}
	kill()
	if err := cmd.Wait(); cmd.ProcessState == nil || cmd.ProcessState.Exited() {
		t.Errorf("the writer ended by itself: %v", err)
	}
	return acks
}

func open(ctx context.Context, path string) (*sqlite.Store, error) {
	return sqlite.Open(ctx, sqlite.Options{
		Path: path, Migrations: []migrations.Set{{Name: "meter", Files: meter.SQLiteMigrations}},
	})
}

func addPerson(t *testing.T, path string) (id string) {
	t.Helper()
	ctx := t.Context()
	s, err := open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := meter.New(s, meter.Options{})
	p, err := m.AddPerson(ctx, "Ada", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetAllowance(ctx, meter.Allowance{Holder: meter.Holder{Kind: meter.ForEveryone}, Model: meter.AnyModel}); err != nil {
		t.Fatal(err)
	}
	return p.ID
}
