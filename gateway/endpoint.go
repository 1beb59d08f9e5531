package gateway

import (
	"cmp"
	"net/http"
	"strings"

	"perdiem/providers"
	"perdiem/providers/wire"
)

// endpoint is one address that models are asked at: which dialect it is, what its bytes mean, and
// where the provider has the same.
type endpoint struct {
	dialect providers.Dialect
	wire    wire.Wire
	voice   voice
	path    func(model string) string // under the provider's base URL, given the provider's name of the model
	costs   bool                      // false for counting tokens, which costs nothing
	forms   bool                      // it takes multipart forms, too
	talks   bool                      // it asks a model for an answer in words, as every dialect can
	array   bool                      // a whole reply is a list
}

func at(path string) func(string) string { return func(string) string { return path } }

var (
	chatEndpoint        = endpoint{dialect: providers.OpenAI, wire: wire.Chat, voice: openAI{}, path: at("/chat/completions"), costs: true, talks: true}
	completionsEndpoint = endpoint{dialect: providers.OpenAI, wire: wire.Completions, voice: openAI{}, path: at("/completions"), costs: true}
	embeddingsEndpoint  = endpoint{dialect: providers.OpenAI, wire: wire.Embeddings, voice: openAI{}, path: at("/embeddings"), costs: true}
	responsesEndpoint   = endpoint{dialect: providers.Responses, wire: wire.Responses, voice: responses{}, path: at("/responses"), costs: true, talks: true}
	messagesEndpoint    = endpoint{dialect: providers.Anthropic, wire: wire.Messages, voice: anthropic{}, path: at("/messages"), costs: true, talks: true}
	countEndpoint       = endpoint{dialect: providers.Anthropic, wire: wire.Messages, voice: anthropic{}, path: at("/messages/count_tokens"), talks: true}
)

// mediaPaths are where images and sounds are made, and made text of.
var mediaPaths = []string{
	"/images/generations", "/images/edits", "/images/variations",
	"/audio/speech", "/audio/transcriptions", "/audio/translations",
}

func mediaEndpoint(path string) endpoint {
	return endpoint{dialect: providers.OpenAI, wire: wire.Media, voice: openAI{}, path: at(path), costs: true, forms: true}
}

// images is how many images a call asks for.
func (c *call) images() int64 {
	if !strings.HasPrefix(c.r.URL.Path, "/v1/images/") {
		return 0
	}
	return c.facts.Replies
}

// serve takes a call to a model from the first gate to the end of its hold.
func (e endpoint) serve(g *Gateway, w http.ResponseWriter, r *http.Request) {
	c := g.newCall(w, r)
	c.endpoint = e
	c.serve()
}

// on makes an endpoint a handler.
func (g *Gateway) on(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { e.serve(g, w, r) }
}

// handleGemini serves POST …/models/{model}:{method}, where model and method stand in the path.
func (g *Gateway) handleGemini(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	call, ok := wire.ParseGemini(r.URL.Path, cmp.Or(query.Get("alt"), query.Get("$alt"))) // Google takes both
	switch call.Method {
	case "generateContent", "streamGenerateContent", "countTokens":
	default:
		ok = false
	}
	if !ok {
		g.handleUnknown(w, r)
		return
	}
	geminiEndpoint(call).serve(g, w, r)
}

func geminiEndpoint(call wire.GeminiCall) endpoint {
	return endpoint{
		dialect: providers.Gemini, wire: call.Wire(), voice: gemini{}, path: call.Path,
		costs: call.Method != "countTokens", talks: true, array: call.Array(),
	}
}

// handleWebsocket answers who would rather have a websocket: Codex falls back at once on this
// status, and on no other.
func (g *Gateway) handleWebsocket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		notTaken(http.MethodPost)(w, r)
		return
	}
	w.Header().Set("Connection", "close")
	tell(w, responses{}, told{
		answer:  answer{http.StatusUpgradeRequired, "invalid_request_error", "websocket_not_served", false},
		message: "This gateway does not speak over websockets. Send a POST instead.",
	})
}
