package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// These faults take more than one reply to show; their numbers are those of shared/faults.md, too.

// send asks at a path under the gateway's root, with whatever method and headers.
func send(t *testing.T, h *harness.House, method, path, body string, head http.Header) harness.Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(h.URL, "/v1")+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header, req.Close = head.Clone(), true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	return harness.Answer{Status: res.StatusCode, Header: res.Header, Body: all, Err: err}
}

func bearer(pass string) http.Header { return http.Header{"Authorization": {"Bearer " + pass}} }

// asked is the body of a question at each path where models are asked.
var asked = map[string]string{
	"/v1/chat/completions": fault{}.asks(), messages: fault{path: messages}.asks(), respond: fault{path: respond}.asks(), gemini: fault{path: gemini}.asks(),
}

func readyHouse(t *testing.T, o harness.Options) (h *harness.House, pass string) {
	t.Helper()
	o.Models = append(o.Models, "m")
	h = harness.Start(t, o)
	h.NoRate()
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	return h, pass
}

func TestFault1And2LeftStreamsAreCountedByWhatWasDelivered(t *testing.T) {
	const words = 50
	for path, body := range asked {
		t.Run(path, func(t *testing.T) {
			h, pass := readyHouse(t, harness.Options{})
			never := fakeprovider.NewGate()
			h.Upstream.On("m", func(r fakeprovider.Request) fakeprovider.Reply {
				reply := fakeprovider.Chat{Words: words, NoFinish: true}.Answer(r)
				return reply.HoldAt(len(reply.Bytes())-1, never) // the last event is not whole
			})
			if path == gemini {
				path = geminiSSE
			} else {
				body = strings.TrimSuffix(body, "}") + `,"stream":true}`
			}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			// They leave when they have seen the last word but one.
			seen := &counting{word: " word", want: words - 1, then: leave}
			answer := h.AskWatching(ctx, pass, harness.Question{Path: path, Body: body}, seen.look)
			if answer.Err == nil {
				t.Fatal("the caller did not leave")
			}
			h.AtRest()
			ends := harness.Ends(t, h.Data)
			if len(ends) != 1 || ends[0].Verb != "settle" || ends[0].Provenance != "counted" {
				t.Fatalf("the ledger says %+v", ends)
			}
			wantCounted(t, ends[0].Output, words-1)
		})
	}
}

// counting calls then once, when a word has been seen often enough.
type counting struct {
	word string
	want int
	then func()
}

func (c *counting) look(body []byte) {
	if bytes.Count(body, []byte(c.word)) >= c.want {
		c.then()
	}
}

func TestFault26ListingModelsIsFree(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	for range 75 {
		send(t, h, http.MethodGet, "/v1/models", "", bearer(pass)).WantStatus(t, 200)
	}
	if booked := h.Booked(); booked != (meter.Totals{}) {
		t.Errorf("booked %+v", booked)
	}
}

func TestFault27CountingTokensIsAnsweredAndFree(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	body := `{"model":"fake/m","system":"Be brief.","tools":[{"name":"look_up","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"Hi"}]}`
	const path = "/v1/messages/count_tokens?beta=true"
	if a := send(t, h, http.MethodPost, path, body, bearer(pass)); a.Status != 200 || string(a.Body) != `{"input_tokens":9}` {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	send(t, h, http.MethodPost, path, body, bearer("pdm_nobody")).WantStatus(t, 401)
	h.AtRest()
	if booked := h.Booked(); booked.Requests != 0 || booked.Tokens != 0 {
		t.Errorf("booked %+v", booked)
	}
	if got := h.Upstream.Requests(); len(got) != 1 || got[0].Query != "beta=true" || !strings.Contains(string(got[0].Body), "Be brief.") {
		t.Errorf("the provider was asked %+v", got)
	}
}

// What keeps a silent stream alive stands between events, never inside one.
func TestFault57KeepAlivesLeaveEventsWhole(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{Limits: gateway.Limits{Silence: 10 * time.Millisecond}})
	gate := fakeprovider.NewGate()
	asked := fakeprovider.Request{Wire: "anthropic", Model: "m", Stream: true, Path: messages}
	reply := fakeprovider.Chat{}.Answer(asked)
	place := len(reply.Chunks[0].Data) + len(reply.Chunks[1].Data) + len(reply.Chunks[2].Data)/2
	h.Upstream.On("m", reply.HoldAt(place, gate).Always())
	const ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
	began := "content_block_start" // relayed before the provider fell silent; a ping after it opens the gate
	answer := h.AskWatching(t.Context(), pass, harness.Question{Path: messages, Body: fault{path: messages, body: streams}.asks()}, func(body []byte) {
		if _, after, ok := bytes.Cut(body, []byte(began)); ok && bytes.Contains(after, []byte(ping)) {
			gate.Open()
		}
	})
	if !bytes.Contains(answer.Body, []byte(ping)) {
		t.Error("the stream was not kept alive")
	}
	if got := bytes.ReplaceAll(answer.Body, []byte(ping), nil); !bytes.Equal(got, reply.Bytes()) {
		t.Errorf("other bytes came than the provider sent:\n%s", firstDifference(got, reply.Bytes()))
	}
	h.AtRest()
}

