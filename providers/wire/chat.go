package wire

import (
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// The two fields that cap a reply in chat completions. OpenAI's reasoning models know only the first, most other
// servers only the second.
const (
	MaxCompletionTokens = "max_completion_tokens"
	MaxTokensField      = "max_tokens"
)

// Chat is OpenAI's chat completions, spoken by nearly every vendor.
// https://platform.openai.com/docs/api-reference/chat/create
var Chat Wire = chat{}

type chat struct{}

// guarded are the keys that decide what is held and booked. Parsers differ in which of two equal keys they take, and
// some (encoding/json) take any case: such a body could mean one thing here and another upstream, so it is refused.
var guarded = []string{"model", "stream", "stream_options", MaxCompletionTokens, MaxTokensField, "n"}

// chatFields are the guarded values of one body, in the order of guarded.
type chatFields struct {
	model, stream, options, maxCompletion, maxTokens, n gjson.Result
}

func (chat) Inspect(body []byte) (Facts, error) {
	root, err := parse(body)
	if err != nil {
		return Facts{}, err
	}
	fields, err := readChatFields(root)
	if err != nil {
		return Facts{}, err
	}
	return fields.facts()
}

// readChatFields finds the guarded values in one pass over the object.
func readChatFields(root gjson.Result) (chatFields, error) {
	var values [6]gjson.Result
	if err := pick(root, guarded, values[:], ""); err != nil {
		return chatFields{}, err
	}
	return chatFields{values[0], values[1], values[2], values[3], values[4], values[5]}, nil
}

func (c chatFields) facts() (Facts, error) {
	f := Facts{Replies: 1}
	var err error
	if f.Model, err = modelName(c.model); err != nil {
		return f, err
	}
	if f.Stream, err = optionalBool(c.stream, "stream"); err != nil {
		return f, err
	}
	if f.UsageAsked, err = c.includeUsage(); err != nil {
		return f, err
	}
	f.UsageAsked = f.UsageAsked && f.Stream
	if n, err := optionalCount(c.n, "n", MaxReplies); err != nil {
		return f, err
	} else if n > 0 {
		f.Replies = n
	}
	for _, field := range c.caps() {
		limit, err := optionalCount(field.value, field.name, MaxTokens)
		if err != nil {
			return f, err
		}
		if limit > f.Cap {
			f.Cap, f.CapField = limit, field.name
		}
	}
	return f, nil
}

// capField is one of the fields that cap a reply, as the body has it.
type capField struct {
	name  string
	value gjson.Result
}

func (c chatFields) caps() [2]capField {
	return [2]capField{{MaxCompletionTokens, c.maxCompletion}, {MaxTokensField, c.maxTokens}}
}

func (c chatFields) includeUsage() (bool, error) {
	if absent(c.options) {
		return false, nil
	}
	if !c.options.IsObject() {
		return false, invalid("stream_options", "The field \"stream_options\" must be an object.")
	}
	var include [1]gjson.Result
	if err := pick(c.options, []string{"include_usage"}, include[:], "stream_options."); err != nil {
		return false, err
	}
	return optionalBool(include[0], "stream_options.include_usage")
}

func (chat) Edit(body []byte, e Edits) ([]byte, error) {
	fields, err := readChatFields(view(body))
	if err != nil {
		return nil, err
	}
	facts, err := fields.facts()
	if err != nil {
		return nil, err
	}
	set := func(path string, value any) {
		if err == nil {
			body, err = sjson.SetBytes(body, path, value)
		}
	}
	if body, err = setModel(body, "model", facts.Model, e.Model); err != nil {
		return nil, err
	}
	if e.Cap > 0 {
		for _, field := range fields.caps() {
			if own, _ := integer(field.value); own > e.Cap {
				set(field.name, e.Cap)
			}
		}
		if facts.Cap == 0 {
			set(e.CapField, e.Cap)
		}
	}
	if e.AskUsage && facts.Stream && !facts.UsageAsked {
		if absent(fields.options) {
			set("stream_options", map[string]bool{"include_usage": true})
		} else {
			set("stream_options.include_usage", true)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("editing the request: %w", err)
	}
	return body, nil
}

func (chat) NewReader(f Facts) Reader { return newChatReader(f.Replies) }
