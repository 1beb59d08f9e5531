// Package lan has a gateway called, and found, from another machine.
package lan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"perdiem/testing/harness"
	"perdiem/testing/netns"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBuilt()
	os.Exit(code)
}

// serve starts a gateway on a machine, waits until it serves, and returns what ends it.
func serve(t *testing.T, on netns.Machine, p *harness.Program, args ...string) (stop func()) {
	t.Helper()
	cmd := on.Command(p.Command(append([]string{"serve", "--json", "--listen", ":7427"}, args...)...))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { _, _ = cmd.Process.Signal(os.Interrupt), cmd.Wait() })
	t.Cleanup(stop)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("it does not serve: %s %v\n%s", line, err, &errs)
	}
	return stop
}

type gateway struct{ Name, URL string }

func find(t *testing.T, from netns.Machine) []gateway {
	t.Helper()
	out, err := from.Command(harness.NewProgram(t).Command("find", "--wait", "1s", "--json")).Output()
	if err != nil {
		t.Fatalf("find: %v", err)
	}
	var found []gateway
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return found
}

func TestAGatewayIsFoundFromAnotherMachine(t *testing.T) {
	t.Parallel()
	owner, teammate := netns.Pair(t)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	awaitFound := func(want gateway) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second) // it is announced a moment after it serves
		for found := find(t, teammate); len(found) != 1 || found[0] != want; found = find(t, teammate) {
			if time.Now().After(deadline) {
				t.Fatalf("found %+v", found)
			}
		}
	}
	stop := serve(t, owner, harness.NewProgram(t))
	awaitFound(gateway{name, "http://10.77.0.1:7427/v1"})
	stop()
	if found := find(t, teammate); len(found) != 0 {
		t.Errorf("after its end: %+v", found)
	}

	encrypted := harness.NewProgram(t)
	encrypted.Env = []string{"PERDIEM_PASSPHRASE=a long passphrase of the owner's"}
	stop = serve(t, owner, encrypted, "--https")
	awaitFound(gateway{name, "https://10.77.0.1:7427/v1"})
	stop()

	serve(t, owner, harness.NewProgram(t), "--quiet")
	if found := find(t, teammate); len(found) != 0 {
		t.Errorf("it was to be quiet: %+v", found)
	}
}
