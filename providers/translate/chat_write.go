package translate

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"perdiem/providers/wire"
)

// writeChat writes a request for a provider. It keeps to what all who speak the dialect bear: what is as good as its
// default is not said, and texts are strings, not lists of parts, wherever they can be.
func writeChat(w *writing, q *Request, o Options) any {
	b := &chatBody{
		Model: o.Model, Messages: w.chatMessages(q.Messages), Stream: q.Stream, N: q.Replies, Stop: q.Stop,
		Seed: q.Seed, Effort: w.chatEffort(q.Thinking, o), Format: chatFormatOf(q.Format),
	}
	w.chatSampling(q, b)
	if q.Stream {
		b.StreamOptions = &chatStreamOptions{IncludeUsage: true}
	}
	if o.CapField == wire.MaxCompletionTokens {
		b.MaxCompletionTokens = q.MaxTokens
	} else {
		b.MaxTokens = q.MaxTokens
	}
	if q.Replies == 1 {
		b.N = 0
	}
	w.chatTools(q, b)
	if q.Logprobs {
		w.refuse("logprobs", "the model's provider does not tell them in a way that can be passed on")
	}
	if q.TopK != "" {
		w.leave("top_k")
	}
	if q.User != "" {
		w.leave("user") // who asks is not the provider's to know, and some refuse the field
	}
	return b
}

// unsampled finds OpenAI's models that think, which refuse to be told how to choose their words: o3, gpt-5-mini.
// https://platform.openai.com/docs/guides/latest-model (parameter compatibility)
var unsampled = regexp.MustCompile(`(?:^|/)(?:o\d|gpt-[5-9])`)

func (w *writing) chatSampling(q *Request, b *chatBody) {
	if !unsampled.MatchString(b.Model) || strings.Contains(b.Model, "chat") { // gpt-5-chat does not think
		b.Temperature, b.TopP, b.Presence, b.Frequency = q.Temperature, q.TopP, q.Presence, q.Frequency
		return
	}
	leaveSet(w, "temperature", unlessIs(1, q.Temperature))
	leaveSet(w, "top_p", unlessIs(1, q.TopP))
	leaveSet(w, "presence_penalty", unlessIs(0, q.Presence))
	leaveSet(w, "frequency_penalty", unlessIs(0, q.Frequency))
}

// chatEffort is how much to think, in the three words that all models that think know. Off has no word that they all know.
func (w *writing) chatEffort(t *Thinking, o Options) string {
	switch {
	case t == nil, !o.Reasons && t.effort() == "": // off, or as the model likes: one that does not think does either
		return ""
	case t.Off, !o.Reasons:
		w.leave("thinking")
		return ""
	}
	switch effort := t.effort(); effort {
	case "minimal":
		return "low"
	case "xhigh", "max":
		return "high"
	default:
		return effort
	}
}

func chatFormatOf(f *Format) *chatFormat {
	if f == nil {
		return nil
	}
	if f.Schema == nil {
		return &chatFormat{Type: "json_object"}
	}
	name := plain(f.Name, maxName)
	if name == "" {
		name = "answer"
	}
	return &chatFormat{Type: "json_schema", Schema: &chatSchema{Name: name, Description: f.Description, Schema: f.Schema, Strict: f.Strict}}
}

// noParameters is the schema of a function that takes nothing; some servers want one.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// chatParameters is a schema of a function's parameters. OpenAI refuses one without properties, even of a function that has
// none.
func chatParameters(schema json.RawMessage) json.RawMessage {
	schema = objectSchema(schema)
	if gjson.GetBytes(schema, "properties").Exists() {
		return schema
	}
	said, err := sjson.SetRawBytes(slices.Clone(schema), "properties", []byte("{}"))
	if err != nil {
		return schema // for the provider to refuse
	}
	return said
}

// chatTools offers tools. Where there are none, the fields about them are refused by OpenAI.
func (w *writing) chatTools(q *Request, b *chatBody) {
	for _, t := range q.offered() {
		f := chatFunction{Name: t.Name, Description: t.Description, Parameters: chatParameters(t.Parameters)}
		if t.Strict != nil && *t.Strict {
			f.Strict = t.Strict
		}
		b.Tools = append(b.Tools, chatTool{Type: "function", Function: f})
	}
	if len(b.Tools) == 0 {
		if q.Choice.Mode == ChooseRequired || q.Choice.Mode == ChooseOne {
			w.refuse("tool_choice", "there is no tool that the model could call")
		}
		return
	}
	if q.Parallel != nil && !*q.Parallel {
		b.Parallel = q.Parallel
	}
	switch q.Choice.Mode {
	case "":
	case ChooseOne:
		b.Choice = chatTool{Type: "function", Function: chatFunction{Name: q.Choice.Name}}
	default:
		b.Choice = q.Choice.Mode
	}
}
