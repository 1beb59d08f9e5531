package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

var errNoMessage = errors.New("the provider's answer is no message")

// messagesDelta is what a message_delta changes.
type messagesDelta struct {
	Reason   string          `json:"stop_reason"`
	Sequence json.RawMessage `json:"stop_sequence"`
}

// messagesUsageBody is usage in the wire's words.
type messagesUsageBody struct {
	Input   int64 `json:"input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// messagesEnd are the last two events of a stream.
func messagesEnd(delta messagesDelta, usage any) []byte {
	type stop struct {
		Type string `json:"type"`
	}
	if delta.Sequence == nil {
		delta.Sequence = json.RawMessage("null")
	}
	return append(named("message_delta", struct {
		Type  string        `json:"type"`
		Delta messagesDelta `json:"delta"`
		Usage any           `json:"usage"`
	}{"message_delta", delta, usage}), named("message_stop", stop{"message_stop"})...)
}

// AsStream sends each block as it stands, its text as one delta. Usage is a part of every stream of this wire.
func (messages) AsStream(body []byte, _ bool) ([]byte, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoMessage, err)
	}
	content := root.Get("content")
	if !content.IsArray() || !absent(root.Get("error")) {
		return nil, errNoMessage
	}
	start, err := messageStart(root)
	if err != nil {
		return nil, err
	}
	out := named("message_start", start)
	for i, block := range content.Array() {
		if !block.IsObject() {
			return nil, errNoMessage
		}
		events, err := blockEvents(i, block)
		if err != nil {
			return nil, err
		}
		out = append(out, events...)
	}
	delta := messagesDelta{Reason: "end_turn"}
	if v := root.Get("stop_reason"); v.Type == gjson.String {
		delta.Reason = v.Str
	}
	if v := root.Get("stop_sequence"); v.Type == gjson.String {
		delta.Sequence = json.RawMessage(v.Raw)
	}
	var usage any = messagesUsageBody{}
	if v := root.Get("usage"); v.IsObject() {
		usage = json.RawMessage(v.Raw)
	}
	return append(out, messagesEnd(delta, usage)...), nil
}

type messageStarted struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message"`
}

// messageStart is the message before its content came, with the usage that clients look for at once.
func messageStart(root gjson.Result) (messageStarted, error) {
	edits := []rawEdit{{"content", "[]"}, {"stop_reason", "null"}, {"stop_sequence", "null"}}
	if root.Get("usage").IsObject() {
		edits = append(edits, rawEdit{"usage.output_tokens", "0"})
	} else {
		edits = append(edits, rawEdit{"usage", `{"input_tokens":0,"output_tokens":0}`})
	}
	message, err := setRaw(root.Raw, edits...)
	return messageStarted{"message_start", message}, err
}

// blockEvents are one block's start, its deltas, and its stop.
func blockEvents(index int, block gjson.Result) ([]byte, error) {
	type delta struct{ kind, field, text string }
	var deltas []delta
	var edits []rawEdit
	split := func(field, empty string, want gjson.Type, kind, under string) {
		if v := block.Get(field); v.Type == want && v.Raw != empty {
			text := v.Str
			if want == gjson.JSON {
				text = v.Get("@ugly").Raw
			}
			deltas = append(deltas, delta{kind, under, text})
			edits = append(edits, rawEdit{field, empty})
		}
	}
	switch block.Get("type").Str {
	case "text":
		split("text", `""`, gjson.String, "text_delta", "text")
	case "thinking":
		split("thinking", `""`, gjson.String, "thinking_delta", "thinking")
		split("signature", `""`, gjson.String, "signature_delta", "signature")
	case "tool_use", "server_tool_use", "mcp_tool_use":
		split("input", "{}", gjson.JSON, "input_json_delta", "partial_json")
	}
	begun, err := setRaw(block.Raw, edits...)
	if err != nil {
		return nil, err
	}
	out := named("content_block_start", map[string]any{"type": "content_block_start", "index": index, "content_block": begun})
	for _, d := range deltas {
		out = append(out, named("content_block_delta", map[string]any{
			"type": "content_block_delta", "index": index, "delta": map[string]any{"type": d.kind, d.field: d.text}})...)
	}
	return append(out, named("content_block_stop", map[string]any{"type": "content_block_stop", "index": index})...), nil
}

// rawEdit is a JSON value to be set at a path.
type rawEdit struct{ path, value string }

// setRaw makes edits to a JSON text, and leaves all else of it as it is.
func setRaw(text string, edits ...rawEdit) (json.RawMessage, error) {
	out := []byte(text)
	for _, e := range edits {
		var err error
		if out, err = sjson.SetRawBytes(out, e.path, []byte(e.value)); err != nil {
			return nil, fmt.Errorf("making a stream of the reply: %w", err)
		}
	}
	return out, nil
}
