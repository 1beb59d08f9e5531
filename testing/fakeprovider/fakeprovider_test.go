package fakeprovider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask sends a chat request and returns the answer; its body is closed with the test.
func ask(ctx context.Context, t *testing.T, url, key, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	res, err := client.Do(req)
	if err == nil {
		t.Cleanup(func() { res.Body.Close() })
	}
	return res, err
}

func asked(t *testing.T, s *Server, body string) (int, string, error) {
	t.Helper()
	res, err := ask(t.Context(), t, s.URL, Key, body)
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

const streamed = `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`

func TestChatObeysItsCaller(t *testing.T) {
	cases := []struct {
		name, body    string
		chat          Chat
		has, lacks    string
		words         int
		input, output int64
	}{
		{name: "whole", body: `{"model":"m"}`, has: `"total_tokens":14`, words: 5, input: 9, output: 5},
		{name: "stream, usage asked for", body: streamed, has: `"total_tokens":14`, words: 5, input: 9, output: 5},
		{name: "stream, usage not asked for", body: `{"model":"m","stream":true}`, has: "data: [DONE]\n\n", lacks: "usage", words: 5, input: 9, output: 5},
		{name: "capped", body: `{"model":"m","stream":true,"max_tokens":2}`, has: `"length"`, words: 2, input: 9, output: 2},
		{name: "cap by its newer name", body: `{"model":"m","max_completion_tokens":3}`, has: `"length"`, words: 3, input: 9, output: 3},
		{name: "cap ignored", body: `{"model":"m","max_tokens":2}`, chat: Chat{IgnoreMax: true}, has: `"stop"`, words: 5, input: 9, output: 5},
		{name: "no usage", body: streamed, chat: Chat{NoUsage: true}, lacks: "usage", words: 5, input: 9, output: 5},
		{name: "odd usage", body: streamed, chat: Chat{Usage: []byte(`"oops"`)}, has: `"usage":"oops"`, words: 5, input: 9, output: 5},
		{name: "no [DONE]", body: streamed, chat: Chat{NoDone: true}, has: `"stop"`, lacks: "[DONE]", words: 5, input: 9, output: 5},
		{name: "no finish", body: streamed, chat: Chat{NoFinish: true}, lacks: `"stop"`, words: 5, input: 9, output: 5},
		{name: "one body for a stream", body: streamed, chat: Chat{OneBody: true}, has: `"chat.completion"`, lacks: "data:", words: 5, input: 9, output: 5},
		{name: "error in place of a stream", body: streamed, chat: Chat{ErrorInstead: "overloaded"}, has: "data: {\"error\":{", lacks: "choices"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(t)
			s.On("m", c.chat.Answer)
			status, text, err := asked(t, s, c.body)
			if err != nil || status != http.StatusOK {
				t.Fatalf("status %d, %v", status, err)
			}
			if !strings.Contains(text, c.has) || c.lacks != "" && strings.Contains(text, c.lacks) {
				t.Errorf("want %q and not %q in:\n%s", c.has, c.lacks, text)
			}
			if got := strings.Count(text, "word"); got != c.words {
				t.Errorf("%d words, want %d", got, c.words)
			}
			s.AwaitEnded(1)
			if got, want := s.Served()[Whole], (Tally{1, c.input, c.output}); got != want {
				t.Errorf("served %+v, want %+v", got, want)
			}
		})
	}
}

func TestFaultsHappenAtTheirPlace(t *testing.T) {
	whole := Chat{}.Answer(Request{Model: "m", Stream: true})
	// After the role and two words, in the middle of the third.
	place := len(whole.Chunks[0].Data) + len(whole.Chunks[1].Data) + len(whole.Chunks[2].Data) + 10
	cases := []struct {
		name   string
		reply  Reply
		err    error // nil: the body ends cleanly
		ending Ending
		output int64
	}{
		{"cut", whole.CutAt(place), nil, Cut, 2},
		{"reset", whole.ResetAt(place), syscall.ECONNRESET, Reset, 2},
		{"cut at the end", whole.CutAt(len(whole.Bytes())), nil, Cut, 5},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := New(t)
			s.On("m", c.reply.Always())
			_, text, err := asked(t, s, streamed)
			if c.err == nil && err != nil || c.err != nil && !errors.Is(err, c.err) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if !bytes.HasPrefix(whole.Bytes(), []byte(text)) {
				t.Errorf("other bytes than those of the reply: %q", text)
			}
			s.AwaitEnded(1)
			if got, want := s.Served()[c.ending], (Tally{1, 9, c.output}); got != want {
				t.Errorf("served %+v, want %+v", s.Served(), want)
			}
		})
	}
}

