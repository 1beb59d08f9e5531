package translate

import (
	"slices"

	"github.com/tidwall/gjson"
)

// tool reads a tool. Those with a type are Anthropic's own: they run there, or only its models were taught them.
func (m *messagesReading) tool(q *Request, path string, v gjson.Result) {
	if kind := v.Get("type").Str; kind != "" && kind != "custom" {
		m.withheld = append(m.withheld, v.Get("name").Str)
		m.leave("tools: " + kind)
		return
	}
	said := v.Get("name").Str
	if said == "" {
		m.refuse(path+".name", "a tool must have one")
	}
	t := Tool{Name: m.names.of("", said)}
	t.Said = saidUnless(t.Name, said)
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "name":
		case "description":
			t.Description = m.str(path+".description", v)
		case "input_schema":
			if !v.IsObject() {
				m.refuse(path+".input_schema", "it is not an object")
			}
			t.Parameters = []byte(v.Raw)
		case "strict":
			strict := m.flag(path+".strict", v)
			t.Strict = &strict
		case "defer_loading", "eager_input_streaming", "input_examples": // when and how it is told, not what it is
			m.leaveIf("tools[]."+name, v)
		case "allowed_callers":
			return slices.ContainsFunc(v.Array(), func(c gjson.Result) bool { return c.Str == "direct" })
		default:
			return false
		}
		return true
	})
	q.Tools = append(q.Tools, t)
}

func (m *messagesReading) toolChoice(q *Request, v gjson.Result) {
	m.fields("tool_choice", v, func(name string, v gjson.Result) bool {
		switch name {
		case "type":
			mode, ok := map[string]Mode{"auto": ChooseAuto, "any": ChooseRequired, "tool": ChooseOne, "none": ChooseNone}[v.Str]
			if !ok {
				m.refuse("tool_choice.type", "it is none of auto, any, tool and none")
			}
			q.Choice.Mode = mode
		case "name":
			m.named = m.str("tool_choice.name", v)
			q.Choice.Name = m.names.of("", m.named)
		case "disable_parallel_tool_use":
			parallel := !m.flag("tool_choice.disable_parallel_tool_use", v)
			q.Parallel = &parallel
		default:
			return false
		}
		return true
	})
}

// choice checks the choice once all tools are known.
func (m *messagesReading) choice(q *Request) {
	switch {
	case q.Choice.Mode == ChooseOne && slices.Contains(m.withheld, m.named):
		m.refuse("tool_choice", "the tool that it names is Anthropic's own")
	case q.Choice.Mode == ChooseRequired && len(q.Tools) == 0:
		m.refuse("tool_choice", "there is no tool that the model could call")
	case len(q.Tools) == 0 && len(m.withheld) > 0: // nothing is left to choose from
		q.Choice, q.Parallel = Choice{}, nil
	}
}
