package translate

import (
	"slices"

	"perdiem/providers/wire"
)

// geminiEncoder tells a reply to a caller of Google's dialect. Its events are data lines alone: Google's clients drop or
// crash on others. A call is told whole, in one part, so that its arguments are kept until it ends.
type geminiEncoder struct {
	request *Request
	id      string
	model   string
	usage   *Usage
	choices []geminiTold
}

// geminiTold is one of the replies, as far as it came.
type geminiTold struct {
	last     PieceKind
	thoughts []Part // since the last call
	calls    []geminiOpenCall
	broken   bool // a call that can never be told came
	reason   Reason
}

type geminiOpenCall struct {
	number    int
	id, name  string
	arguments []byte
	signature string
}

// geminiReply is a whole reply, or one event of a stream.
type geminiReply struct {
	Candidates []geminiCandidate `json:"candidates"`
	Usage      *geminiUsage      `json:"usageMetadata,omitempty"`
	Model      string            `json:"modelVersion,omitempty"`
	ID         string            `json:"responseId,omitempty"`
}

type geminiCandidate struct {
	Content geminiContent `json:"content"`
	Reason  string        `json:"finishReason,omitempty"`
	Index   int           `json:"index"`
}

type geminiUsage struct {
	Prompt     int64 `json:"promptTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount,omitempty"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount,omitempty"`
	Total      int64 `json:"totalTokenCount"`
}

func (e *geminiEncoder) piece(dst []byte, p Piece) []byte {
	switch p.Kind {
	case Begin:
		e.model = p.Model
		if p.ID != "" {
			e.id = p.ID
		}
	case Figures:
		e.usage = &p.Usage
	case Fails:
		return append(dst, wire.Generate(true).Wire().ErrorEvent(p.Failure)...)
	case End:
		return e.end(dst)
	default:
		for len(e.choices) <= p.Choice {
			e.choices = append(e.choices, geminiTold{})
		}
		parts := e.choices[p.Choice].take(p, e.request)
		if len(parts) > 0 {
			return appendEvent(dst, "", e.reply(geminiCandidate{Content: geminiContent{"model", parts}, Index: p.Choice}))
		}
	}
	return dst
}

func (e *geminiEncoder) reply(candidates ...geminiCandidate) geminiReply {
	return geminiReply{Candidates: candidates, Model: e.model, ID: e.id}
}

// end is the last event, with the finish of each reply and the figures, as Google has them together.
func (e *geminiEncoder) end(dst []byte) []byte {
	if len(e.choices) == 0 {
		e.choices = make([]geminiTold, 1)
	}
	var last geminiReply
	for i := range e.choices {
		c := &e.choices[i]
		parts := c.told(e.request, true)
		if len(parts) == 0 {
			parts = []geminiPart{geminiText("")}
		}
		last.Candidates = append(last.Candidates, geminiCandidate{geminiContent{"model", parts}, geminiReason(c.reason, c.broken), i})
	}
	last.Usage, last.Model, last.ID = geminiUsageOf(e.usage), e.model, e.id
	return appendEvent(dst, "", last)
}

// take takes in a piece, and returns the parts that it completes.
func (c *geminiTold) take(p Piece, q *Request) (parts []geminiPart) {
	if p.Kind != Arguments && p.Kind != Proves {
		parts = c.told(q, p.Kind == Finish)
	}
	switch p.Kind {
	case Says, Declines:
		if p.Text != "" {
			parts = append(parts, geminiText(p.Text))
		}
	case Thinks:
		c.think(p.Text)
		if q.showsThoughts() && p.Text != "" {
			part := geminiText(p.Text)
			part.Thought = true
			parts = append(parts, part)
		}
	case Proves:
		if n := len(c.calls); n > 0 && (c.last == Calls || c.last == Arguments) {
			c.calls[n-1].signature = p.Proof.seal(ByGoogle)
		} else if thought := c.prove(p.Proof); q.showsThoughts() {
			parts = append(parts, geminiProof(p.Proof, thought))
		}
	case Calls:
		c.calls = append(c.calls, geminiOpenCall{number: p.Call, id: p.ID, name: p.Name, signature: sealThoughts(c.thoughts)})
		c.thoughts = nil
	case Arguments:
		if i := slices.IndexFunc(c.calls, func(call geminiOpenCall) bool { return call.number == p.Call }); i >= 0 {
			c.calls[i].arguments = append(c.calls[i].arguments, p.Text...)
		} else {
			c.broken = true // its call was told as whole
		}
	case Finish:
		c.reason = p.Reason
	}
	c.last = p.Kind
	return parts
}

// think keeps a thought, or more of the last one.
func (c *geminiTold) think(text string) {
	if n := len(c.thoughts); n > 0 && c.last == Thinks {
		c.thoughts[n-1].Text += text
	} else {
		c.thoughts = append(c.thoughts, Part{Kind: Thought, Text: text})
	}
}

// prove keeps the proof of the last thought, and tells whether that one has words.
func (c *geminiTold) prove(p Proof) bool {
	if c.last != Thinks {
		c.thoughts = append(c.thoughts, Part{Kind: Thought})
	}
	t := &c.thoughts[len(c.thoughts)-1]
	t.Proof = p
	return t.Text != ""
}

// told returns the calls that are whole, in their order; all that are left, at the end. Some providers send the arguments
// of several calls by turns.
func (c *geminiTold) told(q *Request, all bool) (parts []geminiPart) {
	for len(c.calls) > 0 {
		call := c.calls[0]
		part, whole := geminiCallOf(q, call.id, call.name, string(call.arguments), call.signature)
		switch {
		case whole && (all || len(call.arguments) > 0):
			parts = append(parts, part)
		case all:
			c.broken = true
		default:
			return parts
		}
		c.calls = c.calls[1:]
	}
	return parts
}
