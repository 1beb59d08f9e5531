package translate

import (
	"encoding/json"

	"perdiem/providers/wire"
)

// writeChat writes a request for a provider. It keeps to what all who speak the dialect bear: what is as good as its
// default is not said, and texts are strings, not lists of parts, wherever they can be.
func writeChat(w *writing, q *Request, o Options) any {
	b := &chatBody{
		Model: o.Model, Messages: w.chatMessages(q.Messages), Stream: q.Stream, N: q.Replies, Stop: q.Stop,
		Temperature: q.Temperature, TopP: q.TopP, Presence: q.Presence, Frequency: q.Frequency, Seed: q.Seed,
		Effort: w.chatEffort(q.Thinking, o), Format: chatFormatOf(q.Format),
	}
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

// chatTools offers tools. Where there are none, the fields about them are refused by OpenAI.
func (w *writing) chatTools(q *Request, b *chatBody) {
	for _, t := range q.offered() {
		f := chatFunction{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
		if f.Parameters == nil {
			f.Parameters = noParameters
		}
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
