package soak

import (
	"net/http"

	"perdiem/providers"
	"perdiem/testing/fakeprovider"
)

// act is how a caller behaves while its answer comes.
type act int

const (
	reads      act = iota // to the end
	leaves                // once the provider has the request, before the answer's first byte
	leavesHalf            // in the middle of the reply
	nods                  // lets the provider go on when half of the reply has arrived
	waits                 // likewise, at the next beat, so that the reply is still running then
)

// kind is a way in which a call goes; all are mixed for as long as the soak lasts.
type kind struct {
	name   string
	share  int    // of all calls, against the others' shares
	fault  bool   // something is made to go wrong
	model  string // an id; any of the healthy ones if empty
	caller string // the caller's wire; any if empty
	shape  shape
	act    act
	tokens int64 // the caller's own maximum

	// reply decides what the provider does at the visit of that number, from 0, and how it must be booked
	// if it is the call's last.
	reply func(r fakeprovider.Request, c *call, visit int) (fakeprovider.Reply, want)

	// Of calls that must not reach a provider, or not the books.
	path, body, method string
	pass               func(current string) string
	status             int // the one that must come; any if 0
	replays            bool
	free               bool
}

type shape int

const (
	either shape = iota
	streamed
	whole
)

// want is how a call must stand in the ledger.
type want string

const (
	reported want = "reported" // exactly what the provider counted
	counted  want = "counted"  // what it served, by our own count
	nothing  want = "nothing"  // no request, no token
)

// half of a reply, in words, is where things happen.
const half = 3

const words = 8

// chat is the provider's own reply to a call, of which it counts the true tokens.
func (c *call) chat() fakeprovider.Chat { return fakeprovider.Chat{Prompt: c.prompt, Words: words} }

// halfway changes a whole reply at its half; one that is too short to have a half stays as it is.
func halfway(w want, change func(r fakeprovider.Reply, place int, c *call) fakeprovider.Reply) func(fakeprovider.Request, *call, int) (fakeprovider.Reply, want) {
	return func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		reply := c.chat().Answer(r)
		if r.MaxTokens > 0 && r.MaxTokens <= half {
			return reply, reported
		}
		return change(reply, reply.After(half), c), w
	}
}

func says(chat func(*call) fakeprovider.Chat, w want) func(fakeprovider.Request, *call, int) (fakeprovider.Reply, want) {
	return func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) { return chat(c).Answer(r), w }
}

func always(reply fakeprovider.Reply, w want) func(fakeprovider.Request, *call, int) (fakeprovider.Reply, want) {
	return func(fakeprovider.Request, *call, int) (fakeprovider.Reply, want) { return reply, w }
}

// The models of a flaky provider, whose failures open its breaker and rest its keys, so that calls to it are
// refused now and then; the others' calls must not feel it.
const (
	flaky    = "flaky/m"
	fallsOn  = "flaky/n" // falls back to a healthy one
	vanished = "gone/m"  // nothing listens there
)

var plain = says((*call).chat, reported)

