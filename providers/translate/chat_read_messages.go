package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

func (r *reading) chatMessages(path string, v gjson.Result) (list []Message) {
	r.items(path, v, func(path string, v gjson.Result) {
		m := Message{Role: r.role(join(path, "role"), v.Get("role"))}
		switch m.Role {
		case Assistant:
			m.Parts = r.chatAssistant(path, v)
		case ToolRole:
			m.Parts = []Part{r.chatResult(path, v)}
		default:
			r.fields(path, v, func(name string, v gjson.Result) bool {
				switch name {
				case "role":
				case "content":
					m.Parts = r.chatContent(join(path, name), v)
				default:
					return r.aside(name)
				}
				return true
			})
		}
		if len(m.Parts) > 0 {
			list = append(list, m)
		}
	})
	return list
}

func (r *reading) role(path string, v gjson.Result) Role {
	switch role := Role(r.str(path, v)); role {
	case System, User, Assistant, ToolRole:
		return role
	case "developer":
		return System
	default:
		r.refuse(path, "there is no role %q", role)
		return role
	}
}

// aside leaves out what is no part of what is said: a mark by which some tools ask for a cache of the prompt, and the name
// that some give whoever speaks.
func (r *reading) aside(name string) bool {
	if name == "cache_control" || name == "name" {
		r.leave("messages." + name)
		return true
	}
	return false
}

// chatAssistant are the parts of what the assistant said: its thoughts, its words, its calls.
func (r *reading) chatAssistant(path string, v gjson.Result) []Part {
	var thought string
	var said, refusal, calls []Part
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "role":
		case "content":
			said = r.chatContent(at, v)
		case "refusal":
			refusal = []Part{{Kind: Refusal, Text: r.str(at, v)}}
		case "tool_calls":
			calls = nil
			r.items(at, v, func(path string, v gjson.Result) { calls = append(calls, r.chatCall(path, v)) })
		case "reasoning_content", "reasoning": // not OpenAI's, but of many who speak its dialect; both are one
			thought = r.str(at, v)
		case "reasoning_details", "annotations":
			r.leaveIf("messages."+name, v)
		default:
			return r.aside(name)
		}
		return true
	})
	var parts []Part
	if thought != "" {
		parts = append(parts, Part{Kind: Thought, Text: thought})
	}
	return append(append(append(parts, said...), refusal...), calls...)
}

func (r *reading) chatCall(path string, v gjson.Result) Part {
	p := Part{Kind: Call}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "type":
			if kind := r.str(at, v); kind != "function" && kind != "custom" {
				r.refuse(at, "there is no call %q elsewhere", kind)
			}
		case "index": // of tools that keep what they were streamed
		case "id":
			p.ID = r.str(at, v)
		case "function", "custom":
			p.Name, _ = r.toolName(join(at, "name"), "", v.Get("name"))
			r.fields(at, v, func(name string, v gjson.Result) bool {
				switch at := join(at, name); name {
				case "name":
				case "arguments":
					p.Arguments = r.str(at, v)
				case "input":
					p.Arguments = wrapFree(r.str(at, v))
				default:
					return false
				}
				return true
			})
		case "extra_content":
			if token := v.Get("google.thought_signature"); token.Type == gjson.String {
				p.Proof = Proof{ByGoogle, token.Str}
			} else {
				r.leaveIf("messages."+name, v)
			}
		default:
			return false
		}
		return true
	})
	if p.Name == "" {
		r.refuse(path, "it names no tool")
	}
	return p
}

func (r *reading) chatResult(path string, v gjson.Result) Part {
	p := Part{Kind: Result}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "role":
		case "tool_call_id":
			p.ID = r.str(at, v)
		case "name":
			p.Name = r.names.of("", r.str(at, v))
		case "content":
			p.Content = r.chatContent(at, v)
		default:
			return r.aside(name)
		}
		return true
	})
	return p
}

// chatContent is a text, or a list of parts. Empty texts say nothing.
func (r *reading) chatContent(path string, v gjson.Result) (parts []Part) {
	if v.Type == gjson.String {
		return texts(v.Str)
	}
	r.items(path, v, func(path string, v gjson.Result) { parts = append(parts, r.chatPart(path, v)...) })
	return parts
}

// texts is a text as a part; none if it is empty.
func texts(s string) []Part {
	if s == "" {
		return nil
	}
	return []Part{{Kind: Text, Text: s}}
}

func (r *reading) chatPart(path string, v gjson.Result) (parts []Part) {
	kind := r.str(join(path, "type"), v.Get("type"))
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch {
		case name == "type":
		case name == "cache_control":
			r.leave("messages." + name)
		case name != kind:
			return false
		case name == "text":
			parts = texts(r.str(at, v))
		case name == "refusal":
			parts = []Part{{Kind: Refusal, Text: r.str(at, v)}}
		case name == "image_url":
			parts = r.media(at, r.chatImage(at, v))
		case name == "file":
			parts = r.media(at, r.chatFile(at, v))
		case name == "input_audio":
			parts = r.media(at, r.chatAudio(at, v))
		default:
			return false
		}
		return true
	})
	return parts
}

func (r *reading) chatImage(path string, v gjson.Result) Part {
	p := Part{Kind: Image}
	var detail string
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch at := join(path, name); name {
		case "url":
			p = r.image(at, v)
		case "detail":
			detail = r.str(at, v)
		default:
			return false
		}
		return true
	})
	p.Detail = detail
	return p
}

func (r *reading) chatFile(path string, v gjson.Result) Part {
	p := Part{Kind: File}
	var filename string
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch at := join(path, name); name {
		case "file_data":
			p = r.file(at, v)
		case "filename":
			filename = r.str(at, v)
		case "file_id":
			r.refuse(at, "the file is kept at another provider; please send its data")
		default:
			return false
		}
		return true
	})
	p.Name = filename
	return p
}

func (r *reading) chatAudio(path string, v gjson.Result) Part {
	p := Part{Kind: Audio}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch at := join(path, name); name {
		case "data":
			p.Data = r.str(at, v)
		case "format":
			p.MIME = "audio/" + strings.ToLower(r.str(at, v))
		default:
			return false
		}
		return true
	})
	return p
}
