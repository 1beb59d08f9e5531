// Package lan has a gateway found from another machine: the two stand in network namespaces of their
// own, joined by a cable.
package lan

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machines makes two network namespaces, joined by a pair of interfaces.
func machines(t *testing.T) (owner, teammate string) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Skip("network namespaces want root, and the command ip of iproute2")
	}
	owner, teammate = "perdiem-owner", "perdiem-mate"
	ip := func(args string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{owner, teammate} {
		ip("netns add " + name)
		t.Cleanup(func() { _ = exec.CommandContext(context.WithoutCancel(t.Context()), "ip", "netns", "del", name).Run() })
	}
	ip("link add pd-owner netns " + owner + " type veth peer name pd-mate netns " + teammate)
	for name, end := range map[string]string{owner: "pd-owner 10.77.0.1/24", teammate: "pd-mate 10.77.0.2/24"} {
		device, address, _ := strings.Cut(end, " ")
		ip("-n " + name + " addr add " + address + " dev " + device)
		ip("-n " + name + " link set " + device + " up")
		ip("-n " + name + " link set lo up")
	}
	return owner, teammate
}

// built builds the real program.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "perdiem")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "perdiem")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return path
}

// serve starts a gateway in a namespace, waits until it serves, and returns what ends it.
func serve(t *testing.T, program, namespace string, args ...string) (stop func()) {
	t.Helper()
	args = append([]string{"netns", "exec", namespace, program, "serve", "--json", "--listen", ":7427", "--data", t.TempDir()}, args...)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "ip", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("it does not serve: %s %v\n%s", line, err, &errs)
	}
	return func() { cancel(); _ = cmd.Wait() }
}

type gateway struct{ Name, URL string }

func find(t *testing.T, program, namespace string) []gateway {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", namespace, program, "find", "--wait", "1s", "--json", "--data", t.TempDir())
	out, err := cmd.Output()
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
	owner, teammate := machines(t)
	program := built(t)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	awaitFound := func(want gateway) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second) // it is announced a moment after it serves
		for found := find(t, program, teammate); len(found) != 1 || found[0] != want; found = find(t, program, teammate) {
			if time.Now().After(deadline) {
				t.Fatalf("found %+v", found)
			}
		}
	}
	stop := serve(t, program, owner)
	awaitFound(gateway{name, "http://10.77.0.1:7427/v1"})
	stop()
	if found := find(t, program, teammate); len(found) != 0 {
		t.Errorf("after its end: %+v", found)
	}

	t.Setenv("PERDIEM_PASSPHRASE", "a long passphrase of the owner's")
	stop = serve(t, program, owner, "--https")
	awaitFound(gateway{name, "https://10.77.0.1:7427/v1"})
	stop()

	stop = serve(t, program, owner, "--quiet")
	defer stop()
	if found := find(t, program, teammate); len(found) != 0 {
		t.Errorf("it was to be quiet: %+v", found)
	}
}
