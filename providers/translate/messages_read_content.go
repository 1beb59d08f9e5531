package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// messagesBlock is what is known of a type of block: how it is read, and who may say it (ToolRole: it may stand in the result
// of a tool).
type messagesBlock struct {
	read func(m *messagesReading, path string, v gjson.Result) []Part
	by   []Role
}

func messagesBlockOf(kind string) (block messagesBlock, known bool) {
	switch kind {
	case "text":
		return messagesBlock{(*messagesReading).text, []Role{System, User, Assistant, ToolRole}}, true
	case "image":
		return messagesBlock{(*messagesReading).image, []Role{User, ToolRole}}, true
	case "document":
		return messagesBlock{(*messagesReading).document, []Role{User, ToolRole}}, true
	case "tool_result":
		return messagesBlock{(*messagesReading).result, []Role{User}}, true
	case "tool_reference":
		return messagesBlock{(*messagesReading).reference, []Role{ToolRole}}, true
	case "thinking":
		return messagesBlock{(*messagesReading).thought, []Role{Assistant}}, true
	case "redacted_thinking":
		return messagesBlock{(*messagesReading).redacted, []Role{Assistant}}, true
	case "tool_use":
		return messagesBlock{(*messagesReading).call, []Role{Assistant}}, true
	}
	return messagesBlock{}, false
}

// parts reads content: a string, or a list of blocks.
func (m *messagesReading) parts(path string, v gjson.Result, by Role) (parts []Part) {
	if v.Type == gjson.String {
		return texts(v.Str)
	}
	m.items(path, v, func(path string, v gjson.Result) {
		kind := v.Get("type").Str
		block, ok := messagesBlockOf(kind)
		switch {
		case !ok:
			m.refuse(path, "a block of the type %q has no counterpart elsewhere", kind)
		case !slices.Contains(block.by, by):
			m.refuse(path, "a block of the type %q does not belong there", kind)
		default:
			parts = append(parts, block.read(m, path, v)...)
		}
	})
	if by == System {
		parts = slices.DeleteFunc(parts, func(p Part) bool {
			if isTelemetry(p.Text) {
				m.leave(strings.TrimSuffix(billingHeader, ":"))
				return true
			}
			return false
		})
	}
	return parts
}

// block goes through the fields of a block, but for those that any block has.
func (m *messagesReading) block(path string, v gjson.Result, take func(name string, v gjson.Result) bool) {
	m.fields(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "type":
			return true
		case "cache_control":
			m.leaveIf(name, v)
			return true
		}
		return take(name, v)
	})
}

func (m *messagesReading) text(path string, v gjson.Result) []Part {
	var said string
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "text":
			said = m.str(path+".text", v)
		case "citations": // of what was said before
			m.leaveIf(name, v)
		default:
			return false
		}
		return true
	})
	return texts(said)
}

func (m *messagesReading) image(path string, v gjson.Result) []Part {
	p := Part{Kind: Image}
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "source":
			m.source(&p, path+".source", v)
		case "transformations":
			m.leaveIf(name, v)
		default:
			return false
		}
		return true
	})
	return []Part{p}
}

// document reads a file. One that is text already is carried as text, which any model takes.
func (m *messagesReading) document(path string, v gjson.Result) []Part {
	p := Part{Kind: File}
	var parts []Part
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "source":
			switch v.Get("type").Str {
			case "text":
				parts = []Part{{Kind: Text, Text: v.Get("data").String()}}
			case "content":
				parts = m.parts(path+".source.content", v.Get("content"), ToolRole)
			default:
				m.source(&p, path+".source", v)
			}
		case "title":
			p.Name = m.str(path+".title", v)
		case "citations":
			return !v.Get("enabled").Bool()
		default:
			return false
		}
		return true
	})
	if parts == nil {
		return []Part{p}
	}
	if p.Name != "" {
		parts = append([]Part{{Kind: Text, Text: p.Name}}, parts...)
	}
	return parts
}

// source reads where the bytes of an image or a file are.
func (m *messagesReading) source(p *Part, path string, v gjson.Result) {
	switch kind := v.Get("type").Str; kind {
	case "base64":
		p.MIME, p.Data = v.Get("media_type").Str, v.Get("data").Str
	case "url":
		p.URL = v.Get("url").Str
	default:
		m.refuse(path, "the source %q is known to Anthropic alone", kind)
	}
	if p.Data == "" && p.URL == "" {
		m.refuse(path, "it holds no data")
	}
}

func (m *messagesReading) result(path string, v gjson.Result) []Part {
	p := Part{Kind: Result}
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "tool_use_id":
			p.ID = m.str(path+".tool_use_id", v)
		case "content":
			p.Content = m.parts(path+".content", v, ToolRole)
		case "is_error":
			p.Failed = m.flag(path+".is_error", v)
		default:
			return false
		}
		return true
	})
	return []Part{p}
}

// reference is how a search for tools answers. The tools themselves are among the request's, and offered.
func (m *messagesReading) reference(_ string, v gjson.Result) []Part {
	return []Part{{Kind: Text, Text: "The tool " + m.names.of("", v.Get("tool_name").Str) + " can be called now."}}
}

func (m *messagesReading) thought(path string, v gjson.Result) []Part {
	p := Part{Kind: Thought}
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "thinking":
			p.Text = m.str(path+".thinking", v)
		case "signature":
			p.Proof = unseal(ByAnthropic, m.str(path+".signature", v))
		default:
			return false
		}
		return true
	})
	if p.Text == "" && p.Proof == (Proof{}) {
		return nil
	}
	return []Part{p}
}

func (m *messagesReading) redacted(path string, v gjson.Result) []Part {
	p := Part{Kind: Thought}
	m.block(path, v, func(name string, v gjson.Result) bool {
		if name == "data" {
			p.Proof = Proof{HiddenByAnthropic, m.str(path+".data", v)}
		}
		return name == "data"
	})
	return []Part{p}
}

func (m *messagesReading) call(path string, v gjson.Result) []Part {
	p := Part{Kind: Call, Arguments: "{}"}
	m.block(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "id":
			p.ID = m.str(path+".id", v)
		case "name":
			p.Name = m.names.of("", m.str(path+".name", v))
		case "input":
			p.Arguments = v.Raw
		case "caller": // direct: the model itself, not code that it ran
			return v.Get("type").Str == "direct"
		default:
			return false
		}
		return true
	})
	return []Part{p}
}
