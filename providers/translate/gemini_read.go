package translate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// geminiReading is a request of Google's being read. gemini_read_contents.go has its turns, gemini_read_tools.go its tools.
type geminiReading struct {
	*reading
	q      *Request
	system []Part
	open   []Part          // the calls of the turns before that are not answered yet
	ids    map[string]bool // of calls
}

func readGemini(r *reading, body []byte) *Request {
	g := &geminiReading{reading: r, q: &Request{}, ids: map[string]bool{}}
	g.each("", gjson.ParseBytes(body), g.field)
	if len(g.system) > 0 {
		g.q.Messages = slices.Insert(g.q.Messages, 0, Message{Role: System, Parts: g.system})
	}
	return g.q
}

// each goes through an object, whose fields Google takes in two spellings.
func (g *geminiReading) each(path string, v gjson.Result, take func(name, path string, v gjson.Result) (known bool)) {
	var seen []string
	g.fields(path, v, func(said string, v gjson.Result) bool {
		name, at := camel(said), join(path, said)
		if slices.Contains(seen, name) {
			g.refuse(at, "it is there twice")
			return true
		}
		seen = append(seen, name)
		return take(name, at, v)
	})
}

// list goes through a list; Google takes an object for a list of one.
func (g *geminiReading) list(path string, v gjson.Result, take func(path string, v gjson.Result)) {
	if v.IsObject() {
		take(path, v)
		return
	}
	g.items(path, v, take)
}

func (g *geminiReading) field(name, path string, v gjson.Result) bool {
	switch name {
	case "model":
		g.q.Model = strings.TrimPrefix(g.str(path, v), "models/")
	case "contents":
		g.list(path, v, g.content)
	case "systemInstruction":
		g.instruction(path, v)
	case "tools":
		g.list(path, v, g.tool)
	case "toolConfig":
		g.each(path, v, g.toolConfig)
	case "generationConfig":
		g.config(path, v)
	case "cachedContent":
		if g.str(path, v) != "" {
			g.refuse(path, "what it names is stored at Google")
		}
	case "safetySettings", "labels", "serviceTier", "store":
		g.leaveIf(path, v)
	default:
		return false
	}
	return true
}

func (g *geminiReading) config(path string, v gjson.Result) {
	mime, schema := "", gjson.Result{}
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "temperature":
			g.q.Temperature = g.digits(path, v)
		case "topP":
			g.q.TopP = g.digits(path, v)
		case "topK":
			g.q.TopK = g.digits(path, v)
		case "seed":
			g.q.Seed = g.digits(path, v)
		case "presencePenalty":
			g.q.Presence = g.digits(path, v)
		case "frequencyPenalty":
			g.q.Frequency = g.digits(path, v)
		case "candidateCount":
			g.q.Replies = v.Int() // a whole number: the wire's Inspect has seen to it, as to the next
		case "maxOutputTokens":
			g.q.MaxTokens = v.Int()
		case "stopSequences":
			g.items(path, v, func(path string, v gjson.Result) { g.q.Stop = append(g.q.Stop, g.str(path, v)) })
		case "responseLogprobs":
			g.q.Logprobs = g.flag(path, v)
		case "responseMimeType":
			mime = g.str(path, v)
			if mime != "" && mime != "text/plain" && mime != "application/json" {
				g.refuse(path, "the answer can only be text or JSON")
			}
		case "responseSchema", "responseJsonSchema", "_responseJsonSchema":
			if schema.Exists() {
				g.refuse(path, "the answer can have only one schema")
			}
			if schema = v; name == "responseSchema" {
				schema = gjson.ParseBytes(appendSchema(nil, v))
			}
		case "thinkingConfig":
			g.thinking(path, v)
		case "responseModalities":
			g.items(path, v, func(path string, v gjson.Result) {
				if !strings.EqualFold(g.str(path, v), "TEXT") {
					g.refuse(path, "the answer can only be text")
				}
			})
		case "logprobs", "mediaResolution", "audioTimestamp", "enableEnhancedCivicAnswers", "routingConfig", "modelSelectionConfig":
			g.leaveIf(path, v)
		default:
			return false
		}
		return true
	})
	if mime == "application/json" || schema.Exists() {
		g.q.Format = &Format{}
		if schema.Exists() {
			g.q.Format.Schema = []byte(schema.Raw)
		}
	}
}

func (g *geminiReading) thinking(path string, v gjson.Result) {
	t := &Thinking{}
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "includeThoughts":
			t.Shown = g.flag(path, v)
		case "thinkingBudget": // a whole number from -1, which says that the model may think as it likes
			t.Off, t.Budget = v.Int() == 0, max(v.Int(), 0)
		case "thinkingLevel":
			switch level := strings.ToLower(g.str(path, v)); {
			case knownEffort(level):
				t.Effort = level
			case level != "" && level != "thinking_level_unspecified":
				g.refuse(path, "%q is no level of thinking", level)
			}
		default:
			return false
		}
		return true
	})
	g.q.Thinking = t
}
