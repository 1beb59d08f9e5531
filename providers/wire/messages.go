package wire

import "github.com/tidwall/gjson"

// Messages is Anthropic's API. Its count_tokens takes the same bodies.
// https://docs.anthropic.com/en/api/messages
var Messages Wire = messages{}

type messages struct{}

// LeastThinking is the smallest thinking budget that Anthropic takes, in tokens.
// https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
const LeastThinking = 1024

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
	f, err := oneReply(m.model, m.stream, m.maxTokens, MaxTokensField)
	f.Least = leastCap(m.budget, LeastThinking)
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
	return editOneReply(body, facts, e, capPaths{MaxTokensField, "thinking.budget_tokens"}, fields.budget, LeastThinking)
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
