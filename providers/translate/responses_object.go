package translate

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// responsesObject is a response as a whole, with the fields of the request that the API repeats in it.
type responsesObject struct {
	ID              string               `json:"id"`
	Object          string               `json:"object"`
	Created         int64                `json:"created_at"`
	Status          string               `json:"status"`
	Background      bool                 `json:"background"`
	Error           *responsesError      `json:"error"`
	Incomplete      *responsesIncomplete `json:"incomplete_details"`
	Instructions    json.RawMessage      `json:"instructions"`
	MaxOutputTokens json.RawMessage      `json:"max_output_tokens"`
	MaxToolCalls    json.RawMessage      `json:"max_tool_calls"`
	Model           string               `json:"model"`
	Output          []*responsesItem     `json:"output"`
	Parallel        json.RawMessage      `json:"parallel_tool_calls"`
	Previous        *string              `json:"previous_response_id"`
	CacheKey        json.RawMessage      `json:"prompt_cache_key"`
	Reasoning       json.RawMessage      `json:"reasoning"`
	Safety          json.RawMessage      `json:"safety_identifier"`
	Tier            string               `json:"service_tier"`
	Store           bool                 `json:"store"`
	Temperature     json.RawMessage      `json:"temperature"`
	Text            json.RawMessage      `json:"text"`
	Choice          json.RawMessage      `json:"tool_choice"`
	Tools           json.RawMessage      `json:"tools"`
	TopLogprobs     int                  `json:"top_logprobs"`
	TopP            json.RawMessage      `json:"top_p"`
	Truncation      string               `json:"truncation"`
	Usage           *responsesUsage      `json:"usage"`
	User            json.RawMessage      `json:"user"`
	Metadata        json.RawMessage      `json:"metadata"`
}

type responsesError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responsesIncomplete struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	Input  int64         `json:"input_tokens"`
	In     inputDetails  `json:"input_tokens_details"`
	Output int64         `json:"output_tokens"`
	Out    outputDetails `json:"output_tokens_details"`
	Total  int64         `json:"total_tokens"`
}

func responsesUsageOf(u *Usage) *responsesUsage {
	if u == nil {
		return nil
	}
	return &responsesUsage{u.Input, inputDetails{u.CacheRead}, u.Output, outputDetails{u.Reasoning}, u.Input + u.Output}
}

// newResponsesObject is a response that has just begun. What the caller did not say is told as the API's default. It is
// told that nothing is stored, and nothing cut, whatever was asked for: that is how it is here.
func newResponsesObject(q *Request, o ReplyOptions) responsesObject {
	said := responsesObject{
		ID: "resp_" + o.ID, Object: "response", Created: o.Now, Model: q.Model, Output: []*responsesItem{}, Tier: "default", Truncation: "disabled",
		Parallel: []byte("true"), Reasoning: []byte(`{"effort":null,"summary":null}`), Temperature: []byte("1"), TopP: []byte("1"),
		Text: []byte(`{"format":{"type":"text"}}`), Choice: []byte(`"auto"`), Tools: []byte("[]"), Metadata: []byte("{}"),
	}
	repeated := map[string]*json.RawMessage{
		"instructions": &said.Instructions, "max_output_tokens": &said.MaxOutputTokens, "max_tool_calls": &said.MaxToolCalls,
		"parallel_tool_calls": &said.Parallel, "prompt_cache_key": &said.CacheKey, "reasoning": &said.Reasoning,
		"safety_identifier": &said.Safety, "temperature": &said.Temperature, "text": &said.Text, "tool_choice": &said.Choice,
		"tools": &said.Tools, "top_p": &said.TopP, "user": &said.User, "metadata": &said.Metadata,
	}
	gjson.ParseBytes(q.Asked).ForEach(func(name, v gjson.Result) bool {
		if to := repeated[name.String()]; to != nil && v.Type != gjson.Null {
			*to = json.RawMessage(v.Raw)
		}
		return true
	})
	return said
}

// responsesItem is an item of the output.
type responsesItem struct {
	ID        string           `json:"id"`
	Type      string           `json:"type"`
	Status    string           `json:"status,omitempty"`
	Role      Role             `json:"role,omitempty"`
	Content   *[]responsesPart `json:"content,omitempty"`
	Summary   *[]responsesPart `json:"summary,omitempty"`
	Proof     string           `json:"encrypted_content,omitempty"`
	CallID    string           `json:"call_id,omitempty"`
	Name      string           `json:"name,omitempty"`
	Namespace string           `json:"namespace,omitempty"`
	Arguments *string          `json:"arguments,omitempty"`
	Input     *string          `json:"input,omitempty"`
}

// responsesPart is a part of a message, or of the summary of a thought.
type responsesPart struct {
	Type        string      `json:"type"`
	Text        *string     `json:"text,omitempty"`
	Refusal     *string     `json:"refusal,omitempty"`
	Annotations *[]struct{} `json:"annotations,omitempty"`
	Logprobs    *[]struct{} `json:"logprobs,omitempty"`
}

var none = &[]struct{}{}

func textPart(text string) responsesPart {
	return responsesPart{Type: "output_text", Text: &text, Annotations: none, Logprobs: none}
}

func refusalPart(text string) responsesPart { return responsesPart{Type: "refusal", Refusal: &text} }

func summaryPart(text string) responsesPart { return responsesPart{Type: "summary_text", Text: &text} }

func messageItem(id, status string, parts ...responsesPart) *responsesItem {
	if parts == nil {
		parts = []responsesPart{}
	}
	return &responsesItem{ID: id, Type: "message", Status: status, Role: Assistant, Content: &parts}
}

func thoughtItem(id, proof string, parts ...responsesPart) *responsesItem {
	if parts == nil {
		parts = []responsesPart{}
	}
	return &responsesItem{ID: id, Type: "reasoning", Summary: &parts, Proof: proof}
}

// callItem is a call in the caller's own words: text is the arguments, or what a tool of free text is given.
func callItem(id, status, callID string, t Tool, text string) *responsesItem {
	item := &responsesItem{ID: id, Type: "function_call", Status: status, CallID: callID, Name: t.Said, Namespace: t.Space}
	if t.Free {
		item.Type, item.Input = "custom_tool_call", &text
	} else {
		item.Arguments = &text
	}
	return item
}
