package translate

import "github.com/tidwall/gjson"

func (r *reading) chatTools(path string, v gjson.Result) (tools []Tool) {
	r.items(path, v, func(path string, v gjson.Result) {
		switch kind := v.Get("type").String(); kind {
		case "function", "custom":
			tools = append(tools, r.chatTool(path, kind, v))
		default:
			r.leave("tools." + kind)
		}
	})
	return tools
}

func (r *reading) chatTool(path, kind string, v gjson.Result) (t Tool) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch {
		case name == "type":
		case name == "cache_control":
			r.leave("tools." + name)
		case name != kind:
			return false
		case name == "function":
			t = r.function(at, "", v)
		case name == "custom":
			t = r.custom(at, "", v)
		}
		return true
	})
	if t.Name == "" {
		r.refuse(path, "it describes no tool")
	}
	return t
}

// toolName is the name in the middle form of the tool that stands at a path.
func (r *reading) toolName(path, space string, v gjson.Result) (name, said string) {
	if said = r.str(path, v); said == "" {
		r.refuse(path, "the tool has no name")
	}
	return r.names.of(space, said), said
}

// function is a function, of a group or of none, and custom a tool of free text.
func (r *reading) function(path, space string, v gjson.Result) (t Tool) {
	name, said := r.toolName(join(path, "name"), space, v.Get("name"))
	t = Tool{Name: name, Said: saidUnless(name, said), Space: space}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "type", "name":
		case "description":
			t.Description = r.str(at, v)
		case "parameters":
			if !v.IsObject() {
				r.refuse(at, "it is not an object")
			}
			t.Parameters = []byte(v.Raw)
		case "strict":
			strict := r.flag(at, v)
			t.Strict = &strict
		default:
			return r.toolHint(name, v)
		}
		return true
	})
	return t
}

// toolHint leaves out what only the running of tools by their vendor can make use of.
func (r *reading) toolHint(name string, v gjson.Result) bool {
	switch name {
	case "allowed_callers", "async", "defer_loading", "output_schema":
		r.leaveIf("tools."+name, v)
		return true
	}
	return false
}

func (r *reading) custom(path, space string, v gjson.Result) Tool {
	name, said := r.toolName(join(path, "name"), space, v.Get("name"))
	var description, syntax, grammar string
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "type", "name":
		case "description":
			description = r.str(at, v)
		case "format":
			syntax, grammar = r.grammar(at, v)
		default:
			return r.toolHint(name, v)
		}
		return true
	})
	return freeTool(name, said, space, description, syntax, grammar)
}

// grammar is what free text must follow: chat completions have it in an object of its own, responses beside the type.
func (r *reading) grammar(path string, v gjson.Result) (syntax, text string) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch at := join(path, name); name {
		case "type":
			if kind := r.str(at, v); kind != "text" && kind != "grammar" {
				r.refuse(at, "there is no form %q elsewhere", kind)
			}
		case "grammar":
			syntax, text = r.grammar(at, v)
		case "syntax":
			syntax = r.str(at, v)
		case "definition":
			text = r.str(at, v)
		default:
			return false
		}
		return true
	})
	return syntax, text
}

func (r *reading) chatChoice(path string, v gjson.Result) (c Choice) {
	if v.Type == gjson.String {
		return Choice{Mode: r.mode(path, v)}
	}
	kind := r.str(join(path, "type"), v.Get("type"))
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch {
		case name == "type":
		case name != kind:
			return false
		case name == "function", name == "custom":
			c = Choice{Mode: ChooseOne, Name: r.chosen(at, v)}
		case name == "allowed_tools":
			c = r.allowed(at, v, func(path string, v gjson.Result) string {
				inner := v.Get("type").String()
				return r.chosen(join(path, inner), v.Get(gjson.Escape(inner)))
			})
		default:
			return false
		}
		return true
	})
	if c.Mode == "" {
		r.refuse(path, "it names no function")
	}
	return c
}

// mode is whether tools are called, in a word.
func (r *reading) mode(path string, v gjson.Result) Mode {
	switch mode := Mode(r.str(path, v)); mode {
	case ChooseAuto, ChooseNone, ChooseRequired:
		return mode
	default:
		r.refuse(path, "there is no choice %q", mode)
		return ""
	}
}

// chosen is the name of the tool that an object names.
func (r *reading) chosen(path string, v gjson.Result) string {
	name, _ := r.toolName(join(path, "name"), "", v.Get("name"))
	return name
}

// allowed narrows the tools to a list, whose entries name reads.
func (r *reading) allowed(path string, v gjson.Result, name func(path string, v gjson.Result) string) Choice {
	c := Choice{Mode: r.mode(join(path, "mode"), v.Get("mode"))}
	path = join(path, "tools")
	r.items(path, v.Get("tools"), func(path string, v gjson.Result) { c.Allowed = append(c.Allowed, name(path, v)) })
	if len(c.Allowed) == 0 {
		r.refuse(path, "it names no tool")
	}
	return c
}
