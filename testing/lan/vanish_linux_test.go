package lan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"perdiem/gateway/peer"
	"perdiem/testing/harness"
	"perdiem/testing/netns"
)

// vendor is a provider on a machine.
func vendor(t *testing.T, on netns.Machine, host string, answer http.HandlerFunc) (url string) {
	t.Helper()
	l, err := on.Listen(t.Context(), &net.ListenConfig{}, host)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(answer)
	_ = s.Listener.Close() // it is on this machine
	s.Listener = l
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections() // it does not know that somebody vanished
		s.Close()
	})
	return s.URL + "/v1"
}

// Where a machine vanishes without a word, the call ends long before its deadline: the caller of a provider that is
// gone is told, and what a caller who is gone had asked for is cut off at its provider.
func TestWhoVanishesIsGivenUpInAMinute(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the minute that it takes")
	}
	t.Parallel()
	owner, far := netns.Pair(t)
	asked, cut := make(chan struct{}, 2), make(chan struct{})
	silent := vendor(t, far, far.Address, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then, a server does not notice that its caller left
		asked <- struct{}{}
		<-r.Context().Done()
	})
	talking := vendor(t, owner, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		defer close(cut)
		w.Header().Set("Content-Type", "text/event-stream")
		asked <- struct{}{}
		pace := time.NewTicker(time.Second)
		defer pace.Stop()
		for r.Context().Err() == nil {
			_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":" word"}}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-pace.C:
			case <-r.Context().Done():
			}
		}
	})
	p := harness.NewProgram(t)
	for name, url := range map[string]string{"silent": silent, "talking": talking} {
		p.Run(nil, "provider", "add", name, "--url", url)
		p.Run(nil, "model", "add", name+"/m")
	}
	var ada struct{ Pass string }
	p.Run(&ada, "person", "add", "Ada")
	p.Run(nil, "allow", "Ada", "*", "--requests", "10")
	serve(t, owner, p, "--quiet")

	call := func(from netns.Machine, method, path, body string) (*http.Response, error) {
		client := &http.Client{Transport: &http.Transport{DialContext: from.Dialer(&net.Dialer{}), DisableKeepAlives: true}}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+owner.Address+":7427/v1"+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+ada.Pass)
		return client.Do(req)
	}
	ask := func(from netns.Machine, body string) (*http.Response, error) {
		return call(from, http.MethodPost, "/chat/completions", body)
	}
	near := make(chan error, 1)
	go func() {
		res, err := ask(owner, `{"model":"silent/m","messages":[{"role":"user","content":"Hi"}]}`)
		if err == nil && res.StatusCode != http.StatusBadGateway {
			err = fmt.Errorf("status %d", res.StatusCode)
		}
		near <- err
	}()
	stream, err := ask(far, `{"model":"talking/m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %+v, %v", stream, err)
	}
	t.Cleanup(func() { _ = stream.Body.Close() })
	if _, err := io.ReadFull(stream.Body, make([]byte, len("data: "))); err != nil {
		t.Fatal(err)
	}
	<-asked
	<-asked

	far.VanishFor(t, owner)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 2*peer.Patience)
	defer cancel()
	select {
	case err := <-near:
		if t.Logf("the provider was given up after %v", time.Since(began)); err != nil {
			t.Errorf("the caller of a provider that vanished: %v", err)
		}
	case <-ctx.Done():
		t.Error("the caller of a provider that vanished waits")
	}
	select {
	case <-cut:
		t.Logf("the caller was given up after %v", time.Since(began))
	case <-ctx.Done():
		t.Error("the caller who vanished is still streamed to")
	}
	type standing struct {
		ModelID                                  string
		UsedRequests, HeldRequests, OutputTokens int64
	}
	standings := func() map[string]standing {
		var usage struct{ Models []standing }
		res, err := call(owner, http.MethodGet, "/usage", "")
		if err == nil {
			err = errors.Join(json.NewDecoder(res.Body).Decode(&usage), res.Body.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]standing{}
		for _, s := range usage.Models {
			all[s.ModelID] = s
		}
		return all
	}
	all := standings()
	for ctx.Err() == nil && all["talking/m"].HeldRequests > 0 { // it is settled a moment after its provider is let go
		all = standings()
	}
	if s := all["talking/m"]; s.HeldRequests != 0 || s.UsedRequests != 1 || s.OutputTokens == 0 {
		t.Errorf("the stream stands as %+v", s)
	}
	if s := all["silent/m"]; s.HeldRequests != 0 || s.UsedRequests != 0 {
		t.Errorf("what was never answered stands as %+v", s)
	}
}
