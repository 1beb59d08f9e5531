package translate

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// responsesEncoder tells a reply to a caller. The API repeats each item when it is whole, and all of them at the end, so
// that the words of the reply are kept until then.
type responsesEncoder struct {
	q      *Request
	proofs bool // the caller asked for the proofs of thoughts
	object responsesObject
	begun  bool
	next   int64 // the sequence number of the next event

	open openItem
	ends Reason // "" until it is told
}

// openItem is the item that is being told: its last part, or the call that it is.
type openItem struct {
	kind  PieceKind // Says, Declines, Thinks or Calls
	index int       // of the item in the output; there is none where item is nil
	item  *responsesItem
	text  strings.Builder
	call  int // the number of the call
	tool  Tool
	free  freeText
}

func newResponsesEncoder(q *Request, o ReplyOptions) encoder {
	e := &responsesEncoder{q: q, object: newResponsesObject(q, o)}
	gjson.GetBytes(q.Asked, "include").ForEach(func(_, what gjson.Result) bool {
		e.proofs = e.proofs || what.String() == includeProofs
		return true
	})
	return e
}

// responsesEvent is one event of a stream.
type responsesEvent struct {
	Type      string           `json:"type"`
	Sequence  int64            `json:"sequence_number"`
	Response  *responsesObject `json:"response,omitempty"`
	ItemID    string           `json:"item_id,omitempty"`
	Output    *int             `json:"output_index,omitempty"`
	Item      *responsesItem   `json:"item,omitempty"`
	Content   *int             `json:"content_index,omitempty"`
	Summary   *int             `json:"summary_index,omitempty"`
	Part      *responsesPart   `json:"part,omitempty"`
	Delta     *string          `json:"delta,omitempty"`
	Text      *string          `json:"text,omitempty"`
	Refusal   *string          `json:"refusal,omitempty"`
	Name      string           `json:"name,omitempty"`
	Arguments *string          `json:"arguments,omitempty"`
	Input     *string          `json:"input,omitempty"`
	Logprobs  *[]struct{}      `json:"logprobs,omitempty"`
}

func (e *responsesEncoder) event(dst []byte, kind string, ev responsesEvent) []byte {
	ev.Type, ev.Sequence = kind, e.next
	e.next++
	return appendEvent(dst, kind, &ev)
}

func (e *responsesEncoder) piece(dst []byte, p Piece) []byte {
	if p.Choice > 0 {
		return dst // the API knows but one reply to a request
	}
	if !e.begun {
		dst = e.begin(dst, p)
	}
	switch p.Kind {
	case Says, Declines, Thinks:
		dst = e.words(dst, p.Kind, p.Text)
	case Proves:
		dst = e.prove(dst, p.Proof)
	case Calls:
		dst = e.call(dst, p)
	case Arguments:
		dst = e.arguments(dst, p)
	case Finish:
		e.ends = p.Reason
		dst = e.shut(dst)
	case Figures:
		e.object.Usage = responsesUsageOf(&p.Usage)
	case Fails:
		e.object.Status, e.object.Error = "failed", responsesErrorOf(p)
		dst = e.event(dst, "response.failed", responsesEvent{Response: &e.object})
	case End:
		dst = e.end(dst)
	}
	return dst
}

func responsesErrorOf(p Piece) *responsesError {
	code := p.Failure.Code
	if code == "" {
		code = "server_error"
	}
	return &responsesError{code, p.Failure.Message}
}

func (e *responsesEncoder) begin(dst []byte, p Piece) []byte {
	e.begun = true
	e.name(p.ID, p.Model, p.Kind == Begin)
	e.object.Status = "in_progress"
	dst = e.event(dst, "response.created", responsesEvent{Response: &e.object})
	return e.event(dst, "response.in_progress", responsesEvent{Response: &e.object})
}

// name takes id and model of the provider's, where it tells them.
func (e *responsesEncoder) name(id, model string, told bool) {
	if told && id != "" {
		e.object.ID = "resp_" + strings.TrimPrefix(strings.TrimPrefix(id, "resp_"), "chatcmpl-")
	}
	if told && model != "" {
		e.object.Model = model
	}
}

// itemID is the id of the next item: unlike any other's, as callers send it back.
func (e *responsesEncoder) itemID(prefix string) string {
	return prefix + strings.TrimPrefix(e.object.ID, "resp_") + "_" + strconv.Itoa(len(e.object.Output))
}

// add begins an item.
func (e *responsesEncoder) add(dst []byte, item *responsesItem) (_ []byte, index int) {
	index = len(e.object.Output)
	e.object.Output = append(e.object.Output, item)
	dst = e.event(dst, "response.output_item.added", responsesEvent{Output: &index, Item: item})
	return dst, index
}

// prove ends a thought with its proof. That of a call, or of words, is told as a thought without words behind it, which is
// where the caller's next request has it.
func (e *responsesEncoder) prove(dst []byte, p Proof) []byte {
	if e.open.item != nil && e.open.kind == Thinks {
		e.open.item.Proof = e.mark(p)
		return e.shut(dst)
	}
	if !e.proofs || p.Token == "" {
		return dst
	}
	dst = e.shut(dst)
	item := thoughtItem(e.itemID("rs_"), p.seal(ByOpenAI))
	dst, index := e.add(dst, item)
	return e.event(dst, "response.output_item.done", responsesEvent{Output: &index, Item: item})
}

// mark is what a thought is told with as its proof.
func (e *responsesEncoder) mark(p Proof) string {
	if !e.proofs {
		return ""
	}
	return p.mark(ByOpenAI)
}

func (e *responsesEncoder) end(dst []byte) []byte {
	dst = e.shut(dst)
	e.settle(e.ends)
	return e.event(dst, "response."+e.object.Status, responsesEvent{Response: &e.object})
}

// settle says how the response ended.
func (e *responsesEncoder) settle(reason Reason) {
	e.object.Status = "completed"
	switch reason {
	case Length:
		e.object.Status, e.object.Incomplete = "incomplete", &responsesIncomplete{"max_output_tokens"}
	case Filtered:
		e.object.Status, e.object.Incomplete = "incomplete", &responsesIncomplete{"content_filter"}
	}
}
