// Package sim is the simulated provider of `perdiem demo`: a small server that speaks chat completions with made-up but
// readable answers, paced like a real model, so that everything around it is real without a key or a cent.
//
// Invariants: answers depend on the request alone, so that a run can be repeated; a token is one piece of text sent, so
// that what is reported, capped and streamed are the same figure; nothing is remembered.
package sim

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Options say how the provider behaves.
type Options struct {
	Secret string           // the key it accepts; "" = any, but one there must be
	Delay  time.Duration    // between two tokens of the fastest model; 0 = none
	Now    func() time.Time // time.Now by default
}

// Model is one that the provider has.
type Model struct {
	ID      string
	replies [2]int // how long a reply is, in sentences, from and to
	pace    int    // how many times Delay there is between two tokens
	context int64  // tokens that prompt and reply may share
}

// Models are what the provider lists.
var Models = []Model{
	{"sim-swift", [2]int{2, 4}, 1, 32_000},
	{"sim-sage", [2]int{7, 12}, 2, 128_000},
	{"sim-long", [2]int{40, 60}, 1, 200_000},
}

func find(id string) (Model, bool) {
	for _, m := range Models {
		if m.ID == id {
			return m, true
		}
	}
	return Model{}, false
}

// New returns the provider. Its base URL is the server's address with /v1.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { listModels(w) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { o.chat(w, r) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !accepts(r, o.Secret) {
			fail(w, http.StatusUnauthorized, "invalid_api_key", "The simulated provider does not know this key.")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func accepts(r *http.Request, secret string) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || got == "" {
		return false
	}
	return secret == "" || subtle.ConstantTimeCompare([]byte(got), []byte(secret)) == 1
}

func listModels(w http.ResponseWriter) {
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
	}
	data := make([]entry, 0, len(Models))
	for _, m := range Models {
		data = append(data, entry{m.ID, "model", "perdiem"})
	}
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func fail(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
}

// answer writes a whole body. What cannot be written has no reader any more.
func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
