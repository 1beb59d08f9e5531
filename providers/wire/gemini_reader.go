package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// geminiReader reads a reply of Google's. It keeps counts, and of the reply's own words only what a finish of ours must
// repeat.
type geminiReader struct {
	replies    int64
	candidates map[int64]bool // by index: whether its finish reason came
	blocked    bool           // the prompt was: no candidate comes
	usage      geminiUsage
	out        delivered

	version, id string
}

func (r *geminiReader) Usage() (Usage, bool) {
	u, ok := r.usage.total(r.Finished())
	return u, ok && r.out.vouches(u)
}

func (r *geminiReader) Input() (int64, bool) {
	n := r.usage.input()
	return n, n > 0 && n <= MaxTokens
}

func (r *geminiReader) Delivered() int64  { return r.out.tokens() }
func (r *geminiReader) KeepAlive() []byte { return nil }

// Finished tells whether every candidate has its finish reason. There is no end event: the stream just ends.
func (r *geminiReader) Finished() bool {
	for _, finished := range r.candidates {
		if !finished {
			return false
		}
	}
	return r.blocked || int64(len(r.candidates)) >= max(r.replies, 1)
}

func (r *geminiReader) Event(data []byte) Seen {
	root, err := parseReply(data)
	if err != nil {
		return Seen{}
	}
	return r.read(root)
}

// Body takes in one object, or the array of them that a stream is without alt=sse.
func (r *geminiReader) Body(body []byte) (seen Seen) {
	for _, part := range geminiParts(body) {
		one := r.read(part)
		seen.Output = seen.Output || one.Output
		seen.Error = seen.Error || one.Error
	}
	return seen
}

// geminiParts are the objects of a whole body.
func geminiParts(body []byte) []gjson.Result {
	body, ok := Readable(body)
	if !ok {
		return nil
	}
	root := view(body)
	if !root.IsObject() && !root.IsArray() {
		return nil
	}
	return root.Array()
}

func (r *geminiReader) read(root gjson.Result) Seen {
	if !absent(root.Get("error")) {
		return Seen{Error: true}
	}
	before := r.out.bytes()
	r.version, r.id = keep(r.version, root.Get("modelVersion")), keep(r.id, root.Get("responseId"))
	root.Get("candidates").ForEach(func(_, c gjson.Result) bool {
		if c.IsObject() {
			r.candidate(c)
		}
		return true
	})
	r.blocked = r.blocked || root.Get("promptFeedback.blockReason").Str != ""
	r.out.tell(r.usage.take(root.Get("usageMetadata")))
	return Seen{Output: r.out.bytes() > before}
}

// candidate takes in a piece of one reply. Some models name a finish in every piece, so that only the last one counts.
func (r *geminiReader) candidate(c gjson.Result) {
	index := c.Get("index").Int()
	if index < 0 || index >= MaxReplies {
		index = 0
	}
	before := r.out.bytes()
	parts := c.Get("content.parts")
	if parts.IsArray() {
		parts.ForEach(func(_, part gjson.Result) bool {
			r.part(index, part)
			return true
		})
	}
	finished := c.Get("finishReason").Str != ""
	r.candidates[index] = finished || r.candidates[index] && r.out.bytes() == before
}

// part counts what the model wrote, and its pictures; what its code printed is no text of its own.
func (r *geminiReader) part(index int64, part gjson.Result) {
	field := "text"
	if part.Get("thought").Bool() {
		field = "thought"
	}
	r.out.addString(index, field, part.Get("text"))
	r.out.addString(index, "code", part.Get("executableCode.code"))
	if strings.HasPrefix(part.Get("inlineData.mimeType").Str, "image/") {
		r.out.fixed += pictureTokens
	}
	call := part.Get("functionCall")
	r.out.addString(index, "name", call.Get("name"))
	r.out.addJSON(index, "args", call.Get("args"))
	call.Get("partialArgs").ForEach(func(_, arg gjson.Result) bool {
		if !r.out.addString(index, "args", arg.Get("stringValue")) {
			r.out.addJSON(index, "args", arg.Get("numberValue"))
			r.out.addJSON(index, "args", arg.Get("boolValue"))
		}
		return true
	})
}
