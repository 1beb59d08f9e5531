package translate

import (
	"bytes"
	"fmt"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// geminiDecoder reads a reply of Google's. No event ends its streams, and some models name a finish and figures in each
// event, of which the last ones count: both are told when the stream has ended.
type geminiDecoder struct {
	begun   bool
	blocked bool // the prompt was: no candidate comes
	choices []geminiChoice
	usage   geminiFigures
}

// geminiChoice is one of the replies.
type geminiChoice struct {
	calls    int
	open     *geminiArguments // of a call that comes in pieces
	finish   string
	thinking bool // the last part was a thought that has no proof yet
}

// geminiFigures are running totals. Zeros are left out of them.
type geminiFigures struct {
	reported                                         bool
	prompt, tools, cached, candidates, thoughts, sum int64
}

func (d *geminiDecoder) event(data []byte, emit func(Piece)) {
	if data, ok := wire.Readable(data); ok {
		d.read(gjson.ParseBytes(data), emit)
	}
}

// body takes in one object, or the array of them that a stream is without alt=sse.
func (d *geminiDecoder) body(data []byte, emit func(Piece)) bool {
	data, ok := wire.Readable(data)
	if !ok {
		return false
	}
	failed := false
	watch := func(p Piece) {
		failed = failed || p.Kind == Fails
		emit(p)
	}
	root := gjson.ParseBytes(data)
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		root.ForEach(func(_, part gjson.Result) bool {
			d.read(part, watch)
			return true
		})
	} else {
		d.read(root, watch)
	}
	d.close(watch)
	return !failed && (d.blocked || len(d.choices) > 0)
}

func (d *geminiDecoder) read(root gjson.Result, emit func(Piece)) {
	if failure := root.Get("error"); failure.Exists() && failure.Type != gjson.Null {
		emit(Piece{Kind: Fails, Failure: wire.Failure{
			Message: failure.Get("message").String(), Type: failure.Get("status").String(), Status: int(failure.Get("code").Int()),
		}})
		return
	}
	if !d.begun {
		d.begun = true
		emit(Piece{Kind: Begin, ID: root.Get("responseId").String(), Model: root.Get("modelVersion").String()})
	}
	root.Get("candidates").ForEach(func(_, candidate gjson.Result) bool {
		if candidate.IsObject() {
			d.candidate(candidate, emit)
		}
		return true
	})
	d.blocked = d.blocked || root.Get("promptFeedback.blockReason").String() != ""
	d.usage.take(root.Get("usageMetadata"))
}

func (d *geminiDecoder) candidate(v gjson.Result, emit func(Piece)) {
	index := int(v.Get("index").Int())
	if index < 0 || index >= wire.MaxReplies {
		index = 0
	}
	for len(d.choices) <= index {
		d.choices = append(d.choices, geminiChoice{})
	}
	c := &d.choices[index]
	say := func(p Piece) {
		p.Choice = index
		emit(p)
	}
	v.Get("content.parts").ForEach(func(_, part gjson.Result) bool {
		c.part(part, say)
		return true
	})
	if finish := v.Get("finishReason").String(); finish != "" {
		c.finish = finish
	}
}

func (c *geminiChoice) part(v gjson.Result, emit func(Piece)) {
	proof := Proof{ByGoogle, v.Get("thoughtSignature").String()}
	if call := v.Get("functionCall"); call.IsObject() {
		c.call(call, proof, emit)
		return
	}
	if v.Get("inlineData").Exists() {
		emit(Piece{Kind: Fails, Failure: wire.Failure{Message: "The model answered with an image or a sound, which cannot be told in this dialect."}})
		return
	}
	text, thought := v.Get("text").String(), v.Get("thought").Bool()
	if text != "" {
		c.endCall(emit)
	}
	switch {
	case text != "" && thought:
		emit(Piece{Kind: Thinks, Text: text})
	case text != "":
		emit(Piece{Kind: Says, Text: text})
	}
	c.thinking = text != "" && thought || text == "" && c.thinking
	if proof.Token != "" {
		if !c.thinking { // words are signed as what comes behind the model's thoughts
			emit(Piece{Kind: Thinks})
		}
		emit(Piece{Kind: Proves, Proof: proof})
		c.thinking = false
	}
}

