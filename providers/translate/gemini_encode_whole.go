package translate

import (
	"strings"

	"perdiem/providers/wire"
)

func (e *geminiEncoder) whole(a Answer) any {
	said := geminiReply{Candidates: []geminiCandidate{}, Usage: geminiUsageOf(a.Usage), Model: a.Model, ID: a.ID}
	if said.ID == "" {
		said.ID = e.id
	}
	for i, c := range a.Choices {
		content, broken := geminiContent{"model", nil}, false
		var thoughts []Part // since the last call
		for _, b := range c.Blocks {
			signature := b.Proof.seal(ByGoogle)
			switch {
			case b.Kind == Thinks:
				thoughts = append(thoughts, Part{Kind: Thought, Text: b.Text, Proof: b.Proof})
			case b.Kind == Calls && signature == "":
				signature, thoughts = sealThoughts(thoughts), nil
			}
			parts, ok := e.block(b, signature)
			content.Parts = append(content.Parts, parts...)
			broken = broken || !ok
		}
		if len(content.Parts) == 0 {
			content.Parts = []geminiPart{geminiText("")}
		}
		said.Candidates = append(said.Candidates, geminiCandidate{content, geminiReason(c.Reason, broken), i})
	}
	return said
}

// block tells one part of a whole reply; false for a call that can never be told.
func (e *geminiEncoder) block(b Block, signature string) ([]geminiPart, bool) {
	switch part := geminiText(b.Text); {
	case b.Kind == Calls:
		part, ok := geminiCallOf(e.request, b.ID, b.Name, b.Text, signature)
		if !ok {
			return nil, false
		}
		return []geminiPart{part}, true
	case b.Text == "" && signature == "", b.Kind == Thinks && !e.request.showsThoughts():
		return nil, true
	default:
		part.Thought, part.Signature = b.Kind == Thinks && b.Text != "", signature
		return []geminiPart{part}, true
	}
}

// showsThoughts tells whether the caller asked to be told the model's thoughts.
func (q *Request) showsThoughts() bool { return q.Thinking != nil && q.Thinking.Shown }

// geminiProof is a part with a proof alone, of the thought before it or, without one, of what comes behind the model's
// thoughts.
func geminiProof(p Proof, thought bool) geminiPart {
	part := geminiText("")
	part.Thought, part.Signature = thought, p.seal(ByGoogle)
	return part
}

// geminiCallOf is a call; false where its arguments are no object, or only half of one.
func geminiCallOf(q *Request, id, name, arguments, signature string) (geminiPart, bool) {
	args := strings.TrimSpace(arguments)
	if args == "" {
		args = "{}"
	}
	said, ok := wire.Readable([]byte(args))
	call := &geminiCall{id, q.tool(name).Said, said}
	return geminiPart{Call: call, Signature: signature}, ok && args[0] == '{'
}

// geminiReason is why a reply ended. Google ends a reply whose calls are no calls with a reason of its own, and one with
// calls like any other.
func geminiReason(r Reason, broken bool) string {
	switch {
	case r == Length:
		return "MAX_TOKENS"
	case r == Filtered:
		return "SAFETY"
	case broken:
		return "MALFORMED_FUNCTION_CALL"
	case r == Stopped || r == ToCalls:
		return "STOP"
	}
	return "OTHER"
}

// geminiUsageOf is usage in Google's words: what was read from a cache is a part of the prompt, and thoughts stand beside
// what was said.
func geminiUsageOf(u *Usage) *geminiUsage {
	if u == nil {
		return nil
	}
	return &geminiUsage{u.Input, u.CacheRead, max(u.Output-u.Reasoning, 0), u.Reasoning, u.Input + u.Output}
}
