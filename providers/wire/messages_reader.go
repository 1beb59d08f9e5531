package wire

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// messagesReader reads a reply of Anthropic's.
type messagesReader struct {
	usage messagesUsage
	out   delivered
	begun bool
	done  bool
	open  []int64 // blocks that began and did not stop
}

// maxOpen bounds how many open blocks are remembered; real replies have one at a time.
const maxOpen = 256

var messagesPing = []byte("event: ping\ndata: {\"type\": \"ping\"}\n\n")

func (r *messagesReader) Usage() (Usage, bool) {
	u, ok := r.usage.total()
	return u, ok && r.out.vouches(u)
}

func (r *messagesReader) Input() (int64, bool) { return r.usage.prompt() }
func (r *messagesReader) Delivered() int64     { return r.out.tokens() }
func (r *messagesReader) Finished() bool       { return r.done }
func (r *messagesReader) KeepAlive() []byte    { return messagesPing }

func (r *messagesReader) Event(data []byte) Seen {
	root, err := parseReply(data)
	if err != nil {
		return Seen{}
	}
	before := r.out.bytes()
	index := root.Get("index").Int()
	switch root.Get("type").Str {
	case "message_start":
		r.begun, r.done, r.usage.final, r.open = true, false, false, nil
		r.usage.take(root.Get("message.usage"), false)
	case "content_block_start":
		if len(r.open) < maxOpen {
			r.open = append(r.open, index)
		}
		r.block(index, root.Get("content_block"))
	case "content_block_delta":
		delta := root.Get("delta")
		for _, field := range []string{"text", "thinking", "partial_json", "content"} {
			r.out.addString(index, field, delta.Get(field))
		}
	case "content_block_stop":
		r.open = slices.DeleteFunc(r.open, func(i int64) bool { return i == index })
	case "message_delta":
		r.out.tell(r.usage.take(root.Get("usage"), true))
	case "message_stop":
		r.done = true
		return Seen{Done: true}
	default:
		return Seen{Error: !absent(root.Get("error"))}
	}
	return Seen{Output: r.out.bytes() > before}
}

func (r *messagesReader) Body(body []byte) Seen {
	root, err := parseReply(body)
	if err != nil {
		return Seen{}
	}
	content := root.Get("content")
	if !content.IsArray() {
		// Counting tokens answers with input_tokens alone, which is nobody's usage.
		return Seen{Error: !absent(root.Get("error"))}
	}
	for i, block := range content.Array() {
		r.block(int64(i), block)
	}
	r.out.tell(r.usage.take(root.Get("usage"), true))
	r.done = true
	return Seen{Output: r.out.bytes() > 0}
}

// block counts what a content block holds by itself: all of it in a whole body, the name of a tool in a stream. What
// tools answered is input, though it stands among the content.
func (r *messagesReader) block(index int64, b gjson.Result) {
	kind := b.Get("type").Str
	if strings.HasSuffix(kind, "_result") {
		return
	}
	for _, field := range []string{"text", "thinking", "name"} {
		r.out.addString(index, field, b.Get(field))
	}
	if kind == "compaction" {
		r.out.addString(index, "content", b.Get("content"))
	}
	r.out.addJSON(index, "partial_json", b.Get("input"))
}

// LengthFinish closes the blocks that are open: SDKs hand out a block when it stops.
func (r *messagesReader) LengthFinish(usage *Usage) []byte {
	var out []byte
	for _, index := range r.open {
		out = append(out, named("content_block_stop", struct {
			Type  string `json:"type"`
			Index int64  `json:"index"`
		}{"content_block_stop", index})...)
	}
	if usage == nil {
		usage = &Usage{Output: r.Delivered()}
	}
	return append(out, messagesEnd(messagesDelta{Reason: "max_tokens"}, messagesUsageBody{
		Input: usage.Input - usage.CachedInput, Read: usage.CachedInput, Output: usage.Output})...)
}
