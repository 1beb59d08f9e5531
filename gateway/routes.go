package gateway

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// methods are what a path answers, by the request's method.
type methods map[string]http.HandlerFunc

// paths is every path that the gateway answers, in its dialect.
func (g *Gateway) paths() map[string]methods {
	paths := map[string]methods{
		"/v1/chat/completions":           {"POST": g.on(chatEndpoint)},
		"/v1/completions":                {"POST": g.on(completionsEndpoint)},
		"/v1/embeddings":                 {"POST": g.on(embeddingsEndpoint)},
		"/v1/responses":                  {"POST": g.on(responsesEndpoint), "GET": g.handleWebsocket},
		"/v1/responses/{id}":             {"GET": g.handleStored, "DELETE": g.handleStored},
		"/v1/responses/{id}/input_items": {"GET": g.handleStored},
		"/v1/messages":                   {"POST": g.on(messagesEndpoint)},
		"/v1/messages/count_tokens":      {"POST": g.on(countEndpoint)},
		"/v1/models":                     {"GET": g.handleModels},
		"/v1/models/{id...}":             {"GET": g.handleModel, "POST": g.handleGemini},
		"/v1beta/models":                 {"GET": g.handleModels},
		"/v1beta/models/{id...}":         {"GET": g.handleModel, "POST": g.handleGemini},
		"/v1/usage":                      {"GET": g.handleUsage},
		"/healthz":                       {"GET": g.open(http.HandlerFunc(answerHealth))},
	}
	for _, path := range mediaPaths {
		paths["/v1"+path] = methods{"POST": g.on(mediaEndpoint(path))}
	}
	if g.Page != nil {
		page := g.open(g.Page)
		paths["/{$}"] = methods{"GET": page}
		paths["/page/{file...}"] = methods{"GET": page, "POST": page}
	}
	if g.Metrics != nil {
		paths["/metrics"] = methods{"GET": g.handleMetrics}
	}
	return paths
}

// mux maps paths to what answers them. Whatever spelling of the base URL a tool was given, its path
// is brought to the one form here, and never redirected: a redirect turns a POST into a GET.
func (g *Gateway) mux() http.Handler {
	mux := http.NewServeMux()
	for path, methods := range g.paths() {
		for method, handle := range methods {
			mux.HandleFunc(method+" "+path, handle)
		}
		mux.HandleFunc(path, notTaken(slices.Sorted(maps.Keys(methods))...))
	}
	mux.HandleFunc("/page", g.handleUnknown) // else the mux would redirect it to /page/, and we that back
	mux.HandleFunc("/", g.handleUnknown)
	return mux
}

// ServeHTTP answers one call.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w = bounded{w, g.Limits.StuckFor}
	w.Header().Set("X-Request-Id", newRequestID())
	w.Header().Set("Access-Control-Allow-Origin", "*")   // safe: a pass is never sent by a browser of itself
	w.Header().Set("Access-Control-Expose-Headers", "*") // or SDKs in a page would not see when to stop
	if r.ContentLength != 0 {
		// Before it answers, the server reads what is left of a request. Nobody waits for ever for one that does not come.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.Limits.BodyPause)) // fails only where there is no connection
	}
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// It may have had a length too, which Go takes no notice of; a proxy in front may have gone by that,
		// and what it took for the body would be the next request here (RFC 9112, section 6.3).
		w.Header().Set("Connection", "close")
	}
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
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// canonicalPath mends what a mis-set base URL does to a path: doubled slashes, dots, a trailing
// slash, a version twice or not at all; and what tools do to a model's id.
func canonicalPath(p string) string {
	p = path.Clean("/" + p)
	for {
		rest := afterVersion(p)
		if afterVersion(rest) == "" {
			break
		}
		p = rest // the last one is the tool's own
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

// afterVersion is what follows the version that a path begins with; "" if it begins with none.
func afterVersion(p string) string {
	for _, version := range []string{"/v1/", "/v1beta/"} {
		if rest, ok := strings.CutPrefix(p, version); ok {
			return "/" + rest
		}
	}
	return ""
}

// open answers with what needs no pass, if the caller names this machine as tools must, too. No page
// from elsewhere may ask for it, or read it.
func (g *Gateway) open(answer http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := g.newCall(w, r)
		err := c.checkHost()
		if err == nil {
			err = c.checkPage()
		}
		if err != nil {
			c.refuse(err)
			return
		}
		w.Header().Del("Access-Control-Allow-Origin")
		answer.ServeHTTP(w, r)
	}
}

func answerHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// handleUnknown answers what no route takes, in a shape that every client can read. Where the path has its version, the base URL is
// right, and the call is one that is not served.
func (g *Gateway) handleUnknown(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + shorten(r.URL.Path)
	message := "There is nothing at " + call + " on this gateway. Is the base URL right? It ends in /v1."
	if strings.HasPrefix(r.URL.Path, "/v1/") || strings.HasPrefix(r.URL.Path, "/v1beta/") {
		message = "This gateway does not serve " + call + "."
	}
	tell(w, voiceOf(r), told{
		answer:  answer{http.StatusNotFound, "invalid_request_error", "not_found", false},
		message: message,
	})
}

// notTaken answers a method that a path does not take, and says which it does.
func notTaken(methods ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(append(slices.Clone(methods), http.MethodOptions), ", "))
		tell(w, voiceOf(r), told{
			answer:  answer{http.StatusMethodNotAllowed, "invalid_request_error", "method_not_allowed", false},
			message: shorten(r.URL.Path) + " does not take " + shorten(r.Method) + ".",
		})
	}
}

// voiceOf is the dialect of a call that is at no endpoint, by what its client says of itself.
func voiceOf(r *http.Request) voice {
	switch p := r.URL.Path; {
	case strings.HasPrefix(p, "/v1beta/"), r.Header.Get("X-Goog-Api-Key") != "",
		r.Method == http.MethodPost && strings.HasPrefix(p, "/v1/models/"):
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
