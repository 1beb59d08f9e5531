package translate

import "github.com/tidwall/gjson"

// kept are the fields that ask for what the vendor would have kept, and what to do instead.
var kept = map[string]string{
	"previous_response_id": "replies are not kept here; please send the whole conversation in input",
	"conversation":         "conversations are not kept here; please send the whole conversation in input",
	"prompt":               "prompts are not kept here; please send the text in instructions",
}

// readResponses reads a caller's request.
func readResponses(r *reading, body []byte) *Request {
	q := &Request{Asked: body}
	var instructions string
	r.fields("", gjson.ParseBytes(body), func(name string, v gjson.Result) bool {
		switch name {
		case "instructions":
			instructions = r.str(name, v)
		case "input":
			q.Messages = r.conversation(name, v)
		case "tools":
			q.Tools = r.responsesTools(name, v)
		case "tool_choice":
			q.Choice = r.responsesChoice(name, v)
		case "max_output_tokens":
			q.MaxTokens = v.Int() // the wire's Inspect has seen to it that it is a count
		case "top_logprobs":
			if v.Raw != "0" {
				r.refuse(name, "the model's provider does not tell them in a way that can be passed on")
			}
		case "reasoning":
			q.Thinking = r.responsesThinking(name, v)
		case "text":
			q.Format = r.responsesText(name, v)
		case "include":
			r.include(name, v)
		case "background":
			if r.flag(name, v) {
				r.refuse(name, "replies are not kept here; please wait for it, or ask for a stream")
			}
		case "previous_response_id", "conversation", "prompt":
			r.refuse(name, "%s", kept[name])
		case "truncation":
			if r.str(name, v) != "disabled" {
				r.leave(name)
			}
		case "client_metadata", "context_management", "max_tool_calls", "stream_options":
			r.leaveIf(name, v)
		default:
			return r.openAI(q, name, v)
		}
		return true
	})
	if instructions != "" {
		q.Messages = append([]Message{{System, texts(instructions)}}, q.Messages...)
	}
	return q
}

func (r *reading) responsesThinking(path string, v gjson.Result) *Thinking {
	t := &Thinking{}
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "effort":
			said := r.effort(at, v)
			t.Off, t.Effort = said.Off, said.Effort
		case "summary", "generate_summary":
			t.Shown = r.str(at, v) != "none"
		default:
			return false
		}
		return true
	})
	if *t == (Thinking{}) {
		return nil
	}
	return t
}

func (r *reading) responsesText(path string, v gjson.Result) (f *Format) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "format":
			var kind string
			var format Format
			r.schema(at, v, &format, func(name string, v gjson.Result) bool {
				if name == "type" {
					kind = r.str(join(at, name), v)
				}
				return name == "type"
			})
			f = r.format(join(at, "type"), kind, format)
		case "verbosity":
			r.leaveIf(at, v)
		default:
			return false
		}
		return true
	})
	return f
}

// include asks for more in the reply: of what is there to tell that is the proof of thoughts alone, which the encoder
// looks for. What the vendor's own tools found is left out with them.
func (r *reading) include(path string, v gjson.Result) {
	r.items(path, v, func(at string, v gjson.Result) {
		switch what := r.str(at, v); what {
		case includeProofs:
		case "message.output_text.logprobs":
			r.refuse(at, "the model's provider does not tell probabilities in a way that can be passed on")
		default:
			r.leave(path + "." + what)
		}
	})
}

const includeProofs = "reasoning.encrypted_content"
