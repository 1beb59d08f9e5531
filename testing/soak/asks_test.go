package soak

import (
	"encoding/json"
	"net/http"
	"strings"
)

// wires are what callers speak.
var wires = []string{"openai-chat", "openai-responses", "anthropic", "gemini"}

type object = map[string]any

// request is a call as its caller sends it: a path with its query, and a body.
func (c *call) request() (method, path, body string) {
	method, path = http.MethodPost, c.kind.path
	if c.kind.method != "" {
		return c.kind.method, path, ""
	}
	text, tokens := c.text(), c.kind.tokens
	says := []object{{"role": "user", "content": text}}
	tool := object{"type": "object", "properties": object{"at": object{"type": "string"}}}
	fields := object{"model": c.model}
	if c.stream {
		fields["stream"] = true
	}
	set := func(name string) {
		if tokens > 0 {
			fields[name] = tokens
		}
	}
	way := "/v1/chat/completions"
	switch {
	case strings.HasSuffix(path, "/embeddings"):
		fields["input"] = text
	case c.wire == "openai-responses":
		way, fields["input"] = "/v1/responses", text
		set("max_output_tokens")
		fields["tools"] = []object{{"type": "function", "name": "look", "parameters": tool}}
	case c.wire == "anthropic":
		way, fields["messages"] = "/v1/messages", says
		if tokens == 0 {
			tokens = 200
		}
		set("max_tokens")
		fields["tools"] = []object{{"name": "look", "input_schema": tool}}
		if strings.HasSuffix(path, "/count_tokens") {
			delete(fields, "max_tokens")
		}
	case c.wire == "gemini":
		way = "/v1beta/models/" + c.model + ":generateContent"
		if c.stream {
			way = "/v1beta/models/" + c.model + ":streamGenerateContent?alt=sse"
		}
		fields = object{"contents": []object{{"role": "user", "parts": []object{{"text": text}}}},
			"tools": []object{{"functionDeclarations": []object{{"name": "look", "parameters": tool}}}}}
		if tokens > 0 {
			fields["generationConfig"] = object{"maxOutputTokens": tokens}
		}
	default:
		fields["messages"] = says
		set("max_completion_tokens")
		fields["tools"] = []object{{"type": "function", "function": object{"name": "look", "parameters": tool}}}
	}
	if path == "" {
		path = way
	}
	if c.kind.body != "" {
		return method, path, c.kind.body
	}
	if c.kind.name != "tool call" {
		delete(fields, "tools")
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings, numbers and booleans alone
	}
	return method, path, string(b)
}

// wordIn is what each word of a streamed answer brings along once, in the caller's wire.
func wordIn(wire string) []byte {
	if wire == "openai-responses" {
		return []byte(`"delta":" word"`) // its text comes again at the end
	}
	return []byte(` word"`)
}
