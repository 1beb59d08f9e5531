package gateway

import (
	"net/http"
	"path"
	"strings"

	"github.com/google/uuid"
)

// mux maps paths to their dialects. Whatever spelling of the base URL a tool was given, its path
// is brought to the one form here, and never redirected: a redirect turns a POST into a GET.
func (g *Gateway) mux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", g.on(chatEndpoint))
	mux.HandleFunc("POST /v1/completions", g.on(completionsEndpoint))
	mux.HandleFunc("POST /v1/embeddings", g.on(embeddingsEndpoint))
	for _, path := range mediaPaths {
		mux.HandleFunc("POST /v1"+path, g.on(mediaEndpoint(path)))
	}
	mux.HandleFunc("POST /v1/responses", g.on(responsesEndpoint))
	mux.HandleFunc("GET /v1/responses", g.handleWebsocket)
	mux.HandleFunc("GET /v1/responses/{id}", g.handleStored)
	mux.HandleFunc("DELETE /v1/responses/{id}", g.handleStored)
	mux.HandleFunc("GET /v1/responses/{id}/input_items", g.handleStored)
	mux.HandleFunc("POST /v1/messages", g.on(messagesEndpoint))
	mux.HandleFunc("POST /v1/messages/count_tokens", g.on(countEndpoint))
	mux.HandleFunc("POST /v1beta/models/{call...}", g.handleGemini)
	mux.HandleFunc("POST /v1/models/{call...}", g.handleGemini)
	mux.HandleFunc("GET /v1beta/models", g.handleModels)
	mux.HandleFunc("GET /v1beta/models/{id...}", g.handleModel)
	mux.HandleFunc("GET /v1/models", g.handleModels)
	mux.HandleFunc("GET /v1/models/{id...}", g.handleModel)
	mux.HandleFunc("GET /v1/usage", g.handleUsage)
	mux.HandleFunc("GET /healthz", g.handleHealth)
	if g.Page != nil {
		mux.HandleFunc("GET /{$}", g.handlePage)
		mux.HandleFunc("/page/", g.handlePage)
	}
	if g.Metrics != nil {
		mux.HandleFunc("GET /metrics", g.handleMetrics)
	}
	mux.HandleFunc("/", g.handleUnknown)
	return mux
}

// ServeHTTP answers one call.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", newRequestID())
	w.Header().Set("Access-Control-Allow-Origin", "*") // safe: a pass is never sent by a browser of itself
	if r.Method == http.MethodOptions {
		preflight(w)
		return
	}
	r.URL.Path = canonicalPath(r.URL.Path)
	r.URL.RawPath = ""
	g.routes.ServeHTTP(w, r)
}

func newRequestID() string {
	return "req_" + strings.ReplaceAll(uuid.Must(uuid.NewV7()).String(), "-", "")
}

func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// canonicalPath mends what a mis-set base URL does to a path: doubled slashes, dots, a trailing
// slash, "/v1" twice or not at all; and what tools do to a model's id.
func canonicalPath(p string) string {
	p = path.Clean("/" + p)
	for strings.HasPrefix(p, "/v1/v1/") || strings.HasPrefix(p, "/v1/v1beta/") {
		p = strings.TrimPrefix(p, "/v1")
	}
	for strings.HasPrefix(p, "/v1beta/v1beta/") {
		p = strings.TrimPrefix(p, "/v1beta")
	}
	if rest, ok := strings.CutPrefix(p, "/v1beta/"); ok && strings.Contains(rest, ":") && !strings.HasPrefix(rest, "models/") {
		return "/v1beta/models/" + rest // Vercel's AI SDK takes a model with a slash for a whole path
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch first {
	case "chat", "models", "usage", "responses", "messages", "completions", "embeddings", "images", "audio":
		p = "/v1" + p
	}
	return p
}

func (g *Gateway) handleHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// handlePage hands a browser to the page, if it names this machine as tools must, too. No page from
// elsewhere may read it.
func (g *Gateway) handlePage(w http.ResponseWriter, r *http.Request) {
	c := g.newCall(w, r)
	if err := c.checkHost(); err != nil {
		c.refuse(err)
		return
	}
	w.Header().Del("Access-Control-Allow-Origin")
	g.Page.ServeHTTP(w, r)
}

// handleUnknown answers what no route takes, in a shape that every client can read.
func (g *Gateway) handleUnknown(w http.ResponseWriter, r *http.Request) {
	a := answer{http.StatusNotFound, "invalid_request_error", "not_found", false}
	text := "There is nothing at " + r.Method + " " + shorten(r.URL.Path) + " on this gateway. Is the base URL right? It ends in /v1."
	switch r.URL.Path {
	case "/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1/models", "/v1beta/models", "/v1/usage", "/healthz":
		a.status, a.code = http.StatusMethodNotAllowed, "method_not_allowed"
		text = r.URL.Path + " does not take " + shorten(r.Method) + "."
	}
	tell(w, voiceOf(r), told{answer: a, message: text})
}

// voiceOf is the dialect of a call that is at no endpoint, by what its client says of itself.
func voiceOf(r *http.Request) voice {
	switch p := r.URL.Path; {
	case strings.HasPrefix(p, "/v1beta/"), r.Header.Get("X-Goog-Api-Key") != "":
		return gemini{}
	case strings.HasPrefix(p, "/v1/messages"), r.Header.Get("Anthropic-Version") != "":
		return anthropic{}
	case strings.HasPrefix(p, "/v1/responses"):
		return responses{}
	default:
		return openAI{}
	}
}

// shorten keeps a foreign text from filling an answer or a log.
func shorten(s string) string {
	const most = 100
	s = strings.ToValidUTF8(s, "?")
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
