package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Question is a chat request.
type Question struct {
	Stream    bool
	Usage     bool   // ask for usage in the stream
	MaxTokens int    // the caller's own maximum; 0 is none
	Body      string // the whole body, in place of one made from the above
	Path      string // where to ask, with its query; /v1/chat/completions if empty
	Header    http.Header
}

func (q Question) body(model string) string {
	if q.Body != "" {
		return q.Body
	}
	fields := map[string]any{"model": model, "messages": []map[string]string{{"role": "user", "content": "Say a few words."}}}
	if q.Stream {
		fields["stream"] = true
	}
	if q.Usage {
		fields["stream_options"] = map[string]bool{"include_usage": true}
	}
	if q.MaxTokens > 0 {
		fields["max_tokens"] = q.MaxTokens
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings, numbers and booleans alone
	}
	return string(body)
}

// Answer is what a caller got. Err tells how the reading of the body broke off, if it did.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Err    error
}

// WantStatus fails the test at once if the answer has another status.
func (a Answer) WantStatus(t testing.TB, status int) {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %v %s", a.Status, status, a.Err, a.Body)
	}
}

// Refusal is what the body of a refused request says.
type Refusal struct {
	Error        struct{ Message, Type, Code, Param string }
	Reason       string
	ModelID      string `json:"modelId"`
	UsedRequests int64
	MaxRequests  *int64
	UsedTokens   int64
	MaxTokens    *int64
	HeldTokens   int64
	NeededTokens int64
	Fits         *bool
	ResetsAt     *time.Time
	RequestID    string `json:"requestId"`
}

// Refusal reads the answer as a refusal.
func (a Answer) Refusal(t testing.TB) Refusal {
	t.Helper()
	var no Refusal
	if err := json.Unmarshal(a.Body, &no); err != nil {
		t.Fatalf("not a refusal (status %d): %v\n%s", a.Status, err, a.Body)
	}
	return no
}

// Ask asks the gateway and reads its answer to the end.
func (h *House) Ask(pass, model string, q Question) Answer {
	return h.AskUntil(h.t.Context(), pass, model, q)
}

// AskUntil is Ask by a caller who leaves when ctx ends; Err then says so.
func (h *House) AskUntil(ctx context.Context, pass, model string, q Question) Answer {
	res, err := h.post(ctx, pass, q, q.body(model))
	if err != nil {
		return Answer{Err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: body, Err: err}
}

// Begin starts to ask, and returns a function that waits for the answer.
func (h *House) Begin(pass, model string, q Question) func() Answer {
	done := make(chan Answer, 1)
	go func() { done <- h.Ask(pass, model, q) }()
	return func() Answer { return <-done }
}

func (h *House) post(ctx context.Context, pass string, q Question, body string) (*http.Response, error) {
	address := h.URL + "/chat/completions"
	if q.Path != "" {
		address = strings.TrimSuffix(h.URL, "/v1") + q.Path
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	for name, values := range q.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if pass != "" {
		req.Header.Set("Authorization", "Bearer "+pass)
	}
	return h.client.Do(req)
}

// Get asks the gateway for a page of its own, such as "/usage", and decodes the JSON into value.
func (h *House) Get(pass, path string, value any) {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.URL+path, http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	res, err := h.client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(value); err != nil || res.StatusCode != http.StatusOK {
		h.t.Fatalf("GET %s: status %d, %v", path, res.StatusCode, err)
	}
}

// AskSeeing asks, and calls then once, as soon as the answer has shown a text. It returns what came
// until the end, or until ctx ended.
func (h *House) AskSeeing(ctx context.Context, pass, model string, q Question, text string, then func()) Answer {
	q.Body = q.body(model)
	return h.AskWatching(ctx, pass, q, func(body []byte) {
		if then != nil && bytes.Contains(body, []byte(text)) {
			then()
			then = nil
		}
	})
}

// AskWatching asks the question's body, and calls look with all that has come whenever more comes. It
// returns what came until the end, or until ctx ended.
func (h *House) AskWatching(ctx context.Context, pass string, q Question, look func(body []byte)) Answer {
	res, err := h.post(ctx, pass, q, q.Body)
	if err != nil {
		return Answer{Err: err}
	}
	defer res.Body.Close()
	answer := Answer{Status: res.StatusCode, Header: res.Header}
	piece := make([]byte, 4096)
	for {
		n, err := res.Body.Read(piece)
		answer.Body = append(answer.Body, piece[:n]...)
		look(answer.Body)
		if errors.Is(err, io.EOF) {
			return answer
		}
		if err != nil {
			answer.Err = err
			return answer
		}
	}
}
