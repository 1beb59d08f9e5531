package translate

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// chatDecoder reads a reply of a provider. Servers of this dialect differ most in how they tell thoughts and calls.
type chatDecoder struct {
	begun   bool
	choices []*chatDecoded
	usage   Usage
}

// The fields that servers tell thoughts in, and want them back in. OpenAI has none.
const (
	chatThinking  = "reasoning_content" // DeepSeek's, Moonshot's, Alibaba's, xAI's
	chatReasoning = "reasoning"         // Groq's, OpenRouter's
)

// chatDecoded is what is known of one choice.
type chatDecoded struct {
	calls    []chatDecodedCall
	thought  string // the field that a thought is being told in; "" = none
	seen     bool
	finished bool
	turns    chatTurns
}

// chatDecodedCall is a call that has begun: what the provider knows it by.
type chatDecodedCall struct {
	index int64
	id    string
}

func (d *chatDecoder) event(data []byte, emit func(Piece)) {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		d.close(emit)
		emit(Piece{Kind: End})
		return
	}
	data, ok := wire.Readable(data)
	if !ok {
		return
	}
	root := gjson.ParseBytes(data)
	if failure, failed := chatFailure(root); failed {
		emit(Piece{Kind: Fails, Failure: failure})
		return
	}
	if root.IsObject() {
		d.read(root, "delta", emit)
	}
}

func (d *chatDecoder) body(data []byte, emit func(Piece)) bool {
	data, ok := wire.Readable(data)
	if !ok {
		return false
	}
	root := gjson.ParseBytes(data)
	choices := root.Get("choices")
	if _, failed := chatFailure(root); failed || !choices.IsArray() || len(choices.Array()) == 0 {
		return false
	}
	d.read(root, "message", func(p Piece) {
		ok = ok && p.Kind != Fails
		emit(p)
	})
	d.close(emit)
	emit(Piece{Kind: End})
	return ok
}

// close finishes what ended without a reason.
func (d *chatDecoder) close(emit func(Piece)) {
	for index, c := range d.choices {
		if c.seen && !c.finished {
			c.finished = true
			c.speaker(index, emit)(Piece{Kind: Finish, Reason: c.reason(Stopped)})
		}
	}
}

// read takes in one object of the reply, whose choices carry their text under part.
func (d *chatDecoder) read(root gjson.Result, part string, emit func(Piece)) {
	choices, reported := root.Get("choices"), root.Get("x_groq.usage")
	begin := func(p Piece) {
		if !d.begun {
			d.begun = true
			emit(Piece{Kind: Begin, ID: root.Get("id").String(), Model: root.Get("model").String()})
		}
		emit(p)
	}
	if choices.IsArray() {
		choices.ForEach(func(_, c gjson.Result) bool {
			if usage := c.Get("usage"); usage.IsObject() { // Moonshot's
				reported = usage
			}
			d.choice(c, part, begin)
			return true
		})
	}
	if usage := root.Get("usage"); usage.IsObject() {
		reported = usage
	}
	if usage, ok := chatUsage(reported); ok && usage != d.usage {
		d.usage = usage
		begin(Piece{Kind: Figures, Usage: usage})
	}
}

func (d *chatDecoder) choice(c gjson.Result, part string, emit func(Piece)) {
	index := int(c.Get("index").Int())
	if index < 0 || index >= wire.MaxReplies {
		index = 0
	}
	for len(d.choices) <= index {
		d.choices = append(d.choices, &chatDecoded{})
	}
	state := d.choices[index]
	state.seen = true
	say := state.speaker(index, emit)
	if m := c.Get(part); m.IsObject() {
		d.message(state, m, say)
	}
	reason, known := chatReason(c.Get("finish_reason").String())
	switch {
	case reason == "" || state.finished:
	case !known:
		say(Piece{Kind: Fails, Failure: wire.Failure{Message: "The provider could not end its reply (" + string(reason) + ").", Type: "server_error", Code: "server_error"}})
	default:
		state.finished = true
		say(Piece{Kind: Finish, Reason: state.reason(reason), Stop: c.Get("stop_reason").Str}) // vLLM's
	}
}

// speaker says pieces of a choice, one call after the other, and behind a thought in which field it was told.
func (c *chatDecoded) speaker(index int, emit func(Piece)) func(Piece) {
	say := func(p Piece) {
		p.Choice = index
		emit(p)
	}
	return func(p Piece) {
		if field := c.thought; field != "" && p.Kind != Thinks {
			c.thought = ""
			c.turns.say(Piece{Kind: Proves, Proof: Proof{ByChat, field}}, say)
		}
		c.turns.say(p, say)
	}
}

// message says a message, or a piece of one. Some servers send a thought under two names; it is told once.
func (d *chatDecoder) message(state *chatDecoded, m gjson.Result, say func(Piece)) {
	switch {
	case chatText(m.Get(chatThinking), Thinks, say):
		state.thought = chatThinking
	case chatText(m.Get(chatReasoning), Thinks, say):
		state.thought = chatReasoning
	default:
		chatText(m.Get("reasoning_details"), Thinks, say)
	}
	chatText(m.Get("content"), Says, say)
	chatText(m.Get("refusal"), Declines, say)
	if calls := m.Get("tool_calls"); calls.IsArray() {
		calls.ForEach(func(_, call gjson.Result) bool {
			d.call(state, call, say)
			return true
		})
	}
}

// chatText says a text, or the texts in Mistral's and OpenRouter's lists of parts, and tells whether there were any.
func chatText(v gjson.Result, kind PieceKind, say func(Piece)) (some bool) {
	switch {
	case v.Type == gjson.String && v.Str != "":
		say(Piece{Kind: kind, Text: v.Str})
		return true
	case v.IsArray():
		v.ForEach(func(_, part gjson.Result) bool {
			if part.IsObject() {
				text, thought := chatText(part.Get("text"), kind, say), chatText(part.Get("thinking"), Thinks, say)
				some = some || text || thought
			}
			return true
		})
	}
	return some
}

// call says a call, or a piece of one. A piece belongs to the call with its index, unless it has an id of its own; one
// with neither belongs to the last call.
func (d *chatDecoder) call(state *chatDecoded, call gjson.Result, say func(Piece)) {
	id, function := call.Get("id").String(), call.Get("function")
	name, arguments := function.Get("name").String(), function.Get("arguments")
	index, at := call.Get("index"), -1
	for i := len(state.calls) - 1; i >= 0 && at < 0; i-- {
		known := state.calls[i]
		switch {
		case id != "" && id != known.id:
		case id == "" && name != "" && !index.Exists(): // a whole call of a server that numbers none
		case !index.Exists(), index.Int() == known.index:
			at = i
		}
	}
	if at < 0 && len(state.calls) == maxCalls {
		say(tooMuch)
		return
	}
	if at < 0 {
		at = len(state.calls)
		number := int64(at)
		if index.Exists() {
			number = index.Int()
		}
		state.calls = append(state.calls, chatDecodedCall{number, strings.Clone(id)})
		say(Piece{Kind: Calls, Call: at, ID: id, Name: name})
	}
	text := arguments.String()
	if arguments.IsObject() {
		text = arguments.Raw
	}
	if text != "" {
		say(Piece{Kind: Arguments, Call: at, Text: text})
	}
}

// reason is why a choice ended: some servers say "stop" where they have called tools.
func (c *chatDecoded) reason(said Reason) Reason {
	if said == Stopped && len(c.calls) > 0 {
		return ToCalls
	}
	return said
}
