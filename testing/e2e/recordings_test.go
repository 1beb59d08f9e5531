package e2e

import (
	"bytes"
	"net/http"
	"sync"
	"testing"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// Every reply recorded from a vendor goes through the whole gateway in its own dialect: it reaches the
// caller byte for byte, and is booked at its known figures.
func TestRecordingsAreRelayedWholeAndBookedExactly(t *testing.T) {
	h := harness.Start(t, harness.Options{})
	h.NoRate()
	p, pass := h.Person("alice")
	h.Allow(p, meter.AnyModel, nil, nil)
	for _, wire := range []string{"openai-chat", "openai-responses", "anthropic", "gemini"} {
		for _, r := range fakeprovider.Recordings(t, wire) {
			t.Run(r.File, func(t *testing.T) {
				h.Model(r.Model)
				before := h.Booked()
				answer := h.Ask(pass, "fake/"+r.Model, questionOf(r))
				answer.WantStatus(t, http.StatusOK)
				if !bytes.Equal(answer.Body, r.Body) {
					t.Errorf("other bytes came than the vendor sent:\n%s", firstDifference(answer.Body, r.Body))
				}
				h.AtRest()
				after := h.Booked()
				if in, out := after.InputTokens-before.InputTokens, after.OutputTokens-before.OutputTokens; in != r.Input || out != r.Output {
					t.Errorf("booked %d + %d, want %d + %d", in, out, r.Input, r.Output)
				}
			})
		}
	}
}

// questionOf asks for a recording, at the address of its wire.
func questionOf(r fakeprovider.Recording) harness.Question {
	stream := ""
	if r.Stream {
		stream = `,"stream":true`
	}
	model := "fake/" + r.Model
	switch r.Wire {
	case "openai-responses":
		return harness.Question{Path: "/v1/responses", Body: `{"model":"` + model + `","input":"Say a few words."` + stream + `}`}
	case "anthropic":
		return harness.Question{Path: "/v1/messages", Body: `{"model":"` + model + `","max_tokens":1000,"messages":[{"role":"user","content":"Say a few words."}]` + stream + `}`}
	case "gemini":
		method := "generateContent"
		if r.Stream {
			method = "streamGenerateContent?alt=sse"
		}
		return harness.Question{Path: "/v1beta/models/" + model + ":" + method, Body: `{"contents":[{"role":"user","parts":[{"text":"Say a few words."}]}]}`}
	default:
		return harness.Question{Stream: r.Stream, Usage: r.Stream}
	}
}

// A stream that the network cuts into two pieces is the same stream. Cut are all places of the last
// events, where the usage is, and places spread over the rest; the wire's own tests cut everywhere.
func TestCutStreamsAreBookedTheSame(t *testing.T) {
	for _, r := range fakeprovider.Recordings(t, "openai-chat") {
		if !r.Stream {
			continue
		}
		t.Run(r.File, func(t *testing.T) {
			t.Parallel()
			h := harness.Start(t, harness.Options{Models: []string{r.Model}})
			h.NoRate()
			p, pass := h.Person("alice")
			h.Allow(p, meter.AnyModel, nil, nil)
			places := cuts(r.Body)
			var pieces []fakeprovider.Answer
			for _, at := range places {
				open := fakeprovider.NewGate() // each piece is flushed for itself, and nothing waits
				open.Open()
				pieces = append(pieces, r.Reply().HoldAt(at, open).Always())
			}
			h.Upstream.Next(pieces...)

			const together = 8
			var callers sync.WaitGroup
			left := make(chan struct{}, len(places))
			for range places {
				left <- struct{}{}
			}
			close(left)
			for range together {
				callers.Go(func() {
					for range left {
						answer := h.Ask(pass, "fake/"+r.Model, harness.Question{Stream: true, Usage: true})
						if !bytes.Equal(answer.Body, r.Body) {
							t.Errorf("other bytes came:\n%s", firstDifference(answer.Body, r.Body))
						}
					}
				})
			}
			callers.Wait()
			h.AtRest()
			ends := harness.Ends(t, h.Data)
			if len(ends) != len(places) {
				t.Errorf("%d calls ended %d times", len(places), len(ends))
			}
			want := harness.End{Verb: "settle", Provenance: "reported", Input: r.Input, Output: r.Output}
			for _, end := range ends {
				if end != want {
					t.Fatalf("the ledger says %+v, want %+v", end, want)
				}
			}
		})
	}
}

// cuts are the places to cut a stream at: all in its last two events, and some thirty before.
func cuts(body []byte) []int {
	last := len(body)
	for range 3 {
		last = max(0, bytes.LastIndex(body[:last], []byte("\n\n")))
	}
	var at []int
	for i := 1; i < last; i += max(1, last/30) {
		at = append(at, i)
	}
	for i := max(1, last); i < len(body); i++ {
		at = append(at, i)
	}
	return at
}

// firstDifference shows where two bodies part.
func firstDifference(got, want []byte) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	show := func(b []byte) string { return string(b[max(0, i-40):min(len(b), i+80)]) }
	return "got  …" + show(got) + "\nwant …" + show(want)
}