// After an event with an id, OpenAI's Python SDK takes a bare newline for an event.
func TestFault55KeepAlivesAfterAnIDAreComments(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{Limits: gateway.Limits{Silence: 10 * time.Millisecond}})
	gate := fakeprovider.NewGate()
	first := "id: 1\n" + word("one", "") + "\n\n"
	reply := fakeprovider.Body(200, "text/event-stream", first+stopWord+"\n\n"+usageOf5+"\n\n"+doneEvent+"\n\n")
	h.Upstream.On("m", reply.HoldAt(len(first), gate).Always())
	const alive = "\n\n:\n:\n"
	answer := h.AskWatching(t.Context(), pass, harness.Question{Body: fault{body: andUsage}.asks()}, func(body []byte) {
		if bytes.Contains(body, []byte(alive)) {
			gate.Open()
		}
	})
	_, after, _ := bytes.Cut(answer.Body, []byte("id: 1"))
	if bytes.Contains(after, []byte("\n\n\n")) || !bytes.HasSuffix(answer.Body, []byte(doneEvent+"\n\n")) {
		t.Errorf("got %q", answer.Body)
	}
	h.AtRest()
}

// Every chunk is with the caller before the provider sends the next.
func TestFault63And64EventsAreFlushedAtOnce(t *testing.T) {
	for path, body := range asked {
		t.Run(path, func(t *testing.T) {
			h, pass := readyHouse(t, harness.Options{})
			gate := fakeprovider.NewGate()
			h.Upstream.On("m", func(r fakeprovider.Request) fakeprovider.Reply {
				reply := fakeprovider.Chat{}.Answer(r)
				place := bytes.LastIndex(reply.Bytes(), []byte(" word")) // inside the event of the last one
				return reply.HoldAt(place, gate)
			})
			if path == gemini {
				path = geminiSSE
			} else {
				body = strings.TrimSuffix(body, "}") + `,"stream":true}`
			}
			seen := &counting{word: " word", want: 4, then: gate.Open} // else both sides wait, and the test runs out of time
			if path == respond {
				seen.want = 8 // its text is repeated at the end
			}
			answer := h.AskWatching(t.Context(), pass, harness.Question{Path: path, Body: body}, seen.look)
			if answer.Err != nil || answer.Status != 200 {
				t.Errorf("%d %v", answer.Status, answer.Err)
			}
			h.AtRest()
		})
	}
}

// A caller's maximum bounds the hold, by whatever name their dialect has for it.
func TestFault80HoldsReadEveryNameOfTheMaximum(t *testing.T) {
	h, _ := readyHouse(t, harness.Options{Models: []string{"a", "b", "c", "d"}})
	var held []int64
	for model, q := range map[string]harness.Question{
		"fake/a": {Body: `,"max_tokens":40`}, "fake/b": {Body: `,"max_completion_tokens":40`},
		"fake/c": {Path: respond, Body: `,"max_output_tokens":40`}, "fake/d": {Path: "/v1beta/models/fake/d:generateContent", Body: `,"generationConfig":{"maxOutputTokens":40}`},
	} {
		q.Body = strings.ReplaceAll(fault{path: q.Path, body: q.Body}.asks(), "fake/m", model)
		needs := h.Needs(model, q)
		if needs <= 40 || needs > 80 {
			t.Errorf("%s holds %d tokens for a reply of at most 40", model, needs)
		}
		held = append(held, needs)
	}
	t.Logf("held: %v", held)
}
