// Package wire knows what the bytes of each vendor's API mean: what a request asks for, which few fields of it may be
// edited, and what a reply says about usage, its finish and its errors. It opens no connection and keeps no text.
//
// A wire is the files that begin with its name, behind the interface Wire:
//
//	Chat, Completions   OpenAI's chat completions, and the older ones; spoken by nearly every vendor
//	Responses           OpenAI's responses
//	Messages            Anthropic's messages
//	Gemini              Google's generateContent, made by ParseGemini of a path, which names model and method
//	Embeddings, Media   OpenAI's embeddings, images and sounds: no text comes back
//
// Invariants:
//   - Bytes are sacred: an edit changes the fields it must and leaves every other byte, digit, escape and key order.
//   - Foreign bytes never panic, and never grow the stack: nesting is bounded before anything parses them.
//   - Figures that cannot be true (negative, above MaxTokens, not a number) are not usage.
package wire

import "fmt"

// MaxTokens bounds every figure that a request or a reply may name. No model comes near it, and sums of a day's
// requests stay far from overflow.
const MaxTokens = 1<<31 - 1

// MaxReplies bounds the replies that one request may ask for (n). OpenAI's own bound is 128.
const MaxReplies = 128

// Wire is one vendor API. Its values are stateless and safe for concurrent use.
type Wire interface {
	// Inspect reads what a request asks for. Its errors are *Invalid; Facts then still names the model, where the body
	// names just one.
	Inspect(body []byte) (Facts, error)
	// Edit returns the body with the edits made; body itself, never changed, when there is nothing to change. It wants
	// a body that Inspect accepted, and a cap that is 0 or not below Facts.Least.
	Edit(body []byte, e Edits) ([]byte, error)
	// NewReader returns a reader for one reply to a request.
	NewReader(f Facts) Reader
	// ErrorEvent is the event that ends a stream that failed after it began.
	ErrorEvent(f Failure) []byte
	// AsStream wraps a whole reply as the events of a stream, its end included; with a usage event if usage is set.
	// The error is for bodies that are no reply.
	AsStream(body []byte, usage bool) ([]byte, error)
	// AsWhole makes one reply of the data of a stream's events. The error is for events that are no reply, or cannot be
	// one body.
	AsWhole(events [][]byte) ([]byte, error)
}

// Reader reads one reply, whole or as a stream. It is not safe for concurrent use.
type Reader interface {
	// Event takes in the data of one stream event.
	Event(data []byte) Seen
	// Body takes in a whole reply.
	Body(body []byte) Seen
	// Usage is what the provider reported so far; false when it reported nothing usable.
	Usage() (Usage, bool)
	// Input is the input that the provider reported, also where the output is still to come; false when it did not.
	Input() (int64, bool)
	// Delivered is our own count of the output tokens delivered so far.
	Delivered() int64
	// Finished tells whether the reply came to its end: every choice has its finish reason, or the wire's end event came.
	Finished() bool
	// LengthFinish is what ends a stream that we cut: the wire's finish for "too long" for each reply still open, a usage
	// event where usage is not nil, and the wire's end event.
	LengthFinish(usage *Usage) []byte
	// KeepAlive is what may be sent between events while the provider is silent; nil = nothing. It may change with each
	// event.
	KeepAlive() []byte
}

// Failing is a reader of a wire whose error event tells which reply it ends.
type Failing interface {
	// Fails is ErrorEvent for the reply that is read.
	Fails(f Failure) []byte
}

// Facts is what a request asks for.
type Facts struct {
	Model      string
	Stream     bool
	UsageAsked bool   // a stream that is to end with a usage event
	Cap        int64  // the most tokens one reply may have, as the caller set it; 0 = not set. The larger one of two fields
	CapField   string // the field that Cap stands in; "" = not set
	Replies    int64  // how many replies are asked for (n), at least 1
	Least      int64  // the least cap that the request bears, as its thinking takes that much; 0 = any
	NoReply    bool   // no tokens come back, or none that can be capped: only the prompt is held
	ByRequest  bool   // it has no tokens of its own: what is not reported is not counted
}

// Edits is what must change in a request. Zero values change nothing.
type Edits struct {
	Model    string
	Cap      int64  // tokens a reply. A caller's own smaller limit stays: a cap never raises
	CapField string // where the cap goes when the caller set none; only chat completions have a choice
	AskUsage bool   // ask for a usage event; only done to streams, as others are refused with it
}

// Usage is what a reply cost, in tokens. CachedInput and WrittenInput, what was read from the provider's cache and what was
// put there, are parts of Input.
type Usage struct {
	Input, CachedInput, WrittenInput, Output int64
}

// Seen is what one event, or a whole body, turned out to be.
type Seen struct {
	Output    bool // it delivered output
	UsageOnly bool // it carries usage and nothing else: withheld from callers that did not ask for it
	Error     bool // it is an error; its text is not output
	Done      bool // it is the wire's end event
}

// Failure is an error in words, for the dialect's error object.
type Failure struct {
	Message, Type, Code string
	Status              int // as HTTP would have it; 0 = 500. Anthropic's and Google's words follow from it
}

// Invalid says what is wrong with a request, in words for its sender.
type Invalid struct {
	Param   string // the field at fault, "" = the body as a whole
	Message string
}

func (e *Invalid) Error() string { return e.Message }

func invalid(param, format string, args ...any) *Invalid {
	return &Invalid{Param: param, Message: fmt.Sprintf(format, args...)}
}
