package e2e

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// The gateway is killed, as by a power cut, in the middle of twenty streams. Its next start ends each
// hold once and books what the provider had accepted; nothing is lost or left.
func TestKilledInTheMiddleOfStreams(t *testing.T) {
	const streams = 20
	upstream := fakeprovider.New(t)
	reply := fakeprovider.Chat{}.Answer(fakeprovider.Request{Model: "m", Stream: true})
	gate := fakeprovider.NewGate()
	twoWords := len(reply.Chunks[0].Data) + len(reply.Chunks[1].Data) + len(reply.Chunks[2].Data)
	upstream.On("m", reply.HoldAt(twoWords, gate).Always())

	p := harness.NewProgram(t)
	p.Run(nil, "provider", "add", harness.Provider, "--url", upstream.URL)
	p.Run(nil, "model", "add", "fake/m")
	p.Run(nil, "allow", "everyone", "fake/m", "--tokens", "1m")
	p.Run(nil, "rate", "everyone", "--requests", "none")
	var alice struct{ Pass string }
	p.Run(&alice, "person", "add", "alice")
	gateway, base := p.Serve()

	// Every caller must have seen the first words, so that the gateway is in the middle of them all.
	seen := make(chan struct{}, streams)
	var callers sync.WaitGroup
	for range streams {
		callers.Go(func() { readUntilBroken(t, base, alice.Pass, seen) })
	}
	gate.Await(t, streams)
	for range streams {
		<-seen
	}
	// What a caller has read is in the books already: there is nothing to wait for.
	if err := gateway.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = gateway.Wait() // it says that it was killed
	callers.Wait()
	upstream.AwaitEnded(streams)
	var before struct{ OpenHolds int }
	p.Run(&before, "verify")
	if before.OpenHolds != streams {
		t.Errorf("%d holds were open after the crash, want %d", before.OpenHolds, streams)
	}

	p.Serve()
	var after struct {
		Clean     bool
		OpenHolds int
	}
	p.Run(&after, "verify")
	if !after.Clean || after.OpenHolds != 0 {
		t.Errorf("after the restart: %+v", after)
	}
	ends := harness.Ends(t, p.Data)
	if len(ends) != streams {
		t.Errorf("%d ends in the ledger, want %d", len(ends), streams)
	}
	for _, end := range ends {
		// The provider had accepted: the prompt is booked, and as much of the reply as was noted.
		if end.Verb != "expire" || end.Provenance != "counted" || end.Input == 0 || end.Output > 3 {
			t.Errorf("a hold ended as %+v", end)
		}
	}
	harness.Books(t, p.Data, func(db *sql.DB) error {
		var said string
		if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&said); err != nil {
			return fmt.Errorf("checking the file: %w", err)
		}
		if said != "ok" {
			t.Errorf("integrity_check: %s", said)
		}
		return nil
	})
	var days []struct {
		Models []struct{ UsedRequests, HeldTokens int64 }
	}
	p.Run(&days, "usage", "alice")
	if len(days) != 1 || len(days[0].Models) != 1 || days[0].Models[0].UsedRequests != streams || days[0].Models[0].HeldTokens != 0 {
		t.Errorf("alice's day: %+v", days)
	}
}

// readUntilBroken reads a stream until its connection breaks, and tells when the second word came.
func readUntilBroken(t *testing.T, base, pass string, seen chan<- struct{}) {
	body := `{"model":"fake/m","stream":true,"messages":[{"role":"user","content":"Say a few words."}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/chat/completions", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	var got []byte
	told := false
	for piece := make([]byte, 4096); ; {
		n, err := res.Body.Read(piece)
		got = append(got, piece[:n]...)
		if !told && bytes.Count(got, []byte(" word")) == 2 {
			seen <- struct{}{}
			told = true
		}
		if err != nil {
			return
		}
	}
}
