package translate

import (
	"github.com/tidwall/gjson"
)

// readChat reads a caller's request.
func readChat(r *reading, body []byte) *Request {
	q := &Request{}
	r.fields("", gjson.ParseBytes(body), func(name string, v gjson.Result) bool {
		switch name {
		case "stream_options":
			q.UsageAsked = r.chatStreamOptions(name, v)
		case "messages":
			q.Messages = r.chatMessages(name, v)
		case "tools":
			q.Tools = r.chatTools(name, v)
		case "tool_choice":
			q.Choice = r.chatChoice(name, v)
		case "max_completion_tokens", "max_tokens":
			q.MaxTokens = max(q.MaxTokens, v.Int()) // the wire's Inspect has seen to it that they are counts
		case "n":
			q.Replies = v.Int()
		case "stop":
			q.Stop = r.stops(name, v)
		case "response_format":
			q.Format = r.chatFormat(name, v)
		case "reasoning_effort":
			q.Thinking = r.effort(name, v)
		case "top_k": // not OpenAI's, but of many who speak its dialect
			q.TopK = r.digits(name, v)
		case "presence_penalty":
			q.Presence = r.digits(name, v)
		case "frequency_penalty":
			q.Frequency = r.digits(name, v)
		case "seed":
			q.Seed = r.digits(name, v)
		case "logprobs", "top_logprobs":
			if v.Type != gjson.False && v.Raw != "0" {
				r.refuse(name, "the model's provider does not tell them in a way that can be passed on")
			}
		case "logit_bias":
			if !v.IsObject() || len(v.Map()) > 0 {
				r.refuse(name, "other providers number their tokens differently")
			}
		case "modalities":
			r.onlyText(name, v)
		case "prediction", "verbosity":
			r.leaveIf(name, v)
		default:
			return r.openAI(q, name, v)
		}
		return true
	})
	q.UsageAsked = q.UsageAsked && q.Stream
	return q
}

// openAI reads the fields that both of OpenAI's dialects have alike.
func (r *reading) openAI(q *Request, name string, v gjson.Result) (known bool) {
	switch name {
	case "model":
		q.Model = r.str(name, v)
	case "stream":
		q.Stream = r.flag(name, v)
	case "parallel_tool_calls":
		parallel := r.flag(name, v)
		q.Parallel = &parallel
	case "temperature":
		q.Temperature = r.digits(name, v)
	case "top_p":
		q.TopP = r.digits(name, v)
	case "user":
		q.User = r.str(name, v)
	case "metadata", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier", "service_tier", "store":
		r.leaveIf(name, v)
	default:
		return false
	}
	return true
}

func (r *reading) chatStreamOptions(path string, v gjson.Result) (usage bool) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		switch name {
		case "include_usage":
			usage = r.flag(join(path, name), v)
		case "include_obfuscation":
			r.leaveIf(join(path, name), v)
		default:
			return false
		}
		return true
	})
	return usage
}

// stops are the texts that end a reply: one, or a list.
func (r *reading) stops(path string, v gjson.Result) (list []string) {
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	r.items(path, v, func(path string, v gjson.Result) { list = append(list, r.str(path, v)) })
	return list
}

// effort is how much to think, in a word.
func (r *reading) effort(path string, v gjson.Result) *Thinking {
	word := r.str(path, v)
	switch {
	case word == "none":
		return &Thinking{Off: true}
	case !knownEffort(word):
		r.refuse(path, "there is no effort %q", word)
	}
	return &Thinking{Effort: word}
}

func (r *reading) onlyText(path string, v gjson.Result) {
	r.items(path, v, func(path string, v gjson.Result) {
		if v.String() != "text" {
			r.refuse(path, "the model answers in text alone here")
		}
	})
}

// chatFormat is the form of the answer; nil for plain text.
func (r *reading) chatFormat(path string, v gjson.Result) *Format {
	var kind string
	var f Format
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "type":
			kind = r.str(at, v)
		case "json_schema":
			r.schema(at, v, &f, func(string, gjson.Result) bool { return false })
		default:
			return false
		}
		return true
	})
	return r.format(join(path, "type"), kind, f)
}

// schema reads what describes a form, and gives what else stands there to more.
func (r *reading) schema(path string, v gjson.Result, f *Format, more func(name string, v gjson.Result) bool) {
	r.fields(path, v, func(name string, v gjson.Result) bool {
		at := join(path, name)
		switch name {
		case "name":
			f.Name = r.str(at, v)
		case "description":
			f.Description = r.str(at, v)
		case "schema":
			f.Schema = []byte(v.Raw)
		case "strict":
			strict := r.flag(at, v)
			f.Strict = &strict
		default:
			return more(name, v)
		}
		return true
	})
}

func (r *reading) format(path, kind string, f Format) *Format {
	switch kind {
	case "text":
		return nil
	case "json_object":
		return &Format{}
	case "json_schema":
		if f.Schema == nil {
			r.refuse(path, "it comes without a schema")
		}
		return &f
	}
	r.refuse(path, "there is no form %q elsewhere", kind)
	return nil
}
