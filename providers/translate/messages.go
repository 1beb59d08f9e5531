package translate

import (
	"encoding/json"
)

// messages is Anthropic's messages. https://docs.anthropic.com/en/api/messages
var messages = dialect{
	read:    readMessages,
	write:   writeMessages,
	decoder: func() decoder { return &messagesDecoder{} },
	encoder: func(q *Request, o ReplyOptions) encoder {
		return &messagesEncoder{request: q, options: o, usage: Usage{Input: o.Prompt}}
	},
}

// The blocks of content that stand in requests and in replies alike.
type (
	messagesText struct {
		Type string `json:"type"` // text
		Text string `json:"text"`
	}
	messagesThought struct {
		Type      string `json:"type"` // thinking
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	messagesCall struct {
		Type  string          `json:"type"` // tool_use
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
)

// messagesReason is why a reply ended, in Anthropic's words. Clients go by it, so that it tells of tool calls whenever
// there are any, and never when there are none.
func messagesReason(reason Reason, stop string, calls bool) string {
	switch {
	case reason == Length:
		return "max_tokens"
	case reason == Filtered:
		return "refusal"
	case calls:
		return "tool_use"
	case stop != "":
		return "stop_sequence"
	}
	return "end_turn"
}

// messagesUsageSaid is usage in Anthropic's words, in which input_tokens are only those that were not cached.
type messagesUsageSaid struct {
	Input   int64                  `json:"input_tokens"`
	Created int64                  `json:"cache_creation_input_tokens"`
	Read    int64                  `json:"cache_read_input_tokens"`
	Output  int64                  `json:"output_tokens"`
	Details *messagesOutputDetails `json:"output_tokens_details,omitempty"`
}

type messagesOutputDetails struct {
	Thinking int64 `json:"thinking_tokens"`
}

func sayMessagesUsage(u Usage) messagesUsageSaid {
	said := messagesUsageSaid{Input: max(0, u.Input-u.CacheRead-u.CacheWrite), Created: u.CacheWrite, Read: u.CacheRead, Output: u.Output}
	if u.Reasoning > 0 {
		said.Details = &messagesOutputDetails{u.Reasoning}
	}
	return said
}
