package translate

import (
	"encoding/json"
	"strings"

	"perdiem/providers"
)

// A feature is something that a request can say, in the words of each dialect that has it, as a whole body. What is seen of it
// in the middle form tells whether it was carried.
type feature struct {
	name string
	said map[providers.Dialect]string
	seen func(q *Request) any
}

// The fields that every request has.
var always = map[providers.Dialect]string{
	chats:   `"model":"m","messages":[{"role":"user","content":"Hi"}]`,
	asks:    `"model":"m","input":"Hi"`,
	writes:  `"model":"m","max_tokens":2000,"messages":[{"role":"user","content":"Hi"}]`,
	googles: `"contents":[{"role":"user","parts":[{"text":"Hi"}]}]`,
}

// Tools as each dialect offers them.
var offer = map[providers.Dialect]string{
	chats:   `"tools":[{"type":"function","function":{"name":"look_up","description":"Looks up.","parameters":{"type":"object","properties":{"w":{"type":"string"}}}}}]`,
	asks:    `"tools":[{"type":"function","name":"look_up","description":"Looks up.","parameters":{"type":"object","properties":{"w":{"type":"string"}}}}]`,
	writes:  `"tools":[{"name":"look_up","description":"Looks up.","input_schema":{"type":"object","properties":{"w":{"type":"string"}}}}]`,
	googles: `"tools":[{"functionDeclarations":[{"name":"look_up","description":"Looks up.","parametersJsonSchema":{"type":"object","properties":{"w":{"type":"string"}}}}]}]`,
}

// field says a feature by fields of each dialect's own, beside those that every request has.
func field(f map[providers.Dialect]string) map[providers.Dialect]string {
	said := map[providers.Dialect]string{}
	for d, text := range f {
		said[d] = "{" + always[d] + "," + strings.ReplaceAll(text, "TOOLS", offer[d]) + "}"
	}
	return said
}

// conversation says a feature by the whole conversation.
func conversation(f map[providers.Dialect]string) map[providers.Dialect]string {
	said := map[providers.Dialect]string{}
	for d, text := range f {
		list := map[providers.Dialect]string{chats: `"model":"m","messages":`, asks: `"model":"m","input":`, writes: `"model":"m","max_tokens":2000,"messages":`, googles: `"contents":`}[d]
		said[d] = "{" + list + text + "," + offer[d] + "}"
	}
	return said
}

// all are the parts of a kind, and what is looked at of them.
func all(kind PartKind, look func(p Part) any) func(*Request) any {
	return func(q *Request) any {
		var seen []any
		var walk func([]Part)
		walk = func(parts []Part) {
			for _, p := range parts {
				if p.Kind == kind {
					seen = append(seen, look(p))
				}
				walk(p.Content)
			}
		}
		for _, m := range q.Messages {
			walk(m.Parts)
		}
		return seen
	}
}

const pixel = "iVBORw0KGgo="

func args(s string) any {
	var v any
	_ = json.Unmarshal([]byte(s), &v)
	return v
}

