package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// maxUser is the longest name of an end user that is carried: OpenAI takes no longer one. Claude Code's is longer, and
// made of its installation's identifiers, which are nobody else's business.
const maxUser = 64

// messagesReading reads one request.
type messagesReading struct {
	*reading
	system   []Part
	messages []Message
	withheld []string // the tools of Anthropic's that were left out
	named    string   // the tool that tool_choice names, as the caller knows it
}

func readMessages(r *reading, body []byte) *Request {
	m := &messagesReading{reading: r}
	q := &Request{}
	m.fields("", gjson.ParseBytes(body), func(name string, v gjson.Result) bool { return m.field(q, name, v) })
	if len(m.system) > 0 {
		q.Messages = append(q.Messages, Message{System, m.system})
	}
	q.Messages = append(q.Messages, m.messages...)
	m.choice(q)
	if q.Thinking != nil && q.Thinking.Off && q.Thinking.Effort != "" {
		q.Thinking.Effort = ""
		m.leave("output_config.effort")
	}
	m.lastWord()
	return q
}

func (m *messagesReading) field(q *Request, name string, v gjson.Result) bool {
	switch name {
	case "model":
		q.Model = m.str(name, v)
	case "stream":
		q.Stream = m.flag(name, v)
	case "max_tokens":
		m.digits(name, v)
		q.MaxTokens = v.Int()
	case "system":
		m.system = m.parts(name, v, System)
	case "messages":
		m.items(name, v, m.message)
	case "tools":
		m.items(name, v, func(path string, v gjson.Result) { m.tool(q, path, v) })
	case "tool_choice":
		m.toolChoice(q, v)
	case "stop_sequences":
		m.items(name, v, func(path string, v gjson.Result) { q.Stop = append(q.Stop, m.str(path, v)) })
	case "temperature":
		q.Temperature = m.digits(name, v)
	case "top_p":
		q.TopP = m.digits(name, v)
	case "top_k":
		q.TopK = m.digits(name, v)
	case "thinking":
		m.thinking(q, v)
	case "output_config":
		m.outputConfig(q, v)
	case "output_format": // as output_config.format was called at first
		m.format(q, name, v)
	case "metadata":
		m.metadata(q, v)
	case "cache_control", "context_management", "diagnostics", "service_tier", "speed":
		m.leaveIf(name, v)
	case "mcp_servers":
		return v.IsArray() && len(v.Array()) == 0
	default:
		return false
	}
	return true
}

func (m *messagesReading) metadata(q *Request, v gjson.Result) {
	m.fields("metadata", v, func(name string, v gjson.Result) bool {
		if user := v.String(); name == "user_id" && len(user) <= maxUser {
			q.User = user
		} else {
			m.leave("metadata." + name)
		}
		return true
	})
}

// thinking reads what is said of it. Models that choose by themselves how much to think do not show it unless they are
// asked to; with a budget it is shown unless it is asked not to.
// https://platform.claude.com/docs/en/build-with-claude/thinking
func (m *messagesReading) thinking(q *Request, v gjson.Result) {
	t := thinkingOf(q)
	m.fields("thinking", v, func(name string, v gjson.Result) bool {
		switch name {
		case "type":
			switch v.Str {
			case "disabled":
				t.Off = true
			case "adaptive", "enabled":
			default:
				m.refuse("thinking.type", "%q has no counterpart elsewhere", v.Str)
			}
		case "budget_tokens":
			m.digits("thinking.budget_tokens", v)
			t.Budget = v.Int()
		case "display":
		default:
			return false
		}
		return true
	})
	display := v.Get("display").Str
	t.Shown = display == "summarized" || display == "" && v.Get("type").Str == "enabled"
}

func thinkingOf(q *Request) *Thinking {
	if q.Thinking == nil {
		q.Thinking = &Thinking{}
	}
	return q.Thinking
}

func (m *messagesReading) outputConfig(q *Request, v gjson.Result) {
	m.fields("output_config", v, func(name string, v gjson.Result) bool {
		switch name {
		case "effort":
			if !knownEffort(v.Str) {
				m.refuse("output_config.effort", "%q is none of the known efforts", v.Str)
			}
			thinkingOf(q).Effort = v.Str
		case "format":
			m.format(q, "output_config.format", v)
		case "task_budget": // what the model is told of its budget; it binds nothing
			m.leave("output_config.task_budget")
		default:
			return false
		}
		return true
	})
}

func (m *messagesReading) format(q *Request, path string, v gjson.Result) {
	f := &Format{}
	m.fields(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "type":
			return v.Str == "json_schema"
		case "schema":
			if !v.IsObject() {
				m.refuse(path+".schema", "it is not an object")
			}
			f.Schema = []byte(v.Raw)
		default:
			return false
		}
		return true
	})
	if f.Schema == nil {
		m.refuse(path, "it has no schema")
	}
	q.Format = f
}

// message reads one turn. The results of tools go before all else that the user says with them, as chat completions want
// them right behind the calls.
func (m *messagesReading) message(path string, v gjson.Result) {
	role := Role(v.Get("role").Str)
	if role != User && role != Assistant && role != System {
		m.refuse(path+".role", "it is none of user, assistant and system")
		return
	}
	var parts []Part
	m.fields(path, v, func(name string, v gjson.Result) bool {
		if name == "content" {
			parts = m.parts(path+".content", v, role)
		}
		return name == "content" || name == "role"
	})
	rest := parts[:0:0]
	for _, p := range parts {
		if p.Kind == Result {
			m.messages = append(m.messages, Message{ToolRole, []Part{p}})
		} else {
			rest = append(rest, p)
		}
	}
	if len(rest) > 0 {
		m.messages = append(m.messages, Message{role, rest})
	}
}

// lastWord refuses a conversation that ends with the assistant's words: Anthropic's models go on from them, others begin
// anew, and who wrote them expects the rest of a sentence.
func (m *messagesReading) lastWord() {
	said := slices.DeleteFunc(slices.Clone(m.messages), func(msg Message) bool { return msg.Role == System })
	if n := len(said); n > 0 && said[n-1].Role == Assistant {
		m.refuse("messages", "the last one is the assistant's, and the model cannot go on from there")
	}
}

// billingHeader begins a block of Claude Code's system prompt that is a header of its telemetry.
const billingHeader = "x-anthropic-billing-header:"

// isTelemetry tells of a system prompt's block that is nothing to the model.
func isTelemetry(text string) bool {
	return strings.HasPrefix(text, billingHeader) && !strings.Contains(text, "\n")
}
