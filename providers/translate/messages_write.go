package translate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

type (
	messagesBody struct {
		Model        string            `json:"model"`
		MaxTokens    int64             `json:"max_tokens"`
		System       []any             `json:"system,omitempty"`
		Messages     []messagesMessage `json:"messages"`
		Tools        []messagesTool    `json:"tools,omitempty"`
		ToolChoice   *messagesChoice   `json:"tool_choice,omitempty"`
		Thinking     *messagesThinking `json:"thinking,omitempty"`
		OutputConfig *messagesOutput   `json:"output_config,omitempty"`
		Stop         []string          `json:"stop_sequences,omitempty"`
		Temperature  json.Number       `json:"temperature,omitempty"`
		TopP         json.Number       `json:"top_p,omitempty"`
		TopK         json.Number       `json:"top_k,omitempty"`
		Metadata     *messagesMetadata `json:"metadata,omitempty"`
		Stream       bool              `json:"stream,omitempty"`
	}
	messagesMessage struct {
		Role    Role  `json:"role"`
		Content []any `json:"content"`
	}
	messagesTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
		Strict      bool            `json:"strict,omitempty"`
	}
	messagesChoice struct {
		Type       string `json:"type"`
		Name       string `json:"name,omitempty"`
		NoParallel *bool  `json:"disable_parallel_tool_use,omitempty"`
	}
	messagesThinking struct {
		Type    string `json:"type"`
		Budget  int64  `json:"budget_tokens,omitempty"`
		Display string `json:"display,omitempty"`
	}
	messagesOutput struct {
		Effort string          `json:"effort,omitempty"`
		Format *messagesFormat `json:"format,omitempty"`
	}
	messagesFormat struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	}
	messagesMetadata struct {
		UserID string `json:"user_id"`
	}
)

// maxMessagesUser is the longest user_id that Anthropic takes.
const maxMessagesUser = 256

func writeMessages(w *writing, q *Request, o Options) any {
	body := &messagesBody{Model: o.Model, MaxTokens: q.MaxTokens, Stream: q.Stream}
	if body.MaxTokens == 0 {
		body.MaxTokens = o.Reply
	}
	turns := &messagesTurns{writing: w}
	for i, msg := range q.Messages {
		turns.add(i, msg)
	}
	body.Messages = turns.done()
	body.System = turns.system
	if len(body.Messages) == 0 {
		w.refuse("messages", "there is nothing that the user says")
	}
	claude := claudeOf(o.Model)
	writeMessagesTools(w, body, q, claude)
	writeMessagesFormat(w, body, q.Format)
	writeMessagesThinking(w, body, q.Thinking, o, claude)
	writeMessagesSampling(w, body, q, claude)
	for _, stop := range q.Stop {
		if strings.TrimSpace(stop) == "" {
			w.refuse("stop", "the model cannot be stopped by white space")
		}
		body.Stop = append(body.Stop, stop)
	}
	if q.Replies > 1 {
		w.refuse("n", "the model's provider gives one reply to a request")
	}
	if q.Logprobs {
		w.refuse("logprobs", "the model's provider does not tell them")
	}
	switch {
	case len(q.User) > maxMessagesUser:
		w.leave("user")
	case q.User != "":
		body.Metadata = &messagesMetadata{q.User}
	}
	return body
}

// writeMessagesTools offers the tools. Anthropic wants them declared wherever a history calls some; if the caller offers
// none any more, those called are declared and forbidden.
func writeMessagesTools(w *writing, body *messagesBody, q *Request, c claude) {
	for _, t := range q.offered() {
		strict := t.Strict != nil && *t.Strict
		if strict && !c.strict {
			w.leave("strict")
		}
		body.Tools = append(body.Tools, messagesTool{t.Name, t.Description, objectSchema(t.Parameters), strict && c.strict})
	}
	if len(body.Tools) == 0 {
		for _, name := range called(q) {
			body.Tools = append(body.Tools, messagesTool{Name: name, InputSchema: noParameters})
			body.ToolChoice = &messagesChoice{Type: "none"}
		}
		return
	}
	choice := messagesChoice{Name: q.Choice.Name}
	switch q.Choice.Mode {
	case ChooseAuto:
		choice.Type = "auto"
	case ChooseRequired:
		choice.Type = "any"
	case ChooseOne:
		choice.Type = "tool"
	case ChooseNone:
		body.ToolChoice = &messagesChoice{Type: "none"}
		return
	default:
		if q.Parallel == nil || *q.Parallel { // as it is anyway
			return
		}
		choice.Type = "auto"
	}
	if q.Parallel != nil {
		only := !*q.Parallel
		choice.NoParallel = &only
	}
	body.ToolChoice = &choice
}

// objectSchema is a schema that says that it is an object's, as Anthropic and OpenAI want it.
func objectSchema(schema json.RawMessage) json.RawMessage {
	v := gjson.ParseBytes(schema)
	if !v.IsObject() {
		return noParameters
	}
	if v.Get("type").Exists() {
		return schema
	}
	typed, err := sjson.SetBytes(slices.Clone(schema), "type", "object")
	if err != nil {
		return schema // for the provider to refuse
	}
	return typed
}

// called are the tools that a history calls, each once.
func called(q *Request) (names []string) {
	for _, msg := range q.Messages {
		for _, p := range msg.Parts {
			if p.Kind == Call && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func writeMessagesFormat(w *writing, body *messagesBody, f *Format) {
	if f == nil {
		return
	}
	if f.Schema == nil {
		w.refuse("response_format", "the model's provider writes JSON by a schema alone")
		return
	}
	body.OutputConfig = &messagesOutput{Format: &messagesFormat{"json_schema", f.Schema}}
}
