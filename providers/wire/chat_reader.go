package wire

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// chatReader reads a reply of chat completions. It keeps counts, and of the reply's own words only what a finish of ours
// must repeat: id, model, created.
type chatReader struct {
	replies int64
	choices map[int64]bool // by index: whether its finish reason came
	done    bool
	usage   reported
	out     delivered

	id, model string
	created   int64
}

func newChatReader(replies int64) *chatReader {
	return &chatReader{replies: replies, choices: make(map[int64]bool, 1)}
}

func (r *chatReader) Event(data []byte) Seen {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		r.done = true
		return Seen{Done: true}
	}
	return r.read(data, "delta")
}

func (r *chatReader) Body(body []byte) Seen {
	seen := r.read(body, "message")
	seen.UsageOnly = false
	return seen
}

func (r *chatReader) Usage() (Usage, bool) {
	u, ok := r.usage.total()
	return u, ok && r.out.vouches(u)
}

func (r *chatReader) Input() (int64, bool) { return r.usage.prompt() }
func (r *chatReader) Delivered() int64     { return r.out.tokens() }

// KeepAlive is a bare newline: every client of this dialect passes over it, where some choke on comments.
func (r *chatReader) KeepAlive() []byte { return newline }

var newline = []byte("\n")

func (r *chatReader) Finished() bool {
	if r.done {
		return true
	}
	for _, finished := range r.choices {
		if !finished {
			return false
		}
	}
	return int64(len(r.choices)) >= r.replies
}

// read takes in one object of the reply, whose choices carry their text under part ("delta" or "message").
func (r *chatReader) read(b []byte, part string) Seen {
	root, err := parseReply(b)
	if err != nil {
		return Seen{}
	}
	var seen Seen
	var choices, usage, groq gjson.Result
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "choices":
			choices = value
		case "usage":
			usage = value
		case "x_groq":
			groq = value.Get("usage")
		case "error":
			seen.Error = !absent(value)
		case "id":
			r.id = keep(r.id, value)
		case "model":
			r.model = keep(r.model, value)
		case "created":
			r.created = value.Int()
		case "object": // how vLLM and its kin mark an error: {"object":"error","message":…}
			seen.Error = seen.Error || value.Str == "error"
		}
		return true
	})
	before := r.out.bytes()
	empty, told := true, false
	if choices.IsArray() {
		choices.ForEach(func(_, choice gjson.Result) bool {
			empty = false
			told = r.choice(choice, part, seen.Error) || told
			return true
		})
	}
	told = r.usage.take(groq, chatWords) || told
	told = r.usage.take(usage, responsesWords) || told // in which some servers answer here, too
	told = r.usage.take(usage, chatWords) || told
	r.out.tell(told)
	seen.Output = r.out.bytes() > before
	seen.UsageOnly = empty && (usage.IsObject() || groq.IsObject()) && !seen.Error
	return seen
}

// keep returns the string in v if old is still empty: a copy, as v would keep its whole event in memory.
func keep(old string, v gjson.Result) string {
	if old != "" || len(v.Str) > 256 {
		return old
	}
	return strings.Clone(v.Str)
}

// choice takes in one entry of choices, and tells whether it reports usage. An error event's finish is the error, not an
// end of the reply.
func (r *chatReader) choice(c gjson.Result, part string, failed bool) (told bool) {
	var index int64
	var text, message, usage gjson.Result
	finished := false
	c.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			index = value.Int()
		case "finish_reason":
			finished = value.Str != "" && !failed
		case "text":
			text = value
		case part:
			message = value
		case "usage":
			usage = value
		}
		return true
	})
	if index < 0 || index >= MaxReplies {
		index = 0
	}
	if was, known := r.choices[index]; !known || finished && !was {
		r.choices[index] = finished
	}
	r.text(index, "text", text)
	r.message(index, message)
	return r.usage.take(usage, chatWords)
}

// message counts what a message, or a piece of one, delivers. Some servers send the same reasoning under two names, so
// that only the first of them counts.
func (r *chatReader) message(index int64, m gjson.Result) {
	if !m.IsObject() {
		return
	}
	var content, refusal, audio, tools, call gjson.Result
	var reasoning [3]gjson.Result
	m.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			content = value
		case "reasoning_content":
			reasoning[0] = value
		case "reasoning":
			reasoning[1] = value
		case "reasoning_details":
			reasoning[2] = value
		case "refusal":
			refusal = value
		case "audio":
			audio = value.Get("transcript")
		case "tool_calls":
			tools = value
		case "images": // OpenRouter's, whole in one piece
			r.out.addPictures(value)
		case "function_call":
			call = value
		}
		return true
	})
	for _, v := range reasoning {
		if r.text(index, "reasoning", v) {
			break
		}
	}
	r.text(index, "content", content)
	r.text(index, "refusal", refusal)
	r.text(index, "audio", audio)
	tools.ForEach(func(_, tool gjson.Result) bool {
		r.call(index, tool.Get("function"))
		return tools.IsArray()
	})
	r.call(index, call)
}

func (r *chatReader) call(index int64, function gjson.Result) {
	if function.IsObject() {
		r.text(index, "name", function.Get("name"))
		r.text(index, "arguments", function.Get("arguments"))
	}
}

// text counts a string, or the strings under "text" and "thinking" in Mistral's lists of parts, and tells whether there
// were any.
func (r *chatReader) text(index int64, field string, v gjson.Result) (some bool) {
	switch {
	case r.out.addString(index, field, v):
		return true
	case v.IsArray():
		v.ForEach(func(_, part gjson.Result) bool {
			if part.IsObject() {
				text, thinking := r.text(index, field, part.Get("text")), r.text(index, field, part.Get("thinking"))
				some = some || text || thinking
			}
			return true
		})
	}
	return some
}
