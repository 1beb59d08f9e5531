package e2e

import (
	"errors"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"perdiem/testing/harness"
)

// perdiem serve 2>&1 | tee log: when the reader of the log is gone first, the gateway still serves, and ends in order.
func TestAGatewayOutlivesWhoReadsItsLog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signal tells of a broken pipe here")
	}
	p := harness.NewProgram(t)
	reader, log, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Log = log
	gateway, base := p.Serve()
	if err := errors.Join(reader.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		res, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(`{"model":"fake/m"}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode < 400 {
			t.Errorf("status %d, %v", res.StatusCode, err)
		}
	}
	stopsPolitely(t, gateway)
}
