package gateway

import (
	"net/http"
	"testing"
)

func TestOnlyThisMachineIsToldWhatWasMeasured(t *testing.T) {
	for from, here := range map[string]bool{
		"127.0.0.1:5": true, "127.9.9.9:5": true, "[::1]:5": true, "[::ffff:127.0.0.1]:5": true,
		"192.168.1.20:5": false, "[fe80::1%eth0]:5": false, "10.0.0.1:5": false, "localhost:5": false, "": false,
	} {
		if got := fromHere(&http.Request{RemoteAddr: from}); got != here {
			t.Errorf("%q: %v", from, got)
		}
	}
}
