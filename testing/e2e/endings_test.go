package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"perdiem/gateway"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// An ending is one way in which a call comes to its end, and what the books must say of it.
type ending struct {
	name  string
	setup harness.Options
	reply fakeprovider.Answer
	ask   harness.Question
	leave string // what the caller sees before they go away, if they do

	status int      // 0 if the caller is not there to see one, or the connection broke
	shows  []string // what the answer holds
	end    string   // verb and provenance in the ledger
	input  int64    // booked; -1 is our own estimate of the prompt
	output int64
	served fakeprovider.Ending // how the provider saw it end; "" if it was not reached
}

// Whatever happens to a call, nothing stays held, its hold ends just once, and what is booked is
// what the provider served.
func TestEveryEndingIsBookedOnceAndRight(t *testing.T) {
	chat := fakeprovider.Chat{}
	streamed, whole := harness.Question{Stream: true}, harness.Question{}
	asked := fakeprovider.Request{Model: "m", Stream: true, IncludeUsage: true}
	// In the middle of the third word: two were delivered.
	place := 10
	for _, c := range chat.Answer(asked).Chunks[:3] {
		place += len(c.Data)
	}
	all := len(chat.Answer(asked).Bytes())
	soon := harness.Options{Limits: gateway.Limits{Deadline: 300 * time.Millisecond, AfterDone: 100 * time.Millisecond}}
	never := fakeprovider.NewGate()

	secondWord := string(chat.Answer(asked).Chunks[2].Data)
	cases := []ending{
		{name: "stream", ask: streamed, reply: chat.Answer, status: 200, shows: []string{"data: [DONE]"}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Whole},
		{name: "one body", ask: whole, reply: chat.Answer, status: 200, shows: []string{`"total_tokens":14`}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Whole},
		{name: "gzip", ask: streamed, reply: func(r fakeprovider.Request) fakeprovider.Reply { return chat.Answer(r).Gzip() }, status: 200, shows: []string{"data: [DONE]"}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Whole},
		{name: "one body for a stream", ask: streamed, reply: fakeprovider.Chat{OneBody: true}.Answer, status: 200, shows: []string{"data: {", "data: [DONE]"}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Whole},
		{name: "no [DONE]", ask: streamed, reply: fakeprovider.Chat{NoDone: true}.Answer, status: 200, shows: []string{`"stop"`}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Whole},
		{name: "finished and left open", setup: soon, ask: streamed, reply: chat.Answer(asked).HangAt(all).Always(), status: 200, shows: []string{"data: [DONE]"}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Left},

		{name: "no usage in a stream", ask: streamed, reply: fakeprovider.Chat{NoUsage: true}.Answer, status: 200, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},
		{name: "no usage in a body", ask: whole, reply: fakeprovider.Chat{NoUsage: true}.Answer, status: 200, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},
		{name: "negative usage", ask: streamed, reply: fakeprovider.Chat{Usage: []byte(`{"prompt_tokens":-1000000,"completion_tokens":-1000000}`)}.Answer, status: 200, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},
		{name: "absurd usage", ask: whole, reply: fakeprovider.Chat{Usage: []byte(`{"prompt_tokens":1e18,"completion_tokens":1e18}`)}.Answer, status: 200, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},
		{name: "usage of another type", ask: streamed, reply: fakeprovider.Chat{Usage: []byte(`"oops"`)}.Answer, status: 200, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},

		{name: "400", ask: streamed, reply: fakeprovider.Error(400, "bad", "no such parameter").Always(), status: 400, shows: []string{"no such parameter"}, end: "release ", served: fakeprovider.Whole},
		{name: "401", ask: streamed, reply: fakeprovider.EchoKey("Bearer " + fakeprovider.Key).Always(), status: 401, shows: []string{"Incorrect API key provided"}, end: "release ", served: fakeprovider.Whole},
		{name: "429", ask: streamed, reply: fakeprovider.Error(429, "rate_limit_exceeded", "slow down", "Retry-After", "30").Always(), status: 429, shows: []string{"slow down"}, end: "release ", served: fakeprovider.Whole},
		{name: "500", ask: whole, reply: fakeprovider.Error(500, "server_error", "sorry").Always(), status: 500, shows: []string{"sorry"}, end: "release ", served: fakeprovider.Whole},
		{name: "redirect", ask: whole, reply: fakeprovider.Redirect("http://127.0.0.1:1/").Always(), status: 502, end: "release ", served: fakeprovider.Whole},
		{name: "upgrade that nobody asked for", ask: whole, reply: fakeprovider.Body(101, "text/plain", "").Always(), status: 502, end: "release "},
		{name: "status that is none", ask: whole, reply: fakeprovider.Body(999, "application/json", `{"error":{"message":"no"}}`).Always(), status: 502, end: "release "},
		{name: "500 without a word", ask: whole, reply: fakeprovider.Body(500, "text/plain", "").Always(), status: 500, shows: []string{`{"error":{"message":"`}, end: "release ", served: fakeprovider.Whole},
		{name: "events for one body, left open", setup: soon, ask: whole, reply: chat.Answer(asked).HangAt(all - len("data: [DONE]\n\n")).Always(), status: 200, shows: []string{`"finish_reason":"stop"`}, end: "settle reported", input: 9, output: 5, served: fakeprovider.Left},
		{name: "200 with HTML to a stream", ask: streamed, reply: fakeprovider.HTML(200).Always(), status: 502, end: "release ", served: fakeprovider.Whole},
		{name: "200 with HTML to one body", ask: whole, reply: fakeprovider.HTML(200).Always(), status: 502, end: "release ", served: fakeprovider.Whole},
		{name: "error event alone", ask: streamed, reply: fakeprovider.Chat{ErrorInstead: "overloaded"}.Answer, status: 200, shows: []string{`data: {"error":{`, "overloaded"}, end: "release ", served: fakeprovider.Whole},

		{name: "refused connection", setup: harness.Options{BaseURL: fakeprovider.RefusedURL(t)}, ask: streamed, status: 502, end: "release "},
		{name: "unknown host", setup: harness.Options{BaseURL: fakeprovider.UnknownHostURL}, ask: whole, status: 502, end: "release "},
		{name: "reset before a reply", ask: streamed, reply: chat.Answer(asked).ResetAt(fakeprovider.BeforeHeader).Always(), status: 502, end: "release ", served: fakeprovider.Reset},
		{name: "reset in a stream", ask: streamed, reply: chat.Answer(asked).ResetAt(place).Always(), status: 200, shows: []string{`data: {"error":{`}, end: "settle counted", input: -1, output: 2, served: fakeprovider.Reset},
		{name: "cut in a stream", ask: streamed, reply: chat.Answer(asked).CutAt(place).Always(), status: 200, shows: []string{`data: {"error":{`}, end: "settle counted", input: -1, output: 2, served: fakeprovider.Cut},
		{name: "no finish", ask: streamed, reply: fakeprovider.Chat{NoFinish: true}.Answer, status: 200, shows: []string{`data: {"error":{`}, end: "settle counted", input: -1, output: 5, served: fakeprovider.Whole},
		{name: "cut in a body", ask: whole, reply: func(r fakeprovider.Request) fakeprovider.Reply { return chat.Answer(r).CutAt(40) }, status: 502, end: "release ", served: fakeprovider.Cut},

		{name: "caller leaves a stream", ask: streamed, reply: chat.Answer(asked).HoldAt(place, never).Always(), leave: secondWord, end: "settle counted", input: -1, output: 2, served: fakeprovider.Left},
		{name: "deadline of a stream", setup: soon, ask: streamed, reply: chat.Answer(asked).HangAt(place).Always(), status: 200, shows: []string{`data: {"error":{`}, end: "settle counted", input: -1, output: 2, served: fakeprovider.Left},
		{name: "deadline of one body", setup: soon, ask: harness.Question{MaxTokens: 77}, reply: chat.Answer(asked).HangAt(fakeprovider.BeforeHeader).Always(), status: 504, end: "settle held", input: -1, output: 77, served: fakeprovider.Left},
		{name: "panic before a reply", setup: panicking(0), ask: streamed, reply: chat.Answer, status: 500, end: "release "},
		{name: "panic in a stream", setup: panicking(place), ask: streamed, reply: chat.Answer, end: "settle counted", input: -1, output: 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c ending) run(t *testing.T) {
	c.setup.Models = []string{"m"}
	h := harness.Start(t, c.setup)
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	if c.reply != nil {
		h.Upstream.On("m", c.reply)
	}
	var answer harness.Answer
	if c.leave != "" {
		ctx, leave := context.WithCancel(t.Context())
		answer = h.AskSeeing(ctx, pass, "fake/m", c.ask, c.leave, leave)
	} else {
		answer = h.Ask(pass, "fake/m", c.ask)
	}
	h.AtRest()

	if c.status != 0 && answer.Status != c.status {
		t.Errorf("status %d, want %d: %v %s", answer.Status, c.status, answer.Err, answer.Body)
	}
	for _, text := range c.shows {
		if !bytes.Contains(answer.Body, []byte(text)) {
			t.Errorf("the answer lacks %q:\n%s", text, answer.Body)
		}
	}
	if c.status == 0 && answer.Err == nil {
		t.Errorf("the answer looks whole:\n%s", answer.Body)
	}
	if bytes.Contains(answer.Body, []byte(fakeprovider.Key)) {
		t.Error("the provider's key came back")
	}
	ends := harness.Ends(t, h.Data)
	if len(ends) != 1 {
		t.Fatalf("%d ends in the ledger, want one: %+v", len(ends), ends)
	}
	got := ends[0]
	if said := got.Verb + " " + got.Provenance; said != c.end {
		t.Errorf("the ledger says %q, want %q", said, c.end)
	}
	if c.input == -1 {
		// The prompt is six words; an estimate may be above, and holds the message's own tokens too.
		if got.Input < 6 || got.Input > 40 {
			t.Errorf("booked a prompt of %d tokens", got.Input)
		}
	} else if got.Input != c.input {
		t.Errorf("booked %d input tokens, want %d", got.Input, c.input)
	}
	if c.end == "settle counted" {
		wantCounted(t, got.Output, c.output)
	} else if got.Output != c.output {
		t.Errorf("booked %d output tokens, want %d", got.Output, c.output)
	}
	requests := int64(1)
	if strings.HasPrefix(c.end, "release") {
		requests = 0
	}
	if booked := h.Booked(); booked.Requests != requests || booked.InputTokens != got.Input || booked.OutputTokens != got.Output {
		t.Errorf("the day says %+v, the ledger %+v", booked, got)
	}
	if c.served != "" {
		h.Upstream.AwaitEnded(1)
		tally := h.Upstream.Served()[c.served]
		if tally.Replies != 1 {
			t.Errorf("the provider saw %v, want one %s", h.Upstream.Served(), c.served)
		}
		if c.end != "settle held" && tally.Output != c.output {
			t.Errorf("the provider served %d output tokens, booked were %d", tally.Output, c.output)
		}
	}
}

// wantCounted holds what we counted against what was served: our count is a cheap one that may be a
// little above, never below.
func wantCounted(t *testing.T, got, served int64) {
	t.Helper()
	if got < served || got > served+1+served/10 {
		t.Errorf("counted %d output tokens, %d were served", got, served)
	}
}

// In every dialect, what the ledger says of a stream that the deadline ended is what the provider had served by then.
func TestTheDeadlineBooksWhatWasServedByThen(t *testing.T) {
	const before = 3 // tokens, after which the provider falls silent
	for path, more := range map[string]string{"/v1/chat/completions": streams, messages: streams, respond: streams, geminiSSE: ""} {
		t.Run(path, func(t *testing.T) {
			h, pass := readyHouse(t, harness.Options{Limits: gateway.Limits{Deadline: 500 * time.Millisecond}})
			h.Upstream.On("m", func(r fakeprovider.Request) fakeprovider.Reply {
				reply := fakeprovider.Chat{Words: 8}.Answer(r)
				return reply.HangAt(reply.After(before))
			})
			a := send(t, h, http.MethodPost, path, fault{path: path, body: more}.asks(), bearer(pass))
			if !bytes.Contains(a.Body, []byte("took longer than this gateway allows")) {
				t.Errorf("the caller was not told: %s", a.Body)
			}
			h.Upstream.AwaitEnded(1)
			h.AtRest()
			served := h.Upstream.Served()[fakeprovider.Left]
			if served.Replies != 1 || served.Output != before {
				t.Fatalf("the provider served %+v", h.Upstream.Served())
			}
			ends := harness.Ends(t, h.Data)
			if len(ends) != 1 || ends[0].Verb != "settle" || ends[0].Provenance != "counted" || ends[0].Input < served.Input {
				t.Fatalf("the provider served %+v, the ledger says %+v", served, ends)
			}
			wantCounted(t, ends[0].Output, served.Output)
		})
	}
}

// A caller may leave before anything came. The provider of a stream is then stopped; any other reply
// it bills all the same, so that is read to its end and booked.
func TestCallerLeavesBeforeTheReply(t *testing.T) {
	for _, c := range []struct {
		name   string
		ask    harness.Question
		output int64
		end    string
		served fakeprovider.Ending
	}{
		{"stream", harness.Question{Stream: true}, 0, "counted", fakeprovider.Left},
		{"one body", harness.Question{}, 5, "reported", fakeprovider.Whole},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"m"}})
			p, pass := h.Person("alice")
			h.Allow(p, "fake/m", nil, nil)
			gate := fakeprovider.NewGate()
			h.Upstream.On("m", fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan harness.Answer, 1)
			go func() { left <- h.AskUntil(ctx, pass, "fake/m", c.ask) }()
			gate.Await(t, 1)
			leave()
			if answer := <-left; !errors.Is(answer.Err, context.Canceled) {
				t.Fatalf("the caller did not leave: %+v", answer)
			}
			if c.served == fakeprovider.Left {
				h.Upstream.AwaitEnded(1)
			}
			gate.Open()
			h.AtRest()
			ends := harness.Ends(t, h.Data)
			if len(ends) != 1 || ends[0].Verb != "settle" || ends[0].Provenance != c.end || ends[0].Output != c.output || ends[0].Input == 0 {
				t.Errorf("the ledger says %+v", ends)
			}
			if got := h.Upstream.Served()[c.served]; got.Replies != 1 {
				t.Errorf("the provider saw %v", h.Upstream.Served())
			}
		})
	}
}

