package translate

import (
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// messagesDecoder reads one reply of Anthropic's. What the provider's own tools did has no counterpart, and is passed over.
// A message_start in the middle, as some servers send when they begin again, begins nothing: what was said stays said.
type messagesDecoder struct {
	begun   bool
	calls   int
	open    map[int64]*messagesOpen // by their index: the blocks that began and have not stopped
	figures messagesFigures
}

// messagesOpen is a block that goes on.
type messagesOpen struct {
	kind  string
	call  int    // the number of a call
	said  bool   // a part of the thought, or of the arguments
	proof string // the signature, as far as it came
}

func (d *messagesDecoder) event(data []byte, emit func(Piece)) {
	data, ok := wire.Readable(data)
	if !ok {
		return
	}
	root := gjson.ParseBytes(data)
	index := root.Get("index").Int()
	switch root.Get("type").Str {
	case "message_start":
		d.begin(root.Get("message"), emit)
		d.open = nil
		d.figures.take(root.Get("message.usage"), false)
	case "content_block_start":
		d.start(index, root.Get("content_block"), emit)
	case "content_block_delta":
		d.delta(index, root.Get("delta"), emit)
	case "content_block_stop":
		d.stop(index, emit)
	case "message_delta":
		d.finish(root.Get("delta"), root.Get("usage"), emit)
	case "message_stop":
		emit(Piece{Kind: End})
	default:
		if e := root.Get("error"); e.IsObject() {
			emit(Piece{Kind: Fails, Failure: messagesFailure(e)})
		}
	}
}

func (d *messagesDecoder) body(data []byte, emit func(Piece)) bool {
	data, ok := wire.Readable(data)
	if !ok {
		return false
	}
	root := gjson.ParseBytes(data)
	if !root.Get("content").IsArray() || root.Get("error").IsObject() {
		return false
	}
	d.begin(root, emit)
	for i, block := range root.Get("content").Array() {
		d.start(int64(i), block, emit)
		d.stop(int64(i), emit)
	}
	d.finish(root, root.Get("usage"), emit)
	emit(Piece{Kind: End})
	return true
}

func (d *messagesDecoder) begin(message gjson.Result, emit func(Piece)) {
	if !d.begun {
		d.begun = true
		emit(Piece{Kind: Begin, ID: message.Get("id").Str, Model: message.Get("model").Str})
	}
}

// start takes in a block as it begins: empty in a stream, whole in a body.
func (d *messagesDecoder) start(index int64, block gjson.Result, emit func(Piece)) {
	b := &messagesOpen{kind: block.Get("type").Str}
	if d.open == nil {
		d.open = map[int64]*messagesOpen{}
	}
	d.open[index] = b
	switch b.kind {
	case "text":
		say(Says, block.Get("text").Str, emit)
	case "thinking":
		b.think(block.Get("thinking").Str, emit)
		b.proof = block.Get("signature").Str
	case "redacted_thinking":
		emit(Piece{Kind: Thinks})
		emit(Piece{Kind: Proves, Proof: Proof{HiddenByAnthropic, block.Get("data").Str}})
	case "tool_use":
		b.call = d.calls
		d.calls++
		emit(Piece{Kind: Calls, Call: b.call, ID: block.Get("id").Str, Name: block.Get("name").Str})
		if input := block.Get("input"); input.Raw != "" && input.Type != gjson.Null && len(input.Map()) > 0 {
			b.argue(input.Raw, emit)
		}
	}
}

func (d *messagesDecoder) delta(index int64, delta gjson.Result, emit func(Piece)) {
	b := d.open[index]
	if b == nil {
		b = &messagesOpen{}
	}
	switch delta.Get("type").Str {
	case "text_delta":
		say(Says, delta.Get("text").Str, emit)
	case "thinking_delta":
		b.think(delta.Get("thinking").Str, emit)
	case "signature_delta":
		b.proof += delta.Get("signature").Str
	case "input_json_delta":
		if b.kind == "tool_use" {
			b.argue(delta.Get("partial_json").Str, emit)
		}
	}
}

// stop ends a block. The proof of a thought that was not shown gets an empty one to stand behind, so that it is not taken
// for that of a call. A call without arguments gets the empty object that its caller will look for.
func (d *messagesDecoder) stop(index int64, emit func(Piece)) {
	b := d.open[index]
	if b == nil {
		return
	}
	delete(d.open, index)
	switch {
	case b.kind == "tool_use" && !b.said:
		b.argue("{}", emit)
	case b.proof != "":
		if !b.said {
			emit(Piece{Kind: Thinks})
		}
		emit(Piece{Kind: Proves, Proof: unseal(ByAnthropic, b.proof)})
	}
}

func (b *messagesOpen) think(text string, emit func(Piece)) {
	b.said = b.said || text != ""
	say(Thinks, text, emit)
}

func (b *messagesOpen) argue(text string, emit func(Piece)) {
	if text != "" {
		b.said = true
		emit(Piece{Kind: Arguments, Call: b.call, Text: text})
	}
}

func say(kind PieceKind, text string, emit func(Piece)) {
	if text != "" {
		emit(Piece{Kind: kind, Text: text})
	}
}

// finish takes in why the reply ended, and its usage.
func (d *messagesDecoder) finish(delta, usage gjson.Result, emit func(Piece)) {
	if reason := delta.Get("stop_reason"); reason.Type == gjson.String {
		for _, index := range slices.Sorted(maps.Keys(d.open)) {
			d.stop(index, emit)
		}
		emit(Piece{Kind: Finish, Reason: reasonOfMessages(reason.Str), Stop: delta.Get("stop_sequence").Str})
	}
	if usage.IsObject() {
		d.figures.take(usage, true)
		if total, ok := d.figures.usage(); ok {
			emit(Piece{Kind: Figures, Usage: total})
		}
	}
}

// reasonOfMessages is why a reply ended, out of Anthropic's words.
func reasonOfMessages(reason string) Reason {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return Length
	case "tool_use":
		return ToCalls
	case "refusal":
		return Filtered
	}
	return Stopped
}

// messagesFailure reads an error, whose type stands for a status.
func messagesFailure(e gjson.Result) wire.Failure {
	f := wire.Failure{Message: e.Get("message").Str, Type: e.Get("type").Str, Status: 500}
	for _, status := range []int{400, 401, 402, 403, 404, 413, 429, 504, 529} {
		if wire.AnthropicErrorType(status) == f.Type {
			f.Status = status
		}
	}
	return f
}
