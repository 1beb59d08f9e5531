package wire

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Messages is Anthropic's API. Its count_tokens takes the same bodies.
// https://docs.anthropic.com/en/api/messages
var Messages Wire = messages{}

type messages struct{}

// leastThinking is the smallest thinking budget that Anthropic takes.
// https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
const leastThinking = 1024

var (
	messagesGuarded = []string{"model", "stream", MaxTokensField, "thinking"}
	thinkingGuarded = []string{"type", "budget_tokens"}
)

// messagesFields are the guarded values of one body.
type messagesFields struct {
	model, stream, maxTokens gjson.Result
	budget                   int64 // of thinking, in tokens; 0 = none
}

func readMessagesFields(root gjson.Result) (messagesFields, error) {
	var top [4]gjson.Result
	if err := pick(root, messagesGuarded, top[:], ""); err != nil {
		return messagesFields{}, err
	}
	fields := messagesFields{model: top[0], stream: top[1], maxTokens: top[2]}
	thinking := top[3]
	if absent(thinking) {
		return fields, nil
	}
	if !thinking.IsObject() {
		return fields, invalid("thinking", "The field \"thinking\" must be an object.")
	}
	var inner [2]gjson.Result
	if err := pick(thinking, thinkingGuarded, inner[:], "thinking."); err != nil {
		return fields, err
	}
	var err error
	fields.budget, err = optionalCount(inner[1], "thinking.budget_tokens", MaxTokens)
	return fields, err
}

func (messages) Inspect(body []byte) (Facts, error) {
	root, err := parse(body)
	if err != nil {
		return Facts{}, err
	}
	fields, err := readMessagesFields(root)
	facts, errFacts := fields.facts()
	if err != nil { // the model is known all the same, if it is the thinking that is odd
		return facts, err
	}
	return facts, errFacts
}

func (m messagesFields) facts() (Facts, error) {
	f := Facts{Replies: 1, Least: leastCap(m.budget, leastThinking)}
	var err error
	if f.Model, err = modelName(m.model); err != nil {
		return f, err
	}
	if f.Stream, err = optionalBool(m.stream, "stream"); err != nil {
		return f, err
	}
	f.UsageAsked = f.Stream // usage is a part of every stream
	if f.Cap, err = optionalCount(m.maxTokens, MaxTokensField, MaxTokens); f.Cap > 0 {
		f.CapField = MaxTokensField
	}
	return f, err
}

func (messages) Edit(body []byte, e Edits) ([]byte, error) {
	fields, err := readMessagesFields(view(body))
	if err != nil {
		return nil, err
	}
	facts, err := fields.facts()
	if err != nil {
		return nil, err
	}
	if body, err = setModel(body, "model", facts.Model, e.Model); err != nil {
		return nil, err
	}
	if e.Cap == 0 || facts.Cap > 0 && facts.Cap <= e.Cap {
		return body, nil
	}
	return setCap(body, capPaths{MaxTokensField, "thinking.budget_tokens"}, e.Cap, fields.budget, leastThinking)
}

func (messages) NewReader(Facts) Reader { return &messagesReader{} }

// ErrorEvent has the event line, without which Anthropic's SDKs pass over it.
func (messages) ErrorEvent(f Failure) []byte {
	type object struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	return named("error", struct {
		Type  string `json:"type"`
		Error object `json:"error"`
	}{"error", object{AnthropicErrorType(f.Status), f.Message}})
}

// AnthropicErrorType is Anthropic's word for an HTTP status, in bodies and events alike; 0 is 500.
// https://docs.anthropic.com/en/api/errors
func AnthropicErrorType(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 402:
		return "billing_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 503, 529:
		return "overloaded_error"
	case 504:
		return "timeout_error"
	}
	if status >= 400 && status < 500 {
		return "invalid_request_error"
	}
	return "api_error"
}

// named writes one JSON value as an event with its event line.
func named(name string, value any) []byte {
	return append([]byte("event: "+name+"\n"), event(value)...)
}

// modelName reads the name of the model that a body asks for.
func modelName(v gjson.Result) (string, error) {
	if v.Type != gjson.String || v.Str == "" {
		return "", invalid("model", "The field \"model\" must name a model.")
	}
	return v.Str, nil
}

// setModel puts the name that the provider knows the model by, if it is another one.
func setModel(body []byte, path, from, to string) ([]byte, error) {
	if to == "" || to == from {
		return body, nil
	}
	quoted, _ := json.Marshal(to) // a string always marshals
	body, err := sjson.SetRawBytes(body, path, quoted)
	if err != nil {
		return nil, fmt.Errorf("editing the request: %w", err)
	}
	return body, nil
}

// capPaths are where a dialect has the cap of a reply and the budget of the thinking in it.
type capPaths struct{ limit, budget string }

// leastCap is the least cap under which a thinking budget can be lowered to least; 0 = any.
func leastCap(budget, least int64) int64 {
	if budget <= 0 {
		return 0
	}
	return min(budget, least) + 1
}

// setCap writes a cap, and lowers a thinking budget that would not fit under it: to three quarters of the cap, so that
// something is left for the answer.
func setCap(body []byte, paths capPaths, limit, budget, least int64) ([]byte, error) {
	if limit < leastCap(budget, least) {
		return nil, invalid(paths.budget, "The thinking budget cannot be lowered to what is left (%d tokens). Turn thinking off to go on.", limit)
	}
	body, err := sjson.SetBytes(body, paths.limit, limit)
	if err == nil && budget >= limit {
		body, err = sjson.SetBytes(body, paths.budget, max(least, limit-limit/4))
	}
	if err != nil {
		return nil, fmt.Errorf("editing the request: %w", err)
	}
	return body, nil
}
