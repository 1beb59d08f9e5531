package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// responsesReader reads a reply of OpenAI's responses. It keeps counts, and of the reply's own words only what an event of
// ours must repeat: id, model, time.
type responsesReader struct {
	usage reported
	out   delivered
	items map[int64]bool // by index: whether deltas of it were counted
	ended bool
	begun responseObject // as response.created told it
	next  int64          // the sequence number of the next event
	alive []byte
}

func (r *responsesReader) Usage() (Usage, bool) {
	u, ok := r.usage.total()
	return u, ok && r.out.vouches(u)
}

func (r *responsesReader) Input() (int64, bool) { return r.usage.prompt() }
func (r *responsesReader) Delivered() int64     { return r.out.tokens() }

// Finished is false for a body whose response goes on in the background: its provider bills what comes later.
func (r *responsesReader) Finished() bool { return r.ended }

// Fails names the response that began: OpenAI's SDK breaks at another one, and does not say what happened.
func (r *responsesReader) Fails(f Failure) []byte {
	o := r.begun
	if o.ID == "" {
		return Responses.ErrorEvent(f)
	}
	o.Status, o.Error = "failed", &responseError{f.Code, f.Message}
	return responsesEvent("response.failed", r.next, o)
}

// KeepAlive repeats response.in_progress. Before a response began, SDKs take no event, and pass over a bare newline.
func (r *responsesReader) KeepAlive() []byte {
	if r.alive == nil {
		return newline
	}
	return r.alive
}

func (r *responsesReader) Event(data []byte) Seen {
	root, err := parseReply(data)
	if err != nil {
		return Seen{}
	}
	if n, ok := integer(root.Get("sequence_number")); ok {
		r.next = n + 1
	}
	kind := root.Get("type").Str
	before := r.out.bytes()
	index := root.Get("output_index").Int()
	switch kind {
	case "response.created":
		r.begin(root.Get("response"))
	case "response.completed", "response.incomplete", "response.failed":
		r.takeUsage(root.Get("response.usage"))
		r.ended = true
		return Seen{Done: true, Error: kind == "response.failed"}
	case "response.output_item.added":
		r.out.addString(index, "name", root.Get("item.name"))
	case "response.output_item.done":
		if !r.items[index] { // some servers send items without deltas
			r.item(index, root.Get("item"), false)
		}
	default:
		if !absent(root.Get("error")) || kind == "error" {
			return Seen{Error: true}
		}
		r.delta(index, kind, root.Get("delta"))
	}
	return Seen{Output: r.out.bytes() > before}
}

func (r *responsesReader) takeUsage(v gjson.Result) {
	told := r.usage.take(v, chatWords) // in which some servers answer here, too
	r.out.tell(r.usage.take(v, responsesWords) || told)
}

func (r *responsesReader) begin(response gjson.Result) {
	r.begun = responseObject{Object: "response", Status: "in_progress", Output: emptyList, Created: response.Get("created_at").Int()}
	r.begun.ID = keep("", response.Get("id"))
	r.begun.Model = keep("", response.Get("model"))
	r.alive = responsesEvent("response.in_progress", r.next, r.begun)
}

// delta counts a piece of output. What a tool answers has deltas too, and the bytes of a sound are no text.
func (r *responsesReader) delta(index int64, kind string, v gjson.Result) {
	if !strings.HasSuffix(kind, ".delta") || kind == "response.audio.delta" || strings.Contains(kind, "_output_content") {
		return
	}
	if r.out.addString(index, kind, v) {
		if r.items == nil {
			r.items = map[int64]bool{}
		}
		r.items[index] = true
	}
}

// item counts a whole item of output; its name too, unless an event has told that before.
func (r *responsesReader) item(index int64, item gjson.Result, name bool) {
	kind := item.Get("type").Str
	if strings.HasSuffix(kind, "_output") || kind == "mcp_list_tools" {
		return // what a tool answered
	}
	if name {
		r.out.addString(index, "name", item.Get("name"))
	}
	for _, list := range []string{"content", "summary"} {
		item.Get(list).ForEach(func(_, part gjson.Result) bool {
			for _, field := range []string{"text", "refusal", "transcript"} {
				r.out.addString(index, field, part.Get(field))
			}
			return true
		})
	}
	for _, field := range []string{"arguments", "input", "code"} {
		r.out.addString(index, field, item.Get(field))
	}
	item.Get("action.commands").ForEach(func(_, command gjson.Result) bool {
		r.out.addString(index, "command", command)
		return true
	})
}

func (r *responsesReader) Body(body []byte) Seen {
	root, err := parseReply(body)
	if err != nil {
		return Seen{}
	}
	seen := Seen{Error: !absent(root.Get("error"))}
	output := root.Get("output")
	if output.IsArray() {
		for i, item := range output.Array() {
			r.item(int64(i), item, true)
		}
	}
	r.takeUsage(root.Get("usage"))
	switch root.Get("status").Str {
	case "queued", "in_progress":
		seen.Output = true // it comes later
	default:
		r.ended = output.IsArray()
		seen.Output = r.out.bytes() > 0
	}
	return seen
}

// LengthFinish is an incomplete response. The items that it would repeat have passed; a copy of them is not kept.
func (r *responsesReader) LengthFinish(usage *Usage) []byte {
	end := r.begun
	end.Object, end.Status, end.Output = "response", "incomplete", emptyList
	end.Incomplete = &responseIncomplete{MaxOutputTokens}
	if usage == nil {
		usage = &Usage{Output: r.Delivered()}
	}
	end.Usage = &responseUsage{Input: usage.Input, Output: usage.Output, Total: usage.Input + usage.Output}
	end.Usage.InputDetails.Cached = usage.CachedInput
	return responsesEvent("response.incomplete", r.next, end)
}
