package translate

import (
	"strconv"

	"github.com/tidwall/gjson"
)

func (g *geminiReading) instruction(path string, v gjson.Result) {
	m := Message{Role: System}
	g.turn(path, v, &m)
	for _, p := range m.Parts {
		if p.Kind != Text {
			g.refuse(path, "it can only be text")
		}
	}
	g.system = m.Parts
}

func (g *geminiReading) content(path string, v gjson.Result) {
	m := Message{}
	g.turn(path, v, &m)
	if len(m.Parts) > 0 {
		g.q.Messages = append(g.q.Messages, m)
	}
}

// turn reads the parts of a turn into m, and its role unless m has one. Results become messages of their own, before it.
func (g *geminiReading) turn(path string, v gjson.Result, m *Message) {
	role, parts, at := "", gjson.Result{}, path
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "role":
			role = g.str(path, v)
		case "parts":
			parts, at = v, path
		default:
			return false
		}
		return true
	})
	switch {
	case m.Role != "":
	case role == "" || role == "user" || role == "function":
		m.Role = User
	case role == "model":
		m.Role = Assistant
		if n := len(g.q.Messages); n > 0 && g.q.Messages[n-1].Role != Assistant {
			g.open = nil
		}
	default:
		g.refuse(join(path, "role"), "it is neither user nor model")
	}
	if parts.Exists() {
		g.list(at, parts, func(path string, v gjson.Result) { g.part(path, v, m) })
	}
}

// geminiRead is a part being read: the one thing that it is, and what is said of it.
type geminiRead struct {
	is, path  string
	v         gjson.Result
	thought   bool
	signature string
}

func (g *geminiReading) part(path string, v gjson.Result, m *Message) {
	var p geminiRead
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "text", "inlineData", "fileData", "functionCall", "functionResponse":
			if p.is != "" {
				g.refuse(path, "a part can only be one thing, and this one is %s, too", p.is)
			}
			p.is, p.path, p.v = name, path, v
		case "thought":
			p.thought = g.flag(path, v)
		case "thoughtSignature":
			p.signature = g.str(path, v)
		case "executableCode", "codeExecutionResult", "toolCall", "toolResponse":
			g.refuse(path, "it is of a tool that runs at Google")
		case "mediaResolution", "mediaProcessing", "partMetadata", "speechMetadata":
			g.leaveIf(path, v)
		default:
			return false
		}
		return true
	})
	proof := unseal(ByGoogle, p.signature)
	switch {
	case p.is == "functionCall" && m.Role == Assistant:
		if thoughts := unsealThoughts(p.signature); thoughts != nil {
			m.Parts, proof = bringBack(m.Parts, thoughts), Proof{}
		}
		m.Parts = append(m.Parts, g.call(p.path, p.v, proof))
	case p.is == "functionResponse" && m.Role == User:
		g.q.Messages = append(g.q.Messages, Message{Role: ToolRole, Parts: []Part{g.result(p.path, p.v)}})
	case p.is == "functionCall" || p.is == "functionResponse":
		g.refuse(p.path, "it stands in a turn of another role")
	case p.is == "inlineData":
		m.Parts = append(m.Parts, g.blob(p.path, p.v)...)
	case p.is == "fileData":
		m.Parts = append(m.Parts, g.address(p.path, p.v)...)
	default:
		g.text(p, proof, m)
	}
}

// text reads words and thoughts. Google also signs words, as what comes behind its thoughts; in the middle form that is a
// thought without words.
func (g *geminiReading) text(p geminiRead, proof Proof, m *Message) {
	text := ""
	if p.is != "" {
		text = g.str(p.path, p.v)
	}
	switch n := len(m.Parts); {
	case p.thought && n > 0 && m.Parts[n-1].Kind == Thought && m.Parts[n-1].Proof == Proof{}:
		m.Parts[n-1].Text += text
		m.Parts[n-1].Proof = proof
		return
	case p.thought:
		m.Parts = append(m.Parts, Part{Kind: Thought, Text: text, Proof: proof})
		return
	case text != "":
		m.Parts = append(m.Parts, Part{Kind: Text, Text: text})
	}
	if proof.Token != "" {
		m.Parts = append(m.Parts, Part{Kind: Thought, Proof: proof})
	}
}

// madeID begins the ids of calls whose ids were left out. No one is told them, so that no later call has one of them.
const madeID = "call_without_id_"

func (g *geminiReading) call(path string, v gjson.Result, proof Proof) Part {
	p := Part{Kind: Call, Arguments: "{}", Proof: proof}
	said := ""
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "id":
			p.ID = g.str(path, v)
		case "name":
			said = g.str(path, v)
		case "args":
			if p.Arguments = v.Raw; !v.IsObject() {
				g.refuse(path, "it is not an object")
			}
		case "willContinue":
			if g.flag(path, v) {
				g.refuse(path, "it can only be told whole")
			}
		default:
			return false
		}
		return true
	})
	p.Name = g.nameOf(path, said)
	for n := len(g.ids) + 1; p.ID == ""; n++ {
		if id := madeID + strconv.Itoa(n); !g.ids[id] {
			p.ID = id
		}
	}
	g.ids[p.ID] = true
	g.open = append(g.open, p)
	return p
}

// result reads what a function gave. It answers the call of its id or, as ids may be left out, the first of its name that
// is not answered.
func (g *geminiReading) result(path string, v gjson.Result) Part {
	p := Part{Kind: Result}
	said, response := "", gjson.Result{}
	var media []Part
	g.each(path, v, func(name, path string, v gjson.Result) bool {
		switch name {
		case "id":
			p.ID = g.str(path, v)
		case "name":
			said = g.str(path, v)
		case "response":
			if response = v; !v.IsObject() {
				g.refuse(path, "it is not an object")
			}
		case "parts":
			var m Message
			g.list(path, v, func(path string, v gjson.Result) { g.part(path, v, &m) })
			media = m.Parts
		case "scheduling":
			g.leaveIf(path, v)
		case "willContinue":
			if g.flag(path, v) {
				g.refuse(path, "it can only be told whole")
			}
		default:
			return false
		}
		return true
	})
	p.Name = g.nameOf(path, said)
	p.ID = g.answered(path, p)
	p.Failed, p.Content = geminiOutput(response)
	p.Content = append(p.Content, media...)
	return p
}

func (g *geminiReading) answered(path string, p Part) string {
	at := -1
	for i := len(g.open) - 1; i >= 0; i-- {
		if call := g.open[i]; call.ID == p.ID {
			at = i
			break
		} else if call.Name == p.Name {
			at = i
		}
	}
	if at < 0 {
		g.refuse(path, "the turns before have no call that it answers")
		return p.ID
	}
	id := g.open[at].ID
	g.open = append(g.open[:at:at], g.open[at+1:]...)
	return id
}

// geminiOutput is what a response says: under output or error, where it has nothing else, or as a whole.
func geminiOutput(response gjson.Result) (failed bool, content []Part) {
	said := response
	if fields := response.Map(); len(fields) == 1 {
		for name, v := range fields {
			if name == "output" || name == "error" {
				failed, said = name == "error", v
			}
		}
	}
	text := said.Raw
	if said.Type == gjson.String {
		text = said.Str
	}
	if text == "" {
		return failed, nil
	}
	return failed, []Part{{Kind: Text, Text: text}}
}
