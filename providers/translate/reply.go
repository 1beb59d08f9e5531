package translate

import (
	"bytes"
	"fmt"
	"net/http"

	"perdiem/providers/wire"
)

// PieceKind is what a piece of a reply is.
type PieceKind int

// The kinds of pieces, and which fields of Piece they use. A block (text, thought, call) goes on until a piece of
// another kind, choice or call comes.
const (
	Begin     PieceKind = iota // ID, Model
	Says                       // Text
	Thinks                     // Text
	Proves                     // Proof: of the thought before it, or of the call before it
	Declines                   // Text
	Calls                      // Call, ID, Name: a tool call begins; Proof, where it is known already and follows
	Arguments                  // Call, Text: more of its arguments
	Finish                     // Reason, Stop
	Figures                    // Usage; the last one counts
	Fails                      // Failure
	End                        // the reply is over
)

// Piece is one thing that a reply says, in the middle form.
type Piece struct {
	Kind    PieceKind
	Choice  int // which of several replies (n)
	ID      string
	Model   string
	Name    string
	Text    string
	Call    int // the number of the tool call within its choice, from 0
	Proof   Proof
	Reason  Reason
	Stop    string // the stop sequence that ended it, where the provider tells
	Usage   Usage
	Failure wire.Failure
}

// Reason is why a reply ended.
type Reason string

// The reasons, in the words of chat completions.
const (
	Stopped  Reason = "stop"
	Length   Reason = "length"
	ToCalls  Reason = "tool_calls"
	Filtered Reason = "content_filter"
)

// Usage is what the provider reported, in tokens. CacheRead and CacheWrite are parts of Input, Reasoning one of Output.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int64
}

// decoder reads one reply of a provider.
type decoder interface {
	// event takes in the data of one stream event.
	event(data []byte, emit func(Piece))
	// body takes in a whole reply; false if it is none.
	body(data []byte, emit func(Piece)) bool
}

// closer is a decoder that only knows at the end of the stream what it still has to say, as no event ends it.
type closer interface {
	close(emit func(Piece))
}

// encoder tells one reply to a caller.
type encoder interface {
	// piece appends the events that tell a piece to a stream. After End or Fails it is not called again.
	piece(dst []byte, p Piece) []byte
	// whole is the body that tells a whole reply, to be marshalled.
	whole(a Answer) any
}

// Reply translates one reply, as a stream or whole. It is not safe for concurrent use.
type Reply struct {
	decoder decoder
	encoder encoder
	buf     []byte
	ended   bool
	failure *wire.Failure // the provider's, or ours, that ended it
	id      string        // told apart from all other replies
	calls   int
}

// Event takes in the data of one event of the provider's, and returns the events for the caller: none, or several. They
// are valid until the next call.
func (r *Reply) Event(data []byte) []byte {
	r.buf = r.buf[:0]
	if !r.ended && len(data) > 0 {
		r.decoder.event(data, r.emit)
	}
	return r.buf
}

// Close returns what is still to be said where the provider ended well without its end event.
func (r *Reply) Close() []byte {
	r.buf = r.buf[:0]
	if c, ok := r.decoder.(closer); ok {
		c.close(r.emit)
	}
	r.emit(Piece{Kind: End})
	return r.buf
}

func (r *Reply) emit(p Piece) {
	if r.ended {
		return
	}
	p = r.bounded(p)
	r.note(p)
	r.ended = r.failure != nil || p.Kind == End
	r.buf = r.encoder.piece(r.buf, r.named(p))
}

// maxCalls bounds the tool calls of one reply: each piece is looked up among those before it, so that a provider that never
// stops calling would keep the processor. Real replies have a handful.
const maxCalls = 512

var tooMuch = Piece{Kind: Fails, Failure: wire.Failure{Status: http.StatusBadGateway, Type: "server_error", Code: "server_error", Message: "The provider called more tools in one reply than this gateway can tell."}}

// bounded is a piece, or the failure in its place.
func (r *Reply) bounded(p Piece) Piece {
	if p.Kind == Calls && r.calls == maxCalls {
		return tooMuch
	}
	return p
}

// named gives a call an id where its provider gave it none: no dialect but Google's has calls without, and Claude Code does
// not make one whose id it has seen before.
func (r *Reply) named(p Piece) Piece {
	if p.Kind == Calls {
		if r.calls++; p.ID == "" {
			p.ID = fmt.Sprintf("call_%s_%d", r.id, r.calls)
		}
	}
	return p
}

// Fail ends a stream that broke off with an error of ours, in the caller's dialect.
func (r *Reply) Fail(f wire.Failure) []byte {
	r.buf = r.buf[:0]
	r.emit(Piece{Kind: Fails, Failure: f})
	return r.buf
}

// Failure is the error that ended the reply; nil if none did.
func (r *Reply) Failure() *wire.Failure { return r.failure }

func (r *Reply) note(p Piece) {
	if p.Kind == Fails && r.failure == nil {
		f := p.Failure // so that no other piece is kept
		r.failure = &f
	}
}

// Body says a whole reply in the caller's dialect; false if it is none. Failure then tells what the provider said of it.
func (r *Reply) Body(body []byte) ([]byte, bool) {
	var pieces []Piece
	if !r.decoder.body(body, func(p Piece) {
		p = r.bounded(p)
		r.note(p)
		pieces = append(pieces, r.named(p))
	}) || r.failure != nil {
		return nil, false
	}
	said, err := marshal(r.encoder.whole(gather(pieces)))
	return bytes.TrimSpace(said), err == nil
}
