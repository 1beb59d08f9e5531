package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// chatDone is the end event of a stream.
var chatDone = []byte("data: [DONE]\n\n")

// chatChunk is one event that we write ourselves.
type chatChunk struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Created     int64             `json:"created"`
	Model       string            `json:"model"`
	Fingerprint string            `json:"system_fingerprint,omitempty"`
	Choices     []chatChunkChoice `json:"choices"`
	Usage       any               `json:"usage,omitempty"`
}

type chatChunkChoice struct {
	Index  int64           `json:"index"`
	Delta  json.RawMessage `json:"delta"`
	Finish *string         `json:"finish_reason"`
}

// chatUsageBody is usage in the wire's words.
type chatUsageBody struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func chatUsageOf(u Usage) *chatUsageBody {
	body := &chatUsageBody{Prompt: u.Input, Completion: u.Output, Total: u.Input + u.Output}
	body.Details.Cached = u.CachedInput
	return body
}

var emptyDelta = json.RawMessage("{}")

// event writes one JSON value as an event. All values given to it marshal: strings, numbers and JSON that was checked.
func event(value any) []byte {
	var b bytes.Buffer
	b.WriteString("data: ")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // ends in the line's LF
	b.WriteByte('\n')
	return b.Bytes()
}

// ErrorEvent has "error" as its first key, no event line and no comment before it: agents drop or crash on other shapes.
func (chat) ErrorEvent(f Failure) []byte {
	type object struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	return event(struct {
		Error object `json:"error"`
	}{object{Message: f.Message, Type: f.Type, Code: f.Code}})
}

func (r *chatReader) LengthFinish(usage *Usage) []byte {
	length := "length"
	chunk := chatChunk{ID: r.id, Object: "chat.completion.chunk", Created: r.created, Model: r.model}
	for index := range max(r.replies, 1) {
		if !r.choices[index] {
			chunk.Choices = append(chunk.Choices, chatChunkChoice{Index: index, Delta: emptyDelta, Finish: &length})
		}
	}
	var out []byte
	if len(chunk.Choices) > 0 {
		out = event(chunk)
	}
	if usage != nil {
		chunk.Choices, chunk.Usage = []chatChunkChoice{}, chatUsageOf(*usage)
		out = append(out, event(chunk)...)
	}
	return append(out, chatDone...)
}

// errNoReply is for bodies that AsStream cannot make a stream of.
var errNoReply = errors.New("the provider's answer is no chat completion")

// AsStream keeps the message as it stands, unknown fields included, as the one delta of its choice.
func (chat) AsStream(body []byte, usage bool) ([]byte, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoReply, err)
	}
	choices := root.Get("choices")
	if !choices.IsArray() || len(choices.Array()) == 0 || !absent(root.Get("error")) {
		return nil, errNoReply
	}
	chunk := chatChunk{
		ID: root.Get("id").String(), Object: "chat.completion.chunk", Created: root.Get("created").Int(),
		Model: root.Get("model").String(), Fingerprint: root.Get("system_fingerprint").String(),
	}
	var out []byte
	for i, choice := range choices.Array() {
		message := choice.Get("message")
		if !message.IsObject() {
			return nil, errNoReply
		}
		delta, err := asDelta(message)
		if err != nil {
			return nil, err
		}
		index := int64(i)
		if v, ok := integer(choice.Get("index")); ok {
			index = v
		}
		finish := finishReason(choice)
		chunk.Choices = []chatChunkChoice{{Index: index, Delta: delta}}
		out = append(out, event(chunk)...)
		chunk.Choices = []chatChunkChoice{{Index: index, Delta: emptyDelta, Finish: &finish}}
		out = append(out, event(chunk)...)
	}
	if v := root.Get("usage"); usage && v.IsObject() {
		chunk.Choices, chunk.Usage = []chatChunkChoice{}, json.RawMessage(v.Raw)
		out = append(out, event(chunk)...)
	}
	return append(out, chatDone...), nil
}

// asDelta is the message with an index in each tool call, by which clients put streamed calls together.
func asDelta(message gjson.Result) (json.RawMessage, error) {
	delta := slices.Clone([]byte(message.Raw))
	calls := message.Get("tool_calls")
	if !calls.IsArray() {
		return delta, nil
	}
	for i, call := range calls.Array() {
		if !call.IsObject() {
			return nil, errNoReply
		}
		with, err := sjson.Set(call.Raw, "index", i)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoReply, err)
		}
		if delta, err = sjson.SetRawBytes(delta, "tool_calls."+strconv.Itoa(i), []byte(with)); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoReply, err)
		}
	}
	return delta, nil
}

// finishReason is the choice's own, else what a whole body without one means: it came to its end.
func finishReason(choice gjson.Result) string {
	if v := choice.Get("finish_reason"); v.Type == gjson.String {
		return v.Str
	}
	if calls := choice.Get("message.tool_calls"); calls.IsArray() && len(calls.Array()) > 0 {
		return "tool_calls"
	}
	return "stop"
}
