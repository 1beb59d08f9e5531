package translate

import (
	"strings"

	"github.com/tidwall/gjson"
)

func (g *geminiReading) tool(path string, v gjson.Result) {
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "functionDeclarations":
			g.list(path, v, g.declaration)
		case "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "googleMaps", "computerUse", "fileSearch",
			"enterpriseWebSearch", "retrieval", "mcpServers":
			g.leave(path) // they run at Google
		default:
			return false
		}
		return true
	})
}

func (g *geminiReading) declaration(path string, v gjson.Result) {
	var t Tool
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "name":
			t.Said = g.str(path, v)
		case "description":
			t.Description = g.str(path, v)
		case "parameters", "parametersJsonSchema":
			if t.Parameters != nil {
				g.refuse(path, "a function can have only one schema")
			}
			if t.Parameters = []byte(v.Raw); name == "parameters" {
				t.Parameters = appendSchema(nil, v)
			}
		case "response", "responseJsonSchema", "behavior": // of what the caller says, or for spoken conversations
			g.leaveIf(path, v)
		default:
			return false
		}
		return true
	})
	t.Name = g.nameOf(path, t.Said)
	t.Said = saidUnless(t.Name, t.Said)
	g.q.Tools = append(g.q.Tools, t)
}

// nameOf is the name of a function for other dialects.
func (g *geminiReading) nameOf(path, said string) string {
	if said == "" {
		g.refuse(join(path, "name"), "it is empty")
	}
	return g.names.of("", said)
}

func (g *geminiReading) toolConfig(name, path string, v gjson.Result) bool {
	switch name {
	case "functionCallingConfig":
		g.calling(path, v)
	case "retrievalConfig", "includeServerSideToolInvocations":
		g.leaveIf(path, v)
	default:
		return false
	}
	return true
}

func (g *geminiReading) calling(path string, v gjson.Result) {
	choice := &g.q.Choice
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "mode":
			choice.Mode = g.mode(path, v)
		case "allowedFunctionNames":
			g.items(path, v, func(path string, v gjson.Result) {
				choice.Allowed = append(choice.Allowed, g.nameOf(path, g.str(path, v)))
			})
		case "streamFunctionCallArguments":
			g.leaveIf(path, v)
		default:
			return false
		}
		return true
	})
	if choice.Mode == ChooseRequired && len(choice.Allowed) == 1 {
		*choice = Choice{Mode: ChooseOne, Name: choice.Allowed[0]}
	}
}

// mode reads whether functions are called. VALIDATED is AUTO with arguments that keep to their schema.
func (g *geminiReading) mode(path string, v gjson.Result) Mode {
	switch mode := strings.ToUpper(g.str(path, v)); mode {
	case "AUTO", "VALIDATED":
		return ChooseAuto
	case "ANY":
		return ChooseRequired
	case "NONE":
		return ChooseNone
	case "", "MODE_UNSPECIFIED":
	default:
		g.refuse(path, "%q is no mode of calling", mode)
	}
	return ""
}
