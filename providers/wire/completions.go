package wire

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// Completions is what came before chat: a text, or several, are continued. Editors still complete code by it.
// https://platform.openai.com/docs/api-reference/completions/create
var Completions Wire = completions{}

type completions struct{ chat }

// Inspect counts as replies what is generated, of which best_of returns a part, for each of the prompts.
func (c completions) Inspect(body []byte) (Facts, error) {
	f, err := c.chat.Inspect(body)
	if err != nil {
		return f, err
	}
	var values [2]gjson.Result
	if err := pick(view(body), []string{"best_of", "prompt"}, values[:], ""); err != nil {
		return f, err
	}
	best, err := optionalCount(values[0], "best_of", MaxReplies)
	if err != nil {
		return f, err
	}
	prompts := countPrompts(values[1])
	f.Replies = max(f.Replies, best)
	if prompts > MaxReplies/f.Replies {
		return f, invalid("prompt", "At most %d replies can be asked for at once.", MaxReplies)
	}
	f.Replies *= prompts
	return f, nil
}

// countPrompts tells a list of prompts from one prompt that is a list of tokens.
func countPrompts(v gjson.Result) int64 {
	if !v.IsArray() {
		return 1
	}
	list := v.Array()
	if len(list) == 0 || list[0].Type == gjson.Number {
		return 1
	}
	return int64(len(list))
}

func (c completions) Edit(body []byte, e Edits) ([]byte, error) {
	e.CapField = MaxTokensField
	return c.chat.Edit(body, e)
}

func (completions) NewReader(f Facts) Reader { return completionsReader{newChatReader(f.Replies)} }

// completionsReader reads as chat's does; only its finish has another shape.
type completionsReader struct{ *chatReader }

type completionChunk struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"`
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   *chatUsageBody     `json:"usage,omitempty"`
}

type completionChoice struct {
	Text     string  `json:"text"`
	Index    int64   `json:"index"`
	Logprobs *string `json:"logprobs"`
	Finish   string  `json:"finish_reason"`
}

func (r completionsReader) LengthFinish(usage *Usage) []byte {
	chunk := completionChunk{ID: r.id, Object: "text_completion", Created: r.created, Model: r.model}
	for index := range max(r.replies, 1) {
		if !r.choices[index] {
			chunk.Choices = append(chunk.Choices, completionChoice{Index: index, Finish: "length"})
		}
	}
	var out []byte
	if len(chunk.Choices) > 0 {
		out = event(chunk)
	}
	if usage != nil {
		chunk.Choices, chunk.Usage = []completionChoice{}, chatUsageOf(*usage)
		out = append(out, event(chunk)...)
	}
	return append(out, chatDone...)
}

// AsStream sends each choice as it stands, which is the shape of a stream's events too.
func (completions) AsStream(body []byte, usage bool) ([]byte, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoReply, err)
	}
	choices := root.Get("choices").Array()
	if len(choices) == 0 || !root.Get("choices").IsArray() || !absent(root.Get("error")) {
		return nil, errNoReply
	}
	none := rawEdit{"usage", "null"}
	var out []byte
	for i, choice := range choices {
		if choice.Get("text").Type != gjson.String {
			return nil, errNoReply
		}
		edits := []rawEdit{{"choices", "[" + choice.Raw + "]"}, none}
		if choice.Get("finish_reason").Type != gjson.String {
			edits = append(edits, rawEdit{"choices.0.finish_reason", `"stop"`})
		}
		if !choice.Get("index").Exists() {
			edits = append(edits, rawEdit{"choices.0.index", fmt.Sprint(i)})
		}
		chunk, err := setRaw(root.Raw, edits...)
		if err != nil {
			return nil, err
		}
		out = append(out, event(chunk)...)
	}
	if v := root.Get("usage"); usage && v.IsObject() {
		chunk, err := setRaw(root.Raw, rawEdit{"choices", "[]"})
		if err != nil {
			return nil, err
		}
		out = append(out, event(chunk)...)
	}
	return append(out, chatDone...), nil
}
