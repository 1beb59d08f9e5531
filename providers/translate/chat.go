package translate

import "encoding/json"

// chat is OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat
var chat = dialect{
	read:    readChat,
	write:   writeChat,
	decoder: func() decoder { return &chatDecoder{} },
	encoder: newChatEncoder,
}

// chatBody is a request in the dialect's words.
type chatBody struct {
	Model               string             `json:"model"`
	Messages            []chatMessage      `json:"messages"`
	Stream              bool               `json:"stream,omitempty"`
	StreamOptions       *chatStreamOptions `json:"stream_options,omitempty"`
	MaxCompletionTokens int64              `json:"max_completion_tokens,omitempty"`
	MaxTokens           int64              `json:"max_tokens,omitempty"`
	N                   int64              `json:"n,omitempty"`
	Stop                []string           `json:"stop,omitempty"`
	Temperature         json.Number        `json:"temperature,omitempty"`
	TopP                json.Number        `json:"top_p,omitempty"`
	Presence            json.Number        `json:"presence_penalty,omitempty"`
	Frequency           json.Number        `json:"frequency_penalty,omitempty"`
	Seed                json.Number        `json:"seed,omitempty"`
	Effort              string             `json:"reasoning_effort,omitempty"`
	Format              *chatFormat        `json:"response_format,omitempty"`
	Tools               []chatTool         `json:"tools,omitempty"`
	Choice              any                `json:"tool_choice,omitempty"`
	Parallel            *bool              `json:"parallel_tool_calls,omitempty"`
}

type chatStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatFormat struct {
	Type   string      `json:"type"`
	Schema *chatSchema `json:"json_schema,omitempty"`
}

type chatSchema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	Strict      *bool           `json:"strict,omitempty"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

// chatFunction tells a function, or only names one.
type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// chatMessage is a message of a request. Its content is a string, a list of chatPart, or null.
type chatMessage struct {
	Role      Role       `json:"role"`
	Content   any        `json:"content"`
	Thinking  string     `json:"reasoning_content,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"` // the same, as others call it
	Refusal   string     `json:"refusal,omitempty"`
	Calls     []chatCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
}

type chatPart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *chatImage `json:"image_url,omitempty"`
	File  *chatFile  `json:"file,omitempty"`
	Audio *chatAudio `json:"input_audio,omitempty"`
}

type chatImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

type chatFile struct {
	Name string `json:"filename,omitempty"`
	Data string `json:"file_data"`
}

type chatAudio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

// chatCall is a tool call, or in a stream a piece of one, which has an index.
type chatCall struct {
	Index    *int              `json:"index,omitempty"`
	ID       string            `json:"id,omitempty"`
	Type     string            `json:"type,omitempty"`
	Function *chatCallFunction `json:"function,omitempty"`
	Custom   *chatCallCustom   `json:"custom,omitempty"`
	Extra    *chatExtra        `json:"extra_content,omitempty"`
}

type chatCallFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type chatCallCustom struct {
	Name  string `json:"name,omitempty"`
	Input string `json:"input"`
}

// chatExtra is where Google signs a call in this dialect, and wants its signature back.
// https://ai.google.dev/gemini-api/docs/thought-signatures (OpenAI compatibility)
type chatExtra struct {
	Google struct {
		Signature string `json:"thought_signature"`
	} `json:"google"`
}