var kinds = []kind{
	{name: "plain", share: 60, reply: plain},
	{name: "across a beat", share: 16, shape: streamed, act: waits, reply: halfway(reported, func(r fakeprovider.Reply, place int, c *call) fakeprovider.Reply { return r.HoldAt(place, c.gate) })},
	{name: "gzip", share: 4, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		return c.chat().Answer(r).Gzip(), reported
	}},
	{name: "tool call", share: 3, reply: says(func(c *call) fakeprovider.Chat {
		chat := c.chat()
		chat.Tool, chat.Arguments = "look", []byte(`{"at":"it"}`)
		return chat
	}, reported)},
	{name: "capped by its caller", share: 4, tokens: 5, reply: plain},
	{name: "embedding", share: 2, model: "fake/m", caller: "openai-chat", shape: whole, path: "/v1/embeddings", reply: plain},
	{name: "counting tokens", share: 2, caller: "anthropic", shape: whole, path: "/v1/messages/count_tokens", reply: plain, free: true},
	{name: "keyed, and its retry", share: 4, replays: true, reply: plain},
	{name: "usage is asked for", share: 2, method: http.MethodGet, path: "/v1/usage", status: http.StatusOK},
	{name: "models are listed", share: 2, method: http.MethodGet, path: "/v1/models", status: http.StatusOK},

	{name: "no usage", share: 4, fault: true, reply: says(func(c *call) fakeprovider.Chat {
		chat := c.chat()
		chat.NoUsage = true
		return chat
	}, counted)},
	{name: "one body for a stream", share: 3, fault: true, shape: streamed, reply: says(func(c *call) fakeprovider.Chat {
		chat := c.chat()
		chat.OneBody = true
		return chat
	}, reported)},
	{name: "no finish", share: 3, fault: true, shape: streamed, reply: says(func(c *call) fakeprovider.Chat {
		chat := c.chat()
		chat.NoFinish, chat.NoUsage = true, true
		return chat
	}, counted)},
	{name: "error event alone", share: 2, fault: true, model: "chat/m", shape: streamed, reply: says(func(*call) fakeprovider.Chat { return fakeprovider.Chat{ErrorInstead: "overloaded"} }, nothing)},
	{name: "cut in a stream", share: 4, fault: true, shape: streamed, reply: halfway(counted, func(r fakeprovider.Reply, place int, _ *call) fakeprovider.Reply { return r.CutAt(place) })},
	{name: "reset in a stream", share: 4, fault: true, shape: streamed, act: nods, reply: halfway(counted, func(r fakeprovider.Reply, place int, c *call) fakeprovider.Reply {
		return r.HoldAt(place, c.gate).ResetAt(place)
	})},
	{name: "cut in a body", share: 2, fault: true, shape: whole, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		return c.chat().Answer(r).CutAt(20), nothing
	}},
	{name: "page in place of a reply", share: 2, fault: true, reply: always(fakeprovider.HTML(200), nothing)},
	{name: "redirect", share: 2, fault: true, reply: always(fakeprovider.Redirect("http://127.0.0.1:1/"), nothing)},
	{name: "400", share: 3, fault: true, reply: always(fakeprovider.Error(400, "bad", "no such parameter"), nothing)},

	{name: "caller leaves a stream", share: 6, fault: true, shape: streamed, act: leavesHalf, reply: halfway(counted, func(r fakeprovider.Reply, place int, c *call) fakeprovider.Reply { return r.HoldAt(place, c.gate) })},
	{name: "caller leaves before a stream", share: 3, fault: true, shape: streamed, act: leaves, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		return c.chat().Answer(r).HoldAt(fakeprovider.BeforeHeader, c.gate), counted
	}},
	{name: "caller leaves before a body", share: 3, fault: true, shape: whole, act: leaves, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		return c.chat().Answer(r).HoldAt(fakeprovider.BeforeHeader, c.gate), reported
	}},

	{name: "500", share: 4, fault: true, model: flaky, reply: always(fakeprovider.Error(500, "server_error", "sorry"), nothing)},
	{name: "busy key, then another", share: 3, fault: true, model: flaky, reply: func(r fakeprovider.Request, c *call, visit int) (fakeprovider.Reply, want) {
		if visit == 0 {
			return fakeprovider.Error(429, "rate_limit_exceeded", "slow down", "Retry-After", "1"), nothing
		}
		return c.chat().Answer(r), reported
	}},
	{name: "reset before a reply", share: 2, fault: true, model: flaky, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		return c.chat().Answer(r).ResetAt(fakeprovider.BeforeHeader), nothing
	}},
	{name: "fallback", share: 3, fault: true, model: fallsOn, reply: func(r fakeprovider.Request, c *call, _ int) (fakeprovider.Reply, want) {
		if r.Model == "n" {
			return fakeprovider.Error(503, "server_error", "down"), nothing
		}
		return c.chat().Answer(r), reported
	}},
	{name: "recovers", share: 6, model: flaky, reply: plain},
	{name: "refused connection", share: 2, fault: true, model: vanished},

	{name: "no JSON", share: 2, fault: true, body: `{"model":`, status: http.StatusBadRequest},
	{name: "unknown model", share: 2, fault: true, model: "fake/none", status: http.StatusNotFound},
	{name: "wrong pass", share: 1, fault: true, pass: func(pass string) string { return pass[:len(pass)-1] + "!" }},
}

// deadline is a call whose provider never answers; it lasts as long as any call may.
var deadline = kind{name: "deadline", fault: true, model: "fake/m", caller: "openai-chat", shape: streamed, reply: halfway(counted, func(r fakeprovider.Reply, place int, _ *call) fakeprovider.Reply { return r.HangAt(place) })}

// healthy are the models that no failure of a provider's is tried on, by what their providers speak:
// all dialects, or one, so that callers of the others are translated.
var healthy = map[string][]providers.Dialect{
	"fake/m":   {providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini},
	"chat/m":   {providers.OpenAI},
	"claude/m": {providers.Anthropic},
	"gem/m":    {providers.Gemini},
}
