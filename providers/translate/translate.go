// Package translate says in one dialect what was said in another, so that any tool can ask any model.
//
// There is one middle form, that of OpenAI's chat completions: Request for what is asked, Piece for what is answered. A
// dialect reads its requests into it and writes them out of it, decodes its replies into it and encodes them out of it,
// so that there are as many translators as dialects and not as many as pairs.
//
// Invariants:
//   - Nothing is dropped silently: what the other side cannot be told is refused by its name, or, where leaving it out
//     cannot change what the answer means, left out and named in Said.Left.
//   - A stream stays a stream: of each event that comes, what can be said is said before the next one is looked at.
//   - No tool call is lost, and none made up.
//   - Foreign bytes never panic. Bodies are ones that the wire's Inspect accepted, so that their nesting is bounded.
package translate

import (
	"strings"

	"perdiem/providers"
	"perdiem/providers/wire"
)

// dialect is what one dialect can do for the middle form; what it cannot is nil.
type dialect struct {
	read    func(r *reading, body []byte) *Request      // a caller's request
	write   func(w *writing, q *Request, o Options) any // as the body for a provider, to be marshalled
	decoder func() decoder                              // of a provider's reply
	encoder func(q *Request, o ReplyOptions) encoder    // of a reply to a caller
}

var dialects = map[providers.Dialect]dialect{
	providers.OpenAI:    chat,
	providers.Anthropic: messages,
	providers.Gemini:    gemini,
	providers.Responses: responses,
}

// Translation carries requests from one dialect to another, and the replies back.
type Translation struct{ caller, provider dialect }

// Between is the translation for callers of one dialect and providers of another; false where there is none.
func Between(caller, provider providers.Dialect) (Translation, bool) {
	t := Translation{dialects[caller], dialects[provider]}
	return t, caller != provider && t.caller.read != nil && t.provider.write != nil
}

// Options is what a request is written with, beside what the caller said.
type Options struct {
	Model    string // the provider's name of it
	Stream   bool   // asked for as a stream; Gemini's callers say so in the path
	Reply    int64  // the tokens of a reply where the caller set no limit and the provider wants one
	MaxReply int64  // the most tokens that the model can say; 0 = not known. A caller's limit above it is lowered
	CapField string // where chat completions have the limit of a reply
	Reasons  bool   // the model can think before it answers
}

// Said is a request in the provider's dialect.
type Said struct {
	Body        []byte
	Left        []string // the fields that were left out, as the caller named them
	translation Translation
	request     *Request
}

// Request says a caller's request in the provider's dialect. Its errors are *wire.Invalid, which name the field that
// cannot be carried.
func (t Translation) Request(body []byte, o Options) (Said, error) {
	r := &reading{}
	q := t.caller.read(r, body)
	if r.err != nil {
		return Said{}, r.err
	}
	q.Stream = q.Stream || o.Stream
	q.Messages = r.matched(q.Messages)
	if o.MaxReply > 0 {
		q.MaxTokens = min(q.MaxTokens, o.MaxReply) // tools name the limits of their own vendor's models
	}
	w := &writing{reading: r}
	v := t.provider.write(w, q, o)
	if r.err != nil {
		return Said{}, r.err
	}
	said, err := marshal(v)
	if err != nil {
		return Said{}, &wire.Invalid{Message: "This request cannot be said in the dialect of the model's provider."}
	}
	return Said{said, r.left, t, q}, nil
}

// ReplyOptions is what a reply is told with.
type ReplyOptions struct {
	ID     string // for the reply where the provider gives it none
	Now    int64  // unix seconds
	Prompt int64  // tokens of the prompt as estimated, for dialects that tell them before the provider has
}

// NewReply returns a translator of one reply to a request.
func (s Said) NewReply(o ReplyOptions) *Reply {
	return &Reply{id: strings.TrimPrefix(o.ID, "req_"), decoder: s.translation.provider.decoder(), encoder: s.translation.caller.encoder(s.request, o)}
}
