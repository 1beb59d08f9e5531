package e2e

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"perdiem/testing/harness"
)

// What is started under nohup goes on when its terminal is closed; what is not ends in order.
func TestNohupOutlivesItsTerminal(t *testing.T) {
	p := harness.NewProgram(t)
	for _, nohup := range []bool{false, true} {
		t.Run(fmt.Sprintf("nohup is %v", nohup), func(t *testing.T) {
			if nohup { // it ignores the signal, and so does what it starts
				signal.Ignore(syscall.SIGHUP)
			} else { // and this test may itself be run by it
				signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
			}
			t.Cleanup(func() { signal.Reset(syscall.SIGHUP) })
			gateway, _ := p.Serve()
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", gateway.Process.Pid))
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(status), "SigIgn:")
			signals, err := strconv.ParseUint(strings.Fields(rest)[0], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			if ignored := signals>>(syscall.SIGHUP-1)&1 == 1; ignored != nohup {
				t.Errorf("ignores that the terminal was closed: %v", ignored)
			}
			stopsPolitely(t, gateway)
		})
	}
}
