package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

var errNoResponse = errors.New("the provider's answer is no response")

var emptyList = json.RawMessage("[]")

// responseObject is a response in an event that we write ourselves, with the fields that SDKs look for.
type responseObject struct {
	ID         string              `json:"id"`
	Object     string              `json:"object"`
	Created    int64               `json:"created_at"`
	Status     string              `json:"status"`
	Model      string              `json:"model"`
	Output     json.RawMessage     `json:"output"`
	Error      *responseError      `json:"error"`
	Incomplete *responseIncomplete `json:"incomplete_details"`
	Usage      *responseUsage      `json:"usage"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responseIncomplete struct {
	Reason string `json:"reason"`
}

// responseUsage is usage in the wire's words.
type responseUsage struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

// responsesEvent writes an event about a response as a whole.
func responsesEvent(kind string, sequence int64, response any) []byte {
	return named(kind, struct {
		Type     string `json:"type"`
		Sequence int64  `json:"sequence_number"`
		Response any    `json:"response"`
	}{kind, sequence, response})
}

// responsesStream writes the events of a response that came whole.
type responsesStream struct {
	out  []byte
	next int64
}

func (s *responsesStream) response(kind string, value json.RawMessage) {
	s.out = append(s.out, responsesEvent(kind, s.next, value)...)
	s.next++
}

// item writes an event about an item of the output, or about a part of it.
func (s *responsesStream) item(kind string, index int, fields map[string]any) {
	fields["type"], fields["sequence_number"], fields["output_index"] = kind, s.next, index
	s.out = append(s.out, named(kind, fields)...)
	s.next++
}

// AsStream sends each item as it stands, the text of messages and the arguments of calls as one delta each. Usage is a
// part of every stream of this wire.
func (responses) AsStream(body []byte, _ bool) ([]byte, error) {
	root, err := parseReply(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoResponse, err)
	}
	output, status := root.Get("output"), root.Get("status").Str
	if !output.IsArray() || !absent(root.Get("error")) || status == "queued" || status == "in_progress" {
		return nil, errNoResponse
	}
	begun, err := setRaw(root.Raw, rawEdit{"status", `"in_progress"`}, rawEdit{"output", "[]"}, rawEdit{"usage", "null"})
	if err != nil {
		return nil, err
	}
	var s responsesStream
	s.response("response.created", begun)
	s.response("response.in_progress", begun)
	for i, item := range output.Array() {
		if !item.IsObject() {
			return nil, errNoResponse
		}
		if err := s.whole(i, item); err != nil {
			return nil, err
		}
	}
	end := "response.completed"
	if status == "incomplete" {
		end = "response.incomplete"
	}
	s.response(end, json.RawMessage(root.Raw))
	return s.out, nil
}

// whole writes the events of one item.
func (s *responsesStream) whole(index int, item gjson.Result) error {
	var edits []rawEdit
	var deltas func(id string)
	switch item.Get("type").Str {
	case "message":
		edits = []rawEdit{{"content", "[]"}, {"status", `"in_progress"`}}
		deltas = func(id string) { s.parts(index, id, item.Get("content")) }
	case "function_call":
		edits = []rawEdit{{"arguments", `""`}, {"status", `"in_progress"`}}
		deltas = func(id string) { s.arguments(index, id, item.Get("arguments")) }
	}
	begun, err := setRaw(item.Raw, edits...)
	if err != nil {
		return err
	}
	s.item("response.output_item.added", index, map[string]any{"item": begun})
	if deltas != nil {
		deltas(item.Get("id").String())
	}
	s.item("response.output_item.done", index, map[string]any{"item": json.RawMessage(item.Raw)})
	return nil
}

func (s *responsesStream) parts(index int, id string, content gjson.Result) {
	if !content.IsArray() {
		return
	}
	for i, part := range content.Array() {
		fields := func(more map[string]any) map[string]any {
			more["item_id"], more["content_index"] = id, i
			return more
		}
		text := part.Get("text")
		if part.Get("type").Str != "output_text" || text.Type != gjson.String {
			s.item("response.content_part.added", index, fields(map[string]any{"part": json.RawMessage(part.Raw)}))
			s.item("response.content_part.done", index, fields(map[string]any{"part": json.RawMessage(part.Raw)}))
			continue
		}
		begun, err := setRaw(part.Raw, rawEdit{"text", `""`})
		if err != nil {
			begun = json.RawMessage(part.Raw)
		}
		s.item("response.content_part.added", index, fields(map[string]any{"part": begun}))
		s.item("response.output_text.delta", index, fields(map[string]any{"delta": text.Str, "logprobs": emptyList}))
		s.item("response.output_text.done", index, fields(map[string]any{"text": text.Str, "logprobs": emptyList}))
		s.item("response.content_part.done", index, fields(map[string]any{"part": json.RawMessage(part.Raw)}))
	}
}

func (s *responsesStream) arguments(index int, id string, v gjson.Result) {
	s.item("response.function_call_arguments.delta", index, map[string]any{"item_id": id, "delta": v.String()})
	s.item("response.function_call_arguments.done", index, map[string]any{"item_id": id, "arguments": v.String()})
}