// Turning the gateway off ends running streams as if their callers had left, and tells them.
func TestTurningOffEndsStreamsAndBooksThem(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	asked := fakeprovider.Request{Model: "m", Stream: true}
	reply := fakeprovider.Chat{}.Answer(asked)
	h.Upstream.On("m", reply.HangAt(len(reply.Chunks[0].Data)+len(reply.Chunks[1].Data)).Always())
	answer := h.AskSeeing(t.Context(), pass, "fake/m", harness.Question{Stream: true}, string(reply.Chunks[1].Data), func() {
		if err := h.SetOn(false); err != nil {
			t.Error(err)
		}
	})
	if !bytes.Contains(answer.Body, []byte(`data: {"error":{`)) {
		t.Errorf("the caller was not told: %v\n%s", answer.Err, answer.Body)
	}
	h.AtRest()
	ends := harness.Ends(t, h.Data)
	if len(ends) != 1 || ends[0].Provenance != "counted" {
		t.Fatalf("the ledger says %+v", ends)
	}
	wantCounted(t, ends[0].Output, 1)
}

// A reply that ignores its cap is cut where it outgrows its hold, with the dialect's own finish.
func TestStreamPastItsHoldIsCut(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	p, pass := h.Person("alice")
	limit := int64(5_000)
	h.Allow(p, "fake/m", nil, &limit)
	h.Upstream.On("m", fakeprovider.Chat{Endless: true}.Answer)
	answer := h.Ask(pass, "fake/m", harness.Question{Stream: true, MaxTokens: 100})
	if answer.Err != nil || !bytes.Contains(answer.Body, []byte(`"finish_reason":"length"`)) || !bytes.HasSuffix(answer.Body, []byte("data: [DONE]\n\n")) {
		t.Errorf("no clean finish: %v …%s", answer.Err, answer.Body[max(0, len(answer.Body)-200):])
	}
	h.AtRest()
	h.Upstream.AwaitEnded(1)
	ends := harness.Ends(t, h.Data)
	delivered := int64(bytes.Count(answer.Body, []byte("word")))
	if len(ends) != 1 || ends[0].Provenance != "counted" || delivered > 1_000 {
		t.Fatalf("%d words were delivered; the ledger says %+v", delivered, ends)
	}
	wantCounted(t, ends[0].Output, delivered)
}

// panicking is a gateway whose way upstream panics, after so many bytes of the reply's body.
func panicking(after int) harness.Options {
	return harness.Options{Upstream: &http.Client{Transport: panics{after}}}
}

type panics struct{ after int }

func (p panics) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.after == 0 {
		panic("a fault of our own, before the reply")
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("the way upstream: %w", err)
	}
	res.Body = &panickingBody{ReadCloser: res.Body, left: p.after}
	return res, nil
}

type panickingBody struct {
	io.ReadCloser
	left int
}

func (b *panickingBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		panic("a fault of our own, in the middle of the reply")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
