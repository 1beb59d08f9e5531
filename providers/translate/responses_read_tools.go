package translate

import (
	"slices"

	"github.com/tidwall/gjson"
)

// clientTools are kinds of tools that the vendor defines and the caller runs, so that they cannot be left out.
var clientTools = []string{"apply_patch", "local_shell", "shell", "computer"}

func (r *reading) responsesTools(path string, v gjson.Result) (tools []Tool) {
	r.items(path, v, func(path string, v gjson.Result) {
		tools = append(tools, r.responsesTool(path, "", v)...)
	})
	return tools
}

// responsesTool is a function or a tool of free text, or the tools of a group. What runs at the vendor is left out.
func (r *reading) responsesTool(path, space string, v gjson.Result) []Tool {
	switch kind := r.str(join(path, "type"), v.Get("type")); {
	case kind == "function":
		return []Tool{r.function(path, space, v)}
	case kind == "custom":
		return []Tool{r.custom(path, space, v)}
	case kind == "namespace" && space == "":
		return r.group(path, v)
	case slices.Contains(clientTools, kind):
		r.refuse(path, "the model knows it from its vendor alone; please offer it as a function")
	default:
		r.leave("tools." + kind)
	}
	return nil
}

// group are the tools of a group. What is said of the group is said of each.
func (r *reading) group(path string, v gjson.Result) (tools []Tool) {
	var about string
	space := r.str(join(path, "name"), v.Get("name"))
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "type", "name":
		case "description":
			about = r.str(at, v)
		case "tools":
			tools = nil
			r.items(at, v, func(path string, v gjson.Result) { tools = append(tools, r.responsesTool(path, space, v)...) })
		default:
			return r.toolHint(name, v)
		}
		return true
	})
	if space == "" {
		r.refuse(join(path, "name"), "the group has no name")
	}
	for i := range tools {
		if about != "" {
			tools[i].Description += "\n\nOne of " + space + ": " + about
		}
	}
	return tools
}

func (r *reading) responsesChoice(path string, v gjson.Result) Choice {
	if v.Type == gjson.String {
		return Choice{Mode: r.mode(path, v)}
	}
	switch kind := r.str(join(path, "type"), v.Get("type")); kind {
	case "function", "custom":
		return Choice{Mode: ChooseOne, Name: r.responsesChosen(path, v)}
	case "allowed_tools":
		return r.allowed(path, v, r.responsesChosen)
	default:
		r.refuse(path, "the model's provider has no tool %q", kind)
		return Choice{}
	}
}

// responsesChosen is the name of the tool that an object names.
func (r *reading) responsesChosen(path string, v gjson.Result) (chosen string) {
	space := v.Get("namespace").String()
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "type", "namespace":
		case "name":
			chosen, _ = r.toolName(join(path, name), space, v)
		default:
			return false
		}
		return true
	})
	if chosen == "" {
		r.refuse(path, "it names no function")
	}
	return chosen
}
