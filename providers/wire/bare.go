package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Embeddings answers with figures, which cost nothing: only the prompt has tokens.
// https://platform.openai.com/docs/api-reference/embeddings/create
var Embeddings Wire = bare{}

// Media makes images and sounds, or makes text of them: counted by request, and by tokens where they are reported. The
// package form reads those of its bodies that are multipart forms.
// https://platform.openai.com/docs/api-reference/images https://platform.openai.com/docs/api-reference/audio
var Media Wire = bare{byRequest: true}

// bare is a wire whose replies cannot be capped. Its errors are chat's.
type bare struct {
	chat
	byRequest bool
}

var bareGuarded = []string{"model", "stream", "n"}

func (b bare) Inspect(body []byte) (Facts, error) {
	root, err := parse(body)
	if err != nil {
		return Facts{}, err
	}
	var values [3]gjson.Result
	if err := pick(root, bareGuarded, values[:], ""); err != nil {
		return Facts{}, err
	}
	f := Facts{Replies: 1, NoReply: true, ByRequest: b.byRequest}
	if f.Model, err = modelName(values[0]); err != nil {
		return f, err
	}
	if f.Stream, err = optionalBool(values[1], "stream"); err != nil {
		return f, err
	}
	f.UsageAsked = f.Stream // usage is a part of the last event
	n, err := optionalCount(values[2], "n", MaxReplies)
	f.Replies = max(n, 1)
	return f, err
}

func (bare) Edit(body []byte, e Edits) ([]byte, error) {
	return setModel(body, "model", gjson.GetBytes(body, "model").Str, e.Model)
}

func (b bare) NewReader(f Facts) Reader { return &bareReader{replies: max(f.Replies, 1)} }

var errNoStream = errors.New("the provider's answer cannot be made a stream")

// AsStream tells the whole reply as one event: there are no pieces to send. A transcript's is the one that ends them.
func (bare) AsStream(body []byte, _ bool) ([]byte, error) {
	body, ok := Readable(body)
	if !ok {
		return nil, errNoStream
	}
	root := view(body)
	transcript := root.Get("text").Type == gjson.String
	if !absent(root.Get("error")) || !transcript && !root.Get("data").IsArray() {
		return nil, errNoStream
	}
	var err error
	if transcript {
		body, err = sjson.SetBytes(body, "type", "transcript.text.done")
	}
	return append(event(json.RawMessage(body)), chatDone...), err
}

// AsWhole refuses: the events of a sound or an image make no body.
func (bare) AsWhole([][]byte) ([]byte, error) { return nil, errNoWhole }

// bareReader reads usage, in the words of either of OpenAI's generations.
type bareReader struct {
	replies, ended int64
	usage          reported
}

// bareEnds are the events that end one reply, and carry its usage.
var bareEnds = map[string]bool{
	"image_generation.completed": true, "image_edit.completed": true, "transcript.text.done": true, "speech.audio.done": true,
}

func (r *bareReader) Event(data []byte) Seen {
	if strings.TrimSpace(string(data)) == "[DONE]" {
		r.ended = r.replies
		return Seen{Done: true}
	}
	root, err := parseReply(data)
	if err != nil {
		return Seen{}
	}
	if !absent(root.Get("error")) {
		return Seen{Error: true}
	}
	kind := root.Get("type").Str
	if bareEnds[kind] {
		r.ended++
		r.take(root.Get("usage"))
	}
	return Seen{Output: kind != ""}
}

func (r *bareReader) Body(body []byte) Seen {
	root, err := parseReply(body)
	if err != nil {
		return Seen{Output: len(body) > 0} // a sound, or plain text
	}
	if !absent(root.Get("error")) {
		return Seen{Error: true}
	}
	r.ended = r.replies
	r.take(root.Get("usage"))
	return Seen{Output: true}
}

// take reads one usage object; some servers leave the output out where there is none, or name the total alone.
func (r *bareReader) take(v gjson.Result) {
	r.usage.take(v, chatWords)
	r.usage.take(v, responsesWords)
	if !r.usage.sum.seen || !r.usage.input.seen {
		r.usage.output.seen = true
	}
}

func (r *bareReader) Usage() (Usage, bool)       { return r.usage.total() }
func (r *bareReader) Input() (int64, bool)       { return r.usage.prompt() }
func (r *bareReader) Delivered() int64           { return 0 }
func (r *bareReader) Finished() bool             { return r.ended >= r.replies }
func (r *bareReader) LengthFinish(*Usage) []byte { return nil }
func (r *bareReader) KeepAlive() []byte          { return newline }