// call takes in a call, which mostly has no id. Vertex can be asked for arguments in pieces: then a call begins with a name
// alone, and ends with the first part that does not say that it continues.
func (c *geminiChoice) call(v gjson.Result, proof Proof, emit func(Piece)) {
	c.thinking = false
	if name := v.Get("name").String(); name != "" {
		c.endCall(emit)
		c.open = &geminiArguments{number: c.calls}
		c.calls++
		emit(Piece{Kind: Calls, Call: c.open.number, ID: v.Get("id").String(), Name: name, Proof: proof})
	}
	if c.open == nil {
		return
	}
	if proof.Token != "" {
		c.open.proof = proof
	}
	if args := v.Get("args"); args.IsObject() {
		c.open.whole = args.Raw
	}
	v.Get("partialArgs").ForEach(func(_, arg gjson.Result) bool {
		if !c.open.add(arg) {
			emit(Piece{Kind: Fails, Failure: wire.Failure{Message: "The provider named the arguments of a call in a way that is not known here."}})
		}
		return true
	})
	if !v.Get("willContinue").Bool() {
		c.endCall(emit)
	}
}

func (c *geminiChoice) endCall(emit func(Piece)) {
	if c.open == nil {
		return
	}
	emit(Piece{Kind: Arguments, Call: c.open.number, Text: c.open.json()})
	if c.open.proof.Token != "" {
		emit(Piece{Kind: Proves, Call: c.open.number, Proof: c.open.proof})
	}
	c.open = nil
}

// close tells what only counts at the end.
func (d *geminiDecoder) close(emit func(Piece)) {
	for i := range d.choices {
		c := &d.choices[i]
		say := func(p Piece) {
			p.Choice = i
			emit(p)
		}
		c.endCall(say)
		c.end(say)
	}
	if len(d.choices) == 0 && d.blocked {
		emit(Piece{Kind: Finish, Reason: Filtered})
	}
	if usage, ok := d.usage.total(); ok {
		emit(Piece{Kind: Figures, Usage: usage})
	}
}

// end tells why a reply ended. https://ai.google.dev/api/generate-content#FinishReason
func (c *geminiChoice) end(emit func(Piece)) {
	reason := Stopped
	switch c.finish {
	case "":
		return
	case "MAX_TOKENS", "CONTINUATION":
		reason = Length
	case "STOP", "FINISH_REASON_UNSPECIFIED":
		if c.calls > 0 {
			reason = ToCalls
		}
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE":
		emit(Piece{Kind: Fails, Failure: wire.Failure{Message: fmt.Sprintf("The model's reply went wrong: its provider ended it with %s.", c.finish)}})
		return
	default: // SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, LANGUAGE, OTHER and their kin
		reason = Filtered
	}
	emit(Piece{Kind: Finish, Reason: reason})
}

func (u *geminiFigures) take(v gjson.Result) {
	for name, to := range map[string]*int64{
		"promptTokenCount": &u.prompt, "toolUsePromptTokenCount": &u.tools, "cachedContentTokenCount": &u.cached,
		"candidatesTokenCount": &u.candidates, "thoughtsTokenCount": &u.thoughts, "totalTokenCount": &u.sum,
	} {
		if n := v.Get(name); n.Exists() && n.Int() >= 0 && n.Int() <= wire.MaxTokens {
			*to, u.reported = n.Int(), true
		}
	}
}

// total is what was used. Where a part of the output is not told apart, the sum holds it.
func (u *geminiFigures) total() (Usage, bool) {
	input, output := u.prompt+u.tools, u.candidates+u.thoughts
	if u.candidates == 0 || u.thoughts == 0 {
		output = max(output, u.sum-input)
	}
	return Usage{Input: input, CacheRead: min(u.cached, input), Output: output, Reasoning: u.thoughts}, u.reported
}