var features = []feature{
	{"system prompt", field(map[providers.Dialect]string{
		asks: `"instructions":"Be kind."`, writes: `"system":"Be kind."`, googles: `"systemInstruction":{"parts":[{"text":"Be kind."}]}`,
	}), func(q *Request) any { return q.Messages[0] }},
	{"the same, as chat completions say it", map[providers.Dialect]string{
		chats: `{"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}]}`,
	}, func(q *Request) any { return q.Messages[0] }},
	{"image in the request", conversation(map[providers.Dialect]string{
		chats:   `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]}]`,
		asks:    `[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]}]`,
		writes:  `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}]`,
		googles: `[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}]`,
	}), all(Image, func(p Part) any { return p.MIME + p.Data })},
	{"image by its address", conversation(map[providers.Dialect]string{
		chats:  `[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]`,
		asks:   `[{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/a.png"}]}]`,
		writes: `[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}]`,
	}), all(Image, func(p Part) any { return p.URL })},
	{"PDF in the request", conversation(map[providers.Dialect]string{
		chats:   `[{"role":"user","content":[{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERg=="}}]}]`,
		asks:    `[{"role":"user","content":[{"type":"input_file","file_data":"data:application/pdf;base64,JVBERg=="}]}]`,
		writes:  `[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="}}]}]`,
		googles: `[{"role":"user","parts":[{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}]}]`,
	}), all(File, func(p Part) any { return p.MIME + p.Data })},
	{"sound in the request", conversation(map[providers.Dialect]string{
		chats:   `[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}]`,
		googles: `[{"role":"user","parts":[{"inlineData":{"mimeType":"audio/wav","data":"UklGRg=="}}]}]`,
	}), all(Audio, func(p Part) any { return p.Data })},
	{"tools", field(offer), func(q *Request) any {
		return []any{q.Tools[0].Name, q.Tools[0].Description, args(string(q.Tools[0].Parameters))}
	}},
	{"a tool that must be called", field(map[providers.Dialect]string{
		chats: `TOOLS,"tool_choice":{"type":"function","function":{"name":"look_up"}}`, asks: `TOOLS,"tool_choice":{"type":"function","name":"look_up"}`,
		writes: `TOOLS,"tool_choice":{"type":"tool","name":"look_up"}`, googles: `TOOLS,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["look_up"]}}`,
	}), func(q *Request) any {
		if len(q.Choice.Allowed) == 1 { // among one, any is that one
			return q.Choice.Allowed[0]
		}
		return q.Choice.Name
	}},
	{"any tool must be called", field(map[providers.Dialect]string{
		chats: `TOOLS,"tool_choice":"required"`, asks: `TOOLS,"tool_choice":"required"`, writes: `TOOLS,"tool_choice":{"type":"any"}`,
		googles: `TOOLS,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`,
	}), func(q *Request) any { return q.Choice.Mode }},
	{"no tool may be called", field(map[providers.Dialect]string{
		chats: `TOOLS,"tool_choice":"none"`, asks: `TOOLS,"tool_choice":"none"`, writes: `TOOLS,"tool_choice":{"type":"none"}`,
		googles: `TOOLS,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`,
	}), func(q *Request) any { return q.Choice.Mode }},
	{"one call at a time", field(map[providers.Dialect]string{
		chats: `TOOLS,"parallel_tool_calls":false`, asks: `TOOLS,"parallel_tool_calls":false`, writes: `TOOLS,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`,
	}), func(q *Request) any { return q.Parallel }},
	{"calls and their results, two at once", conversation(map[providers.Dialect]string{
		chats: `[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look_up","arguments":"{\"w\":\"x\"}"}},` +
			`{"id":"b","type":"function","function":{"name":"look_up","arguments":"{\"w\":\"y\"}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]`,
		asks: `[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"a","name":"look_up","arguments":"{\"w\":\"x\"}"},{"type":"function_call","call_id":"b","name":"look_up","arguments":"{\"w\":\"y\"}"},` +
			`{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"}]`,
		writes: `[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look_up","input":{"w":"x"}},{"type":"tool_use","id":"b","name":"look_up","input":{"w":"y"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}]`,
		googles: `[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"look_up","args":{"w":"x"}}},{"functionCall":{"name":"look_up","args":{"w":"y"}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"look_up","response":{"result":"1"}}},{"functionResponse":{"name":"look_up","response":{"result":"2"}}}]}]`,
	}), func(q *Request) any {
		return []any{all(Call, func(p Part) any { return []any{p.Name, args(p.Arguments)} })(q), all(Result, func(p Part) any { return textOf(p.Content) })(q)}
	}},
	{"a tool that failed", conversation(map[providers.Dialect]string{
		writes: `[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look_up","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"no such word"}]}]`,
	}), all(Result, func(p Part) any { return strings.Contains(textOf(p.Content), "no such word") })},
	{"an image as a tool's result", conversation(map[providers.Dialect]string{
		writes: `[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look_up","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}]}]`,
	}), all(Image, func(p Part) any { return p.MIME + p.Data })},
	{"how much to think, in a word", field(map[providers.Dialect]string{
		chats: `"reasoning_effort":"high"`, asks: `"reasoning":{"effort":"high"}`, writes: `"output_config":{"effort":"high"}`, googles: `"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`,
	}), func(q *Request) any { return q.Thinking.effort() }},
	{"how much to think, in tokens", map[providers.Dialect]string{
		writes:  `{"model":"m","max_tokens":20000,"messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"enabled","budget_tokens":8192}}`,
		googles: `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":20000,"thinkingConfig":{"thinkingBudget":8192}}}`,
	}, func(q *Request) any { return q.Thinking.effort() }},
	{"no thinking", field(map[providers.Dialect]string{
		chats: `"reasoning_effort":"none"`, asks: `"reasoning":{"effort":"none"}`, writes: `"thinking":{"type":"disabled"}`, googles: `"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}`,
	}), func(q *Request) any { return q.Thinking == nil || q.Thinking.Off }},
	{"the longest reply", field(map[providers.Dialect]string{
		chats: `"max_completion_tokens":777`, asks: `"max_output_tokens":777`, googles: `"generationConfig":{"maxOutputTokens":777}`,
	}), func(q *Request) any { return q.MaxTokens }},
	{"stop sequences", field(map[providers.Dialect]string{
		chats: `"stop":["END"]`, writes: `"stop_sequences":["END"]`, googles: `"generationConfig":{"stopSequences":["END"]}`,
	}), func(q *Request) any { return q.Stop }},
	{"temperature", field(map[providers.Dialect]string{
		chats: `"temperature":0.5`, asks: `"temperature":0.5`, writes: `"temperature":0.5`, googles: `"generationConfig":{"temperature":0.5}`,
	}), func(q *Request) any { return q.Temperature }},
	{"top_p", field(map[providers.Dialect]string{
		chats: `"top_p":0.5`, asks: `"top_p":0.5`, writes: `"top_p":0.5`, googles: `"generationConfig":{"topP":0.5}`,
	}), func(q *Request) any { return q.TopP }},
	{"top_k", field(map[providers.Dialect]string{
		chats: `"top_k":5`, writes: `"top_k":5`, googles: `"generationConfig":{"topK":5}`,
	}), func(q *Request) any { return q.TopK }},
	{"seed", field(map[providers.Dialect]string{
		chats: `"seed":5`, googles: `"generationConfig":{"seed":5}`,
	}), func(q *Request) any { return q.Seed }},
	{"penalties", field(map[providers.Dialect]string{
		chats: `"presence_penalty":0.5,"frequency_penalty":0.5`, googles: `"generationConfig":{"presencePenalty":0.5,"frequencyPenalty":0.5}`,
	}), func(q *Request) any { return []any{q.Presence, q.Frequency} }},
	{"several replies", field(map[providers.Dialect]string{
		chats: `"n":2`, googles: `"generationConfig":{"candidateCount":2}`,
	}), func(q *Request) any { return q.Replies }},
	{"probabilities of tokens", field(map[providers.Dialect]string{
		chats: `"logprobs":true`, asks: `"top_logprobs":2`, googles: `"generationConfig":{"responseLogprobs":true}`,
	}), func(q *Request) any { return q.Logprobs }},
	{"answer as JSON", field(map[providers.Dialect]string{
		chats: `"response_format":{"type":"json_object"}`, asks: `"text":{"format":{"type":"json_object"}}`, googles: `"generationConfig":{"responseMimeType":"application/json"}`,
	}), func(q *Request) any { return q.Format != nil }},
	{"answer by a JSON schema", field(map[providers.Dialect]string{
		chats:  `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object"}}}`,
		asks:   `"text":{"format":{"type":"json_schema","name":"a","schema":{"type":"object"}}}`,
		writes: `"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`, googles: `"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}`,
	}), func(q *Request) any { return args(string(q.Format.Schema)) }},
	{"name of the end user", field(map[providers.Dialect]string{
		chats: `"user":"u1"`, asks: `"user":"u1"`, writes: `"metadata":{"user_id":"u1"}`,
	}), func(q *Request) any { return q.User }},
	{"cache marks, keys", field(map[providers.Dialect]string{
		chats: `"prompt_cache_key":"k"`, asks: `"prompt_cache_key":"k"`, writes: `"cache_control":{"type":"ephemeral"}`,
	}), func(*Request) any { return nil }},
	{"service tier", field(map[providers.Dialect]string{
		chats: `"service_tier":"flex"`, asks: `"service_tier":"flex"`, writes: `"service_tier":"auto"`,
	}), func(*Request) any { return nil }},
	{"safety settings", field(map[providers.Dialect]string{
		googles: `"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`,
	}), func(*Request) any { return nil }},
	{"web search at the provider", field(map[providers.Dialect]string{
		asks: `"tools":[{"type":"web_search"}]`, writes: `"tools":[{"type":"web_search_20250305","name":"web_search"}]`, googles: `"tools":[{"googleSearch":{}}]`,
	}), func(*Request) any { return nil }},
	{"a stored reply to go on from", field(map[providers.Dialect]string{
		asks: `"previous_response_id":"resp_1"`,
	}), func(*Request) any { return nil }},
	{"work in the background", field(map[providers.Dialect]string{
		asks: `"background":true`,
	}), func(*Request) any { return nil }},
	{"a field that nobody knows", field(map[providers.Dialect]string{
		chats: `"frobnicate":1`, asks: `"frobnicate":1`, writes: `"frobnicate":1`, googles: `"frobnicate":1`,
	}), func(*Request) any { return nil }},
}

func textOf(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
