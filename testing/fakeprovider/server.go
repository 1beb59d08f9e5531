// Package fakeprovider is the one fake that tests put behind the gateway: a real HTTP server that
// speaks as OpenAI, Anthropic and Google do. It replays replies recorded from vendors (a model named as a recording's
// file stem gets that recording), makes replies of its own to measure, and misbehaves on demand:
// every fault is a Reply, chosen at run time. It remembers what it was asked, and counts what it
// served and how each reply ended, so that a test can hold the ledger against it.
//
// Nothing here waits by the clock: a test that wants a stream to stand still holds it at a Gate.
package fakeprovider

import (
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Key is the only API key that the server takes. Some of its characters are spelled otherwise in JSON, in addresses and in
// pages, so that a test that looks for it there looks for those spellings, too.
const Key = "sk-fake-upstream/0123+4567&89=abcdef"

// Server is a vendor on a loopback port.
type Server struct {
	// URL is the base URL, /v1 included.
	URL string

	t       testing.TB
	http    *httptest.Server
	closing chan struct{} // closed when the server stops: hung replies end

	mu       sync.Mutex
	answers  map[string]Answer // by model; "" answers the models that have none
	next     []Answer          // for the next requests, whatever their model
	requests []Request
	served   map[Ending]Tally
	watch    func(Request, Ending, Tally)
	ended    int
	changed  chan struct{} // closed and replaced at every change of the above
}

// Answer decides what one request gets.
type Answer func(Request) Reply

// Request is what the server was asked.
type Request struct {
	Wire                string // as the list of recordings names it, by the path
	Method, Path, Query string
	Header              http.Header
	Body                []byte

	Model        string
	Stream       bool
	IncludeUsage bool  // of stream_options
	MaxTokens    int64 // the caller's own maximum, by its dialect's name; 0 is none
}

// Tally counts replies, and the tokens that they carried to the caller.
type Tally struct {
	Replies, Input, Output int64
}

// New starts a server that stops with the test. Models without an answer of their own get their
// recording, or else Chat's short reply.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		t:       t,
		closing: make(chan struct{}),
		answers: map[string]Answer{"": recordedOrChat},
		served:  map[Ending]Tally{},
		changed: make(chan struct{}),
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/images/{call...}", "/v1/audio/{call...}", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1beta/models/{call...}", "/v1/models/{call...}"} {
		mux.HandleFunc("POST "+path, s.chat)
	}
	mux.HandleFunc("GET /v1/models", s.models)
	s.http = httptest.NewServer(s.guard(mux))
	s.URL = s.http.URL + "/v1"
	t.Cleanup(s.Close)
	return s
}

// Close ends what hangs and stops the server; its port then refuses connections. It may be called
// in the middle of a test, and again.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	s.mu.Unlock()
	s.http.Close()
}

// On sets the answer that a model gets from now on; "" stands for every model without its own.
func (s *Server) On(model string, answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[model] = answer
}

// Next lines up answers for the requests to come, one each, before any model's own.
func (s *Server) Next(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, answers...)
}

// Watch has each reply told as it ends, with what it carried; requests are then not remembered. For
// runs that are too long to remember all.
func (s *Server) Watch(told func(Request, Ending, Tally)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = told
}

// Requests returns the chat requests that arrived with the right key, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Served returns what was served, by ending.
func (s *Server) Served() map[Ending]Tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[Ending]Tally, len(s.served))
	for ending, tally := range s.served {
		out[ending] = tally
	}
	return out
}

// AwaitEnded waits until n replies have ended, however they did, or fails the test with its deadline.
func (s *Server) AwaitEnded(n int) {
	s.t.Helper()
	for {
		s.mu.Lock()
		done, changed := s.ended >= n, s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-s.t.Context().Done():
			s.t.Fatalf("fake provider: waiting for %d replies to end: %v", n, s.t.Context().Err())
		}
	}
}

// RefusedURL returns a base URL on which nothing listens.
func RefusedURL(t testing.TB) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("finding a free port: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatalf("closing the port: %v", err)
	}
	return "http://" + l.Addr().String() + "/v1"
}

// UnknownHostURL is a base URL whose host cannot be found. Its name is not a valid one, so that no
// name server is asked.
const UnknownHostURL = "http://no..such.host/v1"

// guard answers a wrong key as OpenAI does: its message repeats the key it was given.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("Authorization")
		for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
			if key := r.Header.Get(name); key != "" {
				got = "Bearer " + key
			}
		}
		if got != "Bearer "+Key {
			s.write(w, r, EchoKey(got))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller left while asking
	}
	req := parse(r, body)
	s.mu.Lock()
	watch := s.watch
	if watch == nil {
		s.requests = append(s.requests, req)
	}
	answer := s.answers[req.Model]
	if answer == nil {
		answer = s.answers[""]
	}
	if len(s.next) > 0 {
		answer, s.next = s.next[0], s.next[1:]
	}
	s.mu.Unlock()

	reply := answer(req)
	defer func() { // in a defer: a reset leaves by a panic
		if watch != nil {
			watch(req, reply.ended, Tally{Replies: 1, Input: reply.carriedInput, Output: reply.carriedOutput})
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		tally := s.served[reply.ended]
		tally.Replies++
		tally.Input += reply.carriedInput
		tally.Output += reply.carriedOutput
		s.served[reply.ended] = tally
		s.ended++
		close(s.changed)
		s.changed = make(chan struct{})
	}()
	s.writeInto(w, r, &reply)
}

func parse(r *http.Request, body []byte) Request {
	var fields struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		MaxTokens     int64  `json:"max_tokens"`
		MaxCompletion int64  `json:"max_completion_tokens"`
		MaxOutput     int64  `json:"max_output_tokens"`
		Generation    struct {
			MaxOutput int64 `json:"maxOutputTokens"`
		} `json:"generationConfig"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	// A body that is no JSON is a request all the same; its fields stay empty.
	_ = json.Unmarshal(body, &fields)
	wire := wireOf(r.URL.Path)
	if wire == "gemini" { // model and method stand in the path
		_, call, _ := strings.Cut(r.URL.Path, "/models/")
		colon := strings.LastIndexByte(call, ':')
		fields.Model, fields.Stream = call[:max(colon, 0)], strings.HasSuffix(call, ":streamGenerateContent")
	}
	return Request{
		Wire:   wire,
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body,
		Model: fields.Model, Stream: fields.Stream, IncludeUsage: fields.StreamOptions.IncludeUsage,
		MaxTokens: cmp.Or(fields.MaxCompletion, fields.MaxTokens, fields.MaxOutput, fields.Generation.MaxOutput),
	}
}

// wireOf names the wire of a path, as the list of recordings does.
func wireOf(path string) string {
	switch {
	case strings.HasPrefix(path, "/v1/responses"):
		return "openai-responses"
	case strings.HasPrefix(path, "/v1/messages"):
		return "anthropic"
	case strings.Contains(path, "/models/"):
		return "gemini"
	default:
		return "openai-chat"
	}
}

// models lists the models that have an answer of their own.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list", Data: []model{}}
	s.mu.Lock()
	for id := range s.answers {
		if id != "" {
			list.Data = append(list.Data, model{ID: id, Object: "model"})
		}
	}
	s.mu.Unlock()
	s.write(w, r, JSON(http.StatusOK, list))
}
