package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"perdiem/providers/sse"
)

// meaning is what a reply says, whatever its dialect: read here in the plainest way, apart from how
// Perdiem reads it.
type meaning struct {
	Text          string
	Calls         []string // "name arguments", the arguments in one spelling
	Reason        string   // stop, length, tool_calls or content_filter
	Input, Output int64
}

// meaningOf reads a whole reply, or the events of a stream.
func meaningOf(wire string, stream bool, body []byte) meaning {
	var m meaning
	read := map[string]func(*meaning, []gjson.Result, bool){
		"openai-chat": (*meaning).chat, "openai-responses": (*meaning).responses, "anthropic": (*meaning).anthropic, "gemini": (*meaning).gemini,
	}[wire]
	if !stream {
		read(&m, []gjson.Result{gjson.ParseBytes(body)}, false)
		return m
	}
	var events []gjson.Result
	for scanner := sse.NewScanner(bytes.NewReader(body)); ; {
		ev, err := scanner.Next()
		if err != nil {
			break
		}
		if gjson.ValidBytes(ev.Data) {
			events = append(events, gjson.Parse(string(ev.Data)))
		}
	}
	if len(events) > 0 {
		read(&m, events, true)
	}
	return m
}

// call adds a call in one spelling.
func (m *meaning) call(name, arguments string) {
	var value any
	if json.Unmarshal([]byte(arguments), &value) == nil {
		b, _ := json.Marshal(value)
		arguments = string(b)
	}
	if arguments == "" {
		arguments = "{}"
	}
	m.Calls = append(m.Calls, name+" "+arguments)
}

func (m *meaning) chat(events []gjson.Result, stream bool) {
	part := "message"
	if stream {
		part = "delta"
	}
	var names, arguments []string
	for _, ev := range events {
		choice := ev.Get("choices.0")
		said := choice.Get(part)
		if content := said.Get("content"); content.IsArray() {
			for _, part := range content.Array() {
				m.Text += part.Get("text").String() // Mistral's thoughts stand in the same list, with none
			}
		} else {
			m.Text += content.String()
		}
		for i, call := range said.Get("tool_calls").Array() {
			at := i
			if index := call.Get("index"); index.Exists() {
				at = int(index.Int())
			}
			for len(names) <= at {
				names, arguments = append(names, ""), append(arguments, "")
			}
			if name := call.Get("function.name").String(); names[at] == "" {
				names[at] = name
			}
			arguments[at] += call.Get("function.arguments").String()
		}
		if reason := choice.Get("finish_reason").String(); reason != "" {
			m.Reason = reason
		}
		for _, usage := range []gjson.Result{ev.Get("usage"), choice.Get("usage"), ev.Get("x_groq.usage")} {
			if usage.IsObject() {
				m.Input, m.Output = usage.Get("prompt_tokens").Int(), usage.Get("completion_tokens").Int()
				m.Output = max(m.Output, usage.Get("total_tokens").Int()-m.Input)
			}
		}
	}
	for i, name := range names {
		m.call(name, arguments[i])
	}
}

func (m *meaning) responses(events []gjson.Result, stream bool) {
	reply := events[0]
	if stream {
		for _, ev := range events {
			if delta := ev.Get("delta").String(); ev.Get("type").String() == "response.output_text.delta" {
				m.Text += delta
			}
			if r := ev.Get("response"); r.Exists() {
				reply = r
			}
		}
	}
	text := ""
	for _, item := range reply.Get("output").Array() {
		switch item.Get("type").String() {
		case "message":
			for _, c := range item.Get("content").Array() {
				text += c.Get("text").String()
			}
		case "function_call":
			m.call(item.Get("name").String(), item.Get("arguments").String())
		}
	}
	if stream && text != m.Text {
		text = "the deltas say " + m.Text + ", the whole says " + text
	}
	m.Text = text
	switch {
	case reply.Get("incomplete_details.reason").String() == "content_filter":
		m.Reason = "content_filter"
	case reply.Get("status").String() == "incomplete":
		m.Reason = "length"
	case len(m.Calls) > 0:
		m.Reason = "tool_calls"
	case reply.Get("status").String() == "completed":
		m.Reason = "stop"
	}
	m.Input, m.Output = reply.Get("usage.input_tokens").Int(), reply.Get("usage.output_tokens").Int()
}

func (m *meaning) anthropic(events []gjson.Result, stream bool) {
	usage := map[string]int64{}
	take := func(u gjson.Result) {
		u.ForEach(func(key, v gjson.Result) bool {
			if v.Type == gjson.Number && v.Int() != 0 {
				usage[key.String()] = v.Int()
			}
			return true
		})
	}
	blocks := events[0].Get("content").Array()
	arguments := map[int64]string{}
	if !stream {
		take(events[0].Get("usage"))
		m.Reason = events[0].Get("stop_reason").String()
	} else {
		blocks = nil
	}
	for _, ev := range events {
		if ev.Get("type").String() == "message_stop" {
			break // what comes behind it is another reply
		}
		index := ev.Get("index").Int()
		switch ev.Get("type").String() {
		case "message_start":
			take(ev.Get("message.usage"))
		case "content_block_start":
			blocks = append(blocks, ev.Get("content_block"))
		case "content_block_delta":
			m.Text += ev.Get("delta.text").String()
			arguments[index] += ev.Get("delta.partial_json").String()
		case "message_delta":
			take(ev.Get("usage"))
			if reason := ev.Get("delta.stop_reason").String(); reason != "" {
				m.Reason = reason
			}
		}
	}
	for i, block := range blocks {
		switch block.Get("type").String() {
		case "text":
			m.Text += block.Get("text").String()
		case "tool_use":
			input := block.Get("input").Raw
			if streamed := arguments[int64(i)]; streamed != "" {
				input = streamed
			}
			m.call(block.Get("name").String(), input)
		}
	}
	m.Input = usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"]
	m.Output = usage["output_tokens"]
	m.Reason = map[string]string{"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "content_filter", "pause_turn": "stop"}[m.Reason]
}

func (m *meaning) gemini(events []gjson.Result, _ bool) {
	if len(events) == 1 && events[0].IsArray() {
		events = events[0].Array()
	}
	for _, ev := range events {
		for _, part := range ev.Get("candidates.0.content.parts").Array() {
			if !part.Get("thought").Bool() {
				m.Text += part.Get("text").String()
			}
			if call := part.Get("functionCall"); call.Get("name").Exists() && !call.Get("willContinue").Bool() {
				m.call(call.Get("name").String(), call.Get("args").Raw)
			}
		}
		if reason := ev.Get("candidates.0.finishReason").String(); reason != "" {
			m.Reason = reason
		}
		if u := ev.Get("usageMetadata"); u.Exists() {
			m.Input = u.Get("promptTokenCount").Int() + u.Get("toolUsePromptTokenCount").Int()
			m.Output = max(u.Get("candidatesTokenCount").Int()+u.Get("thoughtsTokenCount").Int(), u.Get("totalTokenCount").Int()-m.Input)
		}
	}
	m.Reason = map[string]string{"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "PROHIBITED_CONTENT": "content_filter"}[m.Reason]
	if m.Reason == "stop" && len(m.Calls) > 0 {
		m.Reason = "tool_calls"
	}
}

func (m meaning) equal(o meaning) bool {
	return m.Text == o.Text && m.Reason == o.Reason && m.Input == o.Input && m.Output == o.Output && slices.Equal(m.Calls, o.Calls)
}

// words is how a meaning is shown where two differ.
func (m meaning) words() string {
	b, _ := json.Marshal(m)
	return strings.ToValidUTF8(string(b), "?")
}