func TestHungReplyEndsWhenTheCallerLeaves(t *testing.T) {
	for name, place := range map[string]int{"before the header": BeforeHeader, "after a byte": 1} {
		t.Run(name, func(t *testing.T) {
			s := New(t)
			gate := NewGate()
			s.On("m", Chat{}.Answer(Request{Stream: true}).HoldAt(place, gate).Always())
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan struct{})
			go func() {
				defer close(left)
				if res, err := ask(ctx, t, s.URL, Key, streamed); err == nil {
					_, _ = io.ReadAll(res.Body) // ends with an error, since we leave
				}
			}()
			gate.Await(t, 1)
			leave()
			<-left
			s.AwaitEnded(1)
			if got := s.Served()[Left].Replies; got != 1 {
				t.Errorf("served %v, want one that was left", s.Served())
			}
		})
	}
}

func TestGateHoldsAStreamUntilItIsOpened(t *testing.T) {
	s := New(t)
	reply := Chat{}.Answer(Request{Stream: true})
	first := len(reply.Chunks[0].Data)
	gate := NewGate()
	s.On("m", reply.HoldAt(first, gate).Always())
	res, err := ask(t.Context(), t, s.URL, Key, streamed)
	if err != nil {
		t.Fatal(err)
	}
	gate.Await(t, 1)
	got := make([]byte, first)
	if _, err := io.ReadFull(res.Body, got); err != nil {
		t.Fatal(err)
	}
	if served := s.Served(); len(served) != 0 {
		t.Errorf("the reply ended before its gate was opened: %v", served)
	}
	gate.Open()
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(got)+string(rest) != string(reply.Bytes()) {
		t.Errorf("the stream did not go on whole: %v", err)
	}
}

func TestClosingEndsHungReplies(t *testing.T) {
	s := New(t)
	s.On("m", Chat{}.Answer(Request{Stream: true}).HangAt(5).Always())
	res, err := ask(t.Context(), t, s.URL, Key, streamed)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got, err := io.ReadAll(res.Body); len(got) != 5 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := s.Served()[Hung].Replies; got != 1 {
		t.Errorf("served %v, want one that hung", s.Served())
	}
}

func TestEndlessStreamEndsWithItsCaller(t *testing.T) {
	s := New(t)
	s.On("m", Chat{Endless: true}.Answer)
	res, err := ask(t.Context(), t, s.URL, Key, `{"model":"m","stream":true,"max_tokens":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, res.Body, 100_000); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.AwaitEnded(1)
	if got := s.Served()[Left]; got.Replies != 1 || got.Output < 100 {
		t.Errorf("served %v", s.Served())
	}
}

func TestAnswersComeInTheirOrder(t *testing.T) {
	s := New(t)
	s.Next(Error(http.StatusTooManyRequests, "rate_limit", "slow down", "Retry-After", "30").Always(), HTML(http.StatusOK).Always(), Redirect(s.URL).Always())
	for _, want := range []struct {
		status       int
		header, text string
	}{{429, "30", "slow down"}, {200, "", "sign in"}, {307, "", ""}, {200, "", "word"}} {
		res, err := ask(t.Context(), t, s.URL, Key, `{"model":"m"}`)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != want.status || res.Header.Get("Retry-After") != want.header || !strings.Contains(string(text), want.text) {
			t.Errorf("%d %q, %v; want %+v", res.StatusCode, text, err, want)
		}
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests remembered, want 4", n)
	}
}

func TestWrongKeyIsEchoedAndNotServed(t *testing.T) {
	s := New(t)
	res, err := ask(t.Context(), t, s.URL, "sk-CANARY", `{"model":"m"}`)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusUnauthorized || !strings.Contains(string(text), "sk-CANARY") {
		t.Errorf("%d %s", res.StatusCode, text)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests let in", n)
	}
}

func TestNothingListensAtTheRefusedURL(t *testing.T) {
	if res, err := ask(t.Context(), t, RefusedURL(t), Key, `{}`); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, %v", res, err)
	}
}

func TestGzipReachesTheCallerWhole(t *testing.T) {
	s := New(t)
	s.On("m", func(r Request) Reply { return Chat{}.Answer(r).Gzip() })
	// Go's client asks for gzip by itself, and unpacks it.
	_, text, err := asked(t, s, streamed)
	if err != nil || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestRecordingsAreServedByteForByte(t *testing.T) {
	s := New(t)
	seen := map[bool]bool{}
	for _, r := range Recordings(t, "openai-chat") {
		body := `{"model":"` + r.Model + `"}`
		if r.Stream {
			body = `{"model":"` + r.Model + `","stream":true}`
		}
		if _, text, err := asked(t, s, body); err != nil || text != string(r.Body) {
			t.Errorf("%s: %v, or other bytes", r.Model, err)
		}
		seen[r.Stream] = true
	}
	if !maps.Equal(seen, map[bool]bool{true: true, false: true}) {
		t.Errorf("kinds of recordings seen: %v", seen)
	}
}
