package gateway

import (
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
}

func at(path string) func(string) string { return func(string) string { return path } }

var (
	chatEndpoint        = endpoint{providers.OpenAI, wire.Chat, openAI{}, at("/chat/completions"), true, false}
	completionsEndpoint = endpoint{providers.OpenAI, wire.Completions, openAI{}, at("/completions"), true, false}
	embeddingsEndpoint  = endpoint{providers.OpenAI, wire.Embeddings, openAI{}, at("/embeddings"), true, false}
	responsesEndpoint   = endpoint{providers.Responses, wire.Responses, responses{}, at("/responses"), true, false}
	messagesEndpoint    = endpoint{providers.Anthropic, wire.Messages, anthropic{}, at("/messages"), true, false}
	countEndpoint       = endpoint{providers.Anthropic, wire.Messages, anthropic{}, at("/messages/count_tokens"), false, false}
)

// mediaPaths are where images and sounds are made, and made text of.
var mediaPaths = []string{
	"/images/generations", "/images/edits", "/images/variations",
	"/audio/speech", "/audio/transcriptions", "/audio/translations",
}

func mediaEndpoint(path string) endpoint {
	return endpoint{providers.OpenAI, wire.Media, openAI{}, at(path), true, true}
}

// images is how many images a call asks for.
func (c *call) images() int64 {
	if !strings.HasPrefix(c.r.URL.Path, "/v1/images/") {
		return 0
	}
	return c.facts.Replies
}

// setKey puts the provider's key where its dialect has it.
func (e endpoint) setKey(h http.Header, secret string) {
	if secret == "" {
		return
	}
	name, prefix := e.dialect.KeyHeader()
	h.Set(name, prefix+secret)
}

// anthropicVersion is sent for callers that named none; the API refuses to answer without.
const anthropicVersion = "2023-06-01"

// complete adds what a provider of the dialect will not do without.
func (e endpoint) complete(h http.Header) {
	if e.dialect == providers.Anthropic && h.Get("Anthropic-Version") == "" {
		h.Set("Anthropic-Version", anthropicVersion)
	}
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
	call, ok := wire.ParseGemini(r.URL.Path, r.URL.Query().Get("alt"))
	switch call.Method {
	case "generateContent", "streamGenerateContent", "countTokens":
	default:
		ok = false
	}
	if !ok {
		g.handleUnknown(w, r)
		return
	}
	endpoint{providers.Gemini, call.Wire(), gemini{}, call.Path, call.Method != "countTokens", false}.serve(g, w, r)
}

// handleWebsocket answers who would rather have a websocket: Codex falls back at once on this
// status, and on no other.
func (g *Gateway) handleWebsocket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		g.handleUnknown(w, r)
		return
	}
	w.Header().Set("Connection", "close")
	tell(w, responses{}, told{
		answer:  answer{http.StatusUpgradeRequired, "invalid_request_error", "websocket_not_served", false},
		message: "This gateway does not speak over websockets. Send a POST instead.",
	})
}
