package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// bomb is ten gigabytes of blanks behind a text, as some ten megabytes of gzip.
func bomb(t *testing.T, begins string) string {
	t.Helper()
	pack := func(from io.Reader) string {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err == nil {
			_, err = io.Copy(w, from)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const piece, pieces = 64 << 20, 160
	return pack(strings.NewReader(begins)) + strings.Repeat(pack(io.LimitReader(blanks{}, piece)), pieces)
}

type blanks struct{}

func (blanks) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// allocated is how many bytes were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestAProviderCannotFillTheMemory(t *testing.T) {
	const most = 1 << 30 // what reading up to the bounds may allocate in all, of ten times as much
	for name, c := range map[string]struct {
		body, kind, begins string
		status, answers    int
		shows              string
		end                string
	}{
		"a bomb as a reply":       {kind: "application/json", begins: `{"choices":[{"message":{"content":"one two"}}],"x":"`, status: 200, answers: 502, shows: "larger than this gateway takes", end: "settle held"},
		"a bomb as an error":      {kind: "application/json", begins: `{"error":{"message":"no"}}`, status: 500, answers: 500, shows: `"no"`, end: "release "},
		"a bomb in an event":      {body: streams, kind: "text/event-stream", begins: word("one two", "") + "\n\ndata: ", status: 200, answers: 200, shows: `{"error":`, end: "settle counted"},
		"a bomb where none was":   {kind: "text/event-stream", begins: word("one two", "") + "\n\ndata: ", status: 200, answers: 502, shows: `"error"`, end: "settle counted"},
		"a bomb as a page":        {kind: "text/html", begins: "<html>", status: 200, answers: 502, shows: `"error"`, end: "settle held"},
		"a bomb for a stream":     {body: streams, kind: "application/json", begins: `{"choices":[`, status: 200, answers: 502, shows: `"error"`, end: "settle held"},
		"a bomb in a failed call": {body: streams, kind: "text/event-stream", begins: "data: ", status: 429, answers: 429, end: "release "},
	} {
		t.Run(name, func(t *testing.T) {
			h, pass := readyHouse(t, harness.Options{Limits: gateway.Limits{Silence: time.Hour}})
			h.Upstream.Next(encoded(fakeprovider.Body(c.status, c.kind, bomb(t, c.begins)), "gzip").Always())
			before := allocated()
			a := h.Ask(pass, "fake/m", harness.Question{Body: fault{body: c.body}.asks()})
			if got := allocated() - before; got > most {
				t.Errorf("%d MB were allocated", got>>20)
			}
			if a.Status != c.answers || !strings.Contains(string(a.Body), c.shows) {
				t.Errorf("status %d, want %d: %.300s", a.Status, c.answers, a.Body)
			}
			h.AtRest()
			ends := harness.Ends(t, h.Data)
			if len(ends) != 1 || ends[0].Verb+" "+ends[0].Provenance != c.end {
				t.Errorf("booked as %+v, want %q", ends, c.end)
			}
		})
	}
}

func TestAnEndlessStreamEndsAtTheDeadline(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{Limits: gateway.Limits{Deadline: 300 * time.Millisecond}})
	h.Upstream.On("m", fakeprovider.Chat{Endless: true}.Answer)
	a := h.Ask(pass, "fake/m", harness.Question{Stream: true})
	if !strings.Contains(string(a.Body), `"deadline"`) {
		t.Errorf("ended without a word: %.300s", a.Body[max(len(a.Body)-300, 0):])
	}
	h.Upstream.AwaitEnded(1)
	h.AtRest()
	ends := harness.Ends(t, h.Data)
	if len(ends) != 1 || ends[0].Verb != "settle" || ends[0].Provenance != "counted" {
		t.Fatalf("booked as %+v", ends)
	}
	said := int64(bytes.Count(a.Body, []byte(" word")))
	wantCounted(t, ends[0].Output, said)
	if served := h.Upstream.Served()[fakeprovider.Left]; said == 0 || served.Output < said { // what was on its way is nobody's
		t.Errorf("the caller got %d tokens of %+v", said, served)
	}
}

// Where a provider sends the gateway elsewhere, neither key nor question follow.
func TestARedirectIsNotFollowed(t *testing.T) {
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	h, pass := readyHouse(t, harness.Options{})
	for _, status := range []int{301, 302, 303, 307, 308} {
		reply := fakeprovider.Redirect(elsewhere.URL)
		reply.Status = status
		h.Upstream.Next(reply.Always())
		a := h.Ask(pass, "fake/m", harness.Question{})
		if a.Status != http.StatusBadGateway || a.Header.Get("Location") != "" {
			t.Errorf("%d: status %d %v", status, a.Status, a.Header)
		}
	}
	if followed.Load() != 0 {
		t.Errorf("%d were followed", followed.Load())
	}
	h.AtRest()
	if got := h.Booked(); got.Requests != 0 {
		t.Errorf("booked %+v", got)
	}
}

func TestAProviderThatCannotProveItsNameGetsNoKey(t *testing.T) {
	var heard atomic.Int64
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) })
	unknown, plain := httptest.NewTLSServer(handler), httptest.NewServer(handler)
	t.Cleanup(unknown.Close)
	t.Cleanup(plain.Close)
	for base, words := range map[string]string{unknown.URL: "certificate is not trusted", strings.Replace(plain.URL, "http:", "https:", 1): "the connection failed"} {
		h, pass := readyHouse(t, harness.Options{BaseURL: base})
		a := h.Ask(pass, "fake/m", harness.Question{})
		if a.Status != http.StatusBadGateway || !strings.Contains(string(a.Body), words) || strings.Contains(string(a.Body), "127.0.0.1") {
			t.Errorf("%s: status %d %s", base, a.Status, a.Body)
		}
		h.AtRest()
		if got := h.Booked(); got.Requests != 0 {
			t.Errorf("booked %+v", got)
		}
	}
	if heard.Load() != 0 {
		t.Error("a provider was asked that did not prove its name")
	}
}
