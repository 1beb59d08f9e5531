package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// conversation is what was said so far: a text, or a list of items.
func (r *reading) conversation(path string, v gjson.Result) []Message {
	if v.Type == gjson.String {
		if v.Str == "" {
			return nil
		}
		return []Message{{User, texts(v.Str)}}
	}
	var c turns
	r.items(path, v, func(path string, v gjson.Result) { r.item(&c, path, v) })
	return c.list
}

// turns puts items together to messages.
type turns struct{ list []Message }

// said adds what the assistant said: all of one reply is one message, but for its texts, which would run together.
func (c *turns) said(parts ...Part) {
	last := len(c.list) - 1
	if last < 0 || c.list[last].Role != Assistant || parts[0].Kind == Text && endsInText(c.list[last].Parts) {
		c.list = append(c.list, Message{Assistant, parts})
		return
	}
	c.list[last].Parts = append(c.list[last].Parts, parts...)
}

func endsInText(parts []Part) bool { return parts[len(parts)-1].Kind == Text }

// called tells whether the conversation has a call of that id.
func (c *turns) called(id string) bool {
	return slices.ContainsFunc(c.list, func(m Message) bool {
		return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind == Call && p.ID == id })
	})
}

// item takes in one item of the conversation.
func (r *reading) item(c *turns, path string, v gjson.Result) {
	kind := v.Get("type").String()
	switch kind {
	case "", "message":
		r.messageItem(c, path, v)
	case "reasoning":
		r.thoughtItem(c, path, v)
	case "function_call", "custom_tool_call":
		c.said(r.callItem(path, v))
	case "function_call_output", "custom_tool_call_output":
		result := r.resultItem(path, v)
		if !c.called(result.ID) {
			r.refuse(join(path, "call_id"), "it answers no call of this conversation")
		}
		c.list = append(c.list, Message{ToolRole, []Part{result}})
	case "web_search_call": // it tells what was looked for, not what was found
		r.leave("input." + kind)
	case "item_reference":
		r.refuse(path, "replies are not kept here; please send the item itself")
	default:
		r.refuse(path, "what %q tells is known to its vendor alone", kind)
	}
}

// itemFields goes through an item. Its own id and its state say nothing to others.
func (r *reading) itemFields(path string, v gjson.Result, take func(at, name string, v gjson.Result) bool) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "type", "id", "status", "phase", "namespace", "created_by":
			return true
		}
		return take(join(path, name), name, v)
	})
}

func (r *reading) messageItem(c *turns, path string, v gjson.Result) {
	m := Message{Role: r.role(join(path, "role"), v.Get("role"))}
	r.itemFields(path, v, func(at, name string, v gjson.Result) bool {
		switch name {
		case "role":
		case "content":
			m.Parts = r.responsesContent(at, v)
		default:
			return false
		}
		return true
	})
	switch {
	case len(m.Parts) == 0:
	case m.Role == ToolRole:
		r.refuse(join(path, "role"), "results of tools are items of their own")
	case m.Role == Assistant:
		c.said(m.Parts...)
	default:
		c.list = append(c.list, m)
	}
}

// thoughtItem takes in a thought. One that is a proof alone belongs to the call before it, where its vendor signs calls.
func (r *reading) thoughtItem(c *turns, path string, v gjson.Result) {
	var summary, content []string
	p := Part{Kind: Thought}
	r.itemFields(path, v, func(at, name string, v gjson.Result) bool {
		switch name {
		case "summary":
			summary = r.thoughts(at, v)
		case "content":
			content = r.thoughts(at, v)
		case "encrypted_content":
			p.Proof = unseal(ByOpenAI, r.str(at, v))
		default:
			return false
		}
		return true
	})
	if content == nil {
		content = summary
	}
	p.Text = strings.Join(content, "\n\n")
	last := len(c.list) - 1
	switch {
	case p.Text == "" && p.Proof == Proof{}:
	case p.Text == "" && p.Proof.Vendor == ByGoogle && last >= 0 && signable(c.list[last].Parts):
		c.list[last].Parts[len(c.list[last].Parts)-1].Proof = p.Proof
	default:
		c.said(p)
	}
}

// signable tells whether the last part is a call that has no proof.
func signable(parts []Part) bool {
	last := parts[len(parts)-1]
	return last.Kind == Call && last.Proof == Proof{}
}

func (r *reading) thoughts(path string, v gjson.Result) (list []string) {
	r.items(path, v, func(path string, v gjson.Result) { list = append(list, r.str(join(path, "text"), v.Get("text"))) })
	return list
}

func (r *reading) callItem(path string, v gjson.Result) Part {
	p := Part{Kind: Call}
	space := v.Get("namespace").String()
	r.itemFields(path, v, func(at, name string, v gjson.Result) bool {
		switch name {
		case "call_id":
			p.ID = r.str(at, v)
		case "name":
			p.Name, _ = r.toolName(at, space, v)
		case "arguments":
			p.Arguments = r.str(at, v)
		case "input":
			p.Arguments = wrapFree(r.str(at, v))
		case "caller", "async":
			r.leaveIf("input."+name, v)
		default:
			return false
		}
		return true
	})
	if p.Name == "" {
		r.refuse(path, "it names no function")
	}
	return p
}

func (r *reading) resultItem(path string, v gjson.Result) Part {
	p := Part{Kind: Result}
	r.itemFields(path, v, func(at, name string, v gjson.Result) bool {
		switch name {
		case "call_id":
			p.ID = r.str(at, v)
		case "output":
			p.Content = r.responsesContent(at, v)
		case "caller", "name":
			r.leaveIf("input."+name, v)
		default:
			return false
		}
		return true
	})
	return p
}

// responsesContent is a text, or a list of parts. Empty texts say nothing.
func (r *reading) responsesContent(path string, v gjson.Result) (parts []Part) {
	if v.Type == gjson.String {
		return texts(v.Str)
	}
	r.items(path, v, func(path string, v gjson.Result) { parts = append(parts, r.responsesPart(path, v)...) })
	return parts
}

func (r *reading) responsesPart(path string, v gjson.Result) (parts []Part) {
	kind := r.str(join(path, "type"), v.Get("type"))
	p := Part{}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch {
		case name == "type":
		case name == "text" && (kind == "input_text" || kind == "output_text"):
			parts = texts(r.str(at, v))
		case name == "refusal" && kind == name:
			parts = []Part{{Kind: Refusal, Text: r.str(at, v)}}
		case name == "image_url" && kind == "input_image":
			p = r.image(at, v)
		case name == "detail" && kind == "input_image":
		case name == "file_data" && kind == "input_file":
			p = r.file(at, v)
		case name == "file_url" && kind == "input_file":
			p = Part{Kind: File, URL: r.str(at, v)}
		case name == "filename" && kind == "input_file":
		case name == "file_id":
			r.refuse(at, "the file is kept at another provider; please send its data")
		case name == "input_audio" && kind == name:
			p = r.chatAudio(at, v)
		case name == "annotations" || name == "logprobs" || name == "prompt_cache_breakpoint":
			r.leaveIf("input."+name, v)
		default:
			return false
		}
		return true
	})
	switch kind {
	case "input_image":
		p.Detail = v.Get("detail").String()
		return r.media(path, p)
	case "input_file":
		p.Name = v.Get("filename").String()
		return r.media(path, p)
	case "input_audio":
		return r.media(path, p)
	case "input_text", "output_text", "refusal":
		return parts
	}
	r.refuse(join(path, "type"), "there is no part %q elsewhere", kind)
	return nil
}
