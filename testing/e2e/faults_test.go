package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// fault is a way in which other gateways went wrong, by its number in the list of shared/faults.md:
// what a caller asks, what the provider replies, and what must come of it.
type fault struct {
	name  string
	path  string // with its query; chat completions if empty
	body  string // without model and content, which every body has
	head  http.Header
	reply fakeprovider.Reply // none: the fake provider's own

	status        int      // 200 if 0
	same          bool     // the caller gets the reply byte for byte
	shows, lacks  []string // in the answer's header and body
	sent, notSent []string // in the header and body that the provider gets
	end           string   // "settle reported" if empty
	input, output int64    // booked; -1 for an estimate above nothing
}

func events(lines ...string) fakeprovider.Reply {
	return fakeprovider.Body(200, "text/event-stream", strings.Join(lines, "\n\n")+"\n\n")
}

func whole(body string) fakeprovider.Reply { return fakeprovider.Body(200, "application/json", body) }

// In Anthropic's dialect: a message's start, its words, its end.
func message(start string, ends ...string) fakeprovider.Reply {
	return events(append([]string{
		"event: message_start\ndata: " + `{"type":"message_start","message":{"id":"x","type":"message","role":"assistant","content":[],"model":"m","usage":` + start + `}}`,
		"event: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		"event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one two three four"}}`,
	}, ends...)...)
}

const stopped = "event: message_stop\ndata: {\"type\":\"message_stop\"}"

func delta(usage string) string {
	return "event: message_delta\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + usage + `}`
}

func response(status, usage string) fakeprovider.Reply {
	return events(
		"event: response.output_text.delta\ndata: "+`{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":"one two three four"}`,
		"event: response."+status+"\ndata: "+`{"type":"response.`+status+`","response":{"id":"r","status":"`+status+`","output":[]`+usage+`}}`)
}

func word(content, more string) string {
	return `data: {"id":"c","choices":[{"index":0,"delta":{"content":"` + content + `"}` + more + `}]}`
}

const (
	stopWord  = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usageOf5  = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`
	doneEvent = "data: [DONE]"
	streams   = `,"stream":true`
	andUsage  = `,"stream":true,"stream_options":{"include_usage":true}`
	messages  = "/v1/messages"
	respond   = "/v1/responses"
	gemini    = "/v1beta/models/fake/m:generateContent"
	geminiSSE = "/v1beta/models/fake/m:streamGenerateContent?alt=sse"
)

// crlf writes a reply as some servers do.
func crlf(r fakeprovider.Reply) fakeprovider.Reply { return replaced(r, "\n", "\r\n") }

func replaced(r fakeprovider.Reply, from, to string) fakeprovider.Reply {
	r.Chunks[0].Data = bytes.ReplaceAll(r.Chunks[0].Data, []byte(from), []byte(to))
	return r
}

// unended is a stream that ends just where its text does.
func unended(stream string) fakeprovider.Reply {
	return fakeprovider.Body(200, "text/event-stream", stream)
}

// Replies that lie about themselves in their headers.
func typed(r fakeprovider.Reply, kind string) fakeprovider.Reply {
	return lying(r, "Content-Type", kind)
}

func encoded(r fakeprovider.Reply, coding string) fakeprovider.Reply {
	return lying(r, "Content-Encoding", coding)
}

func withLength(r fakeprovider.Reply, n string) fakeprovider.Reply {
	return lying(r, "Content-Length", n)
}

func lying(r fakeprovider.Reply, header, value string) fakeprovider.Reply {
	r.Header.Set(header, value)
	return r
}

// inPieces flushes a reply in two, the first of which ends inside a text.
func inPieces(r fakeprovider.Reply, text string, after int) fakeprovider.Reply {
	open := fakeprovider.NewGate()
	open.Open()
	return r.HoldAt(bytes.Index(r.Bytes(), []byte(text))+after, open)
}

func manyBytes(n int) string { return strings.Repeat("a b ", n/4) }

var accounting = []fault{
	{name: "4 a response that is incomplete", path: respond, body: streams, reply: response("incomplete", `,"usage":{"input_tokens":20,"output_tokens":60}`), same: true, input: 20, output: 60},
	{name: "4 a response that failed", path: respond, body: streams, reply: response("failed", `,"usage":{"input_tokens":20,"output_tokens":60}`), same: true, input: 20, output: 60},
	{name: "5 a response without usage", path: respond, body: streams, reply: response("completed", ""), same: true, end: "settle counted", input: -1, output: 4},
	{name: "7 the end of a message without input", path: messages, body: streams, reply: message(`{"input_tokens":15,"output_tokens":1}`, delta(`{"output_tokens":12}`), stopped), same: true, input: 15, output: 12},
	{name: "7 the end of a message with no input", path: messages, body: streams, reply: message(`{"input_tokens":15,"output_tokens":1}`, delta(`{"input_tokens":0,"output_tokens":12}`), stopped), same: true, input: 15, output: 12},
	{name: "10 what was written into the cache", path: messages, reply: whole(`{"type":"message","content":[],"usage":{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550}}`), same: true, input: 12307, output: 550},
	{name: "13 Gemini's thoughts", path: gemini, reply: whole(`{"candidates":[],"usageMetadata":{"promptTokenCount":55021,"candidatesTokenCount":923,"totalTokenCount":56729,"thoughtsTokenCount":785}}`), same: true, input: 55021, output: 1708},
	{name: "14 Gemini's running totals", path: geminiSSE, reply: events(
		`data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12}}`,
		`data: {"candidates":[{"content":{"parts":[{"text":"b"}]}}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}`,
		`data: {"candidates":[{"content":{"parts":[{"text":"c"}]}}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":9,"totalTokenCount":19}}`,
		`data: {"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]}`), same: true, input: 10, output: 9},
	{name: "16 reasoning that is part of the completion", reply: whole(`{"choices":[],"usage":{"prompt_tokens":2743,"completion_tokens":164,"total_tokens":2907,"completion_tokens_details":{"reasoning_tokens":153}}}`), same: true, input: 2743, output: 164},
	{name: "18 nobody asks for usage", body: streams, sent: []string{`"include_usage":true`}, input: 9, output: 5},
	{name: "19 usage that the caller did not ask for", body: streams, shows: []string{"[DONE]"}, lacks: []string{`"choices":[]`}, input: 9, output: 5},
	{name: "19 usage that the caller did not want", body: `,"stream":true,"stream_options":{"include_usage":false}`, sent: []string{`"include_usage":true`}, lacks: []string{`"choices":[]`}, input: 9, output: 5},
	{name: "19 usage that the caller asked for", body: andUsage, shows: []string{`"choices":[]`, `"total_tokens":14`}, input: 9, output: 5},
	{name: "21 a header asks for a stream, the body does not", head: http.Header{"Accept": {"text/event-stream"}}, notSent: []string{"stream_options"}, input: 9, output: 5},
	{name: "23 usage that is a word", reply: whole(`{"choices":[{"message":{"content":"one two"}}],"usage":"oops"}`), same: true, end: "settle counted", input: -1, output: 2},
	{name: "23 usage without figures", reply: whole(`{"choices":[{"message":{"content":"one two"}}],"usage":{"prompt_token_details":0}}`), same: true, end: "settle counted", input: -1, output: 2},
	{name: "23 figures with a point", reply: whole(`{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":3.0}}`), same: true, input: 12, output: 3},
	{name: "24 negative usage of a message", path: messages, reply: whole(`{"type":"message","content":[{"type":"text","text":"one two"}],"usage":{"input_tokens":-1000000,"output_tokens":-1000000}}`), same: true, end: "settle counted", input: -1, output: 2},
	{name: "24 absurd usage of Gemini's", path: gemini, reply: whole(`{"candidates":[{"content":{"parts":[{"text":"one two"}]}}],"usageMetadata":{"promptTokenCount":1e18,"candidatesTokenCount":1e18}}`), same: true, end: "settle counted", input: -1, output: 2},
	{name: "24 no output, though words came", body: streams, reply: events(word("one two three four", ""), stopWord, `data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}`, doneEvent), end: "settle counted", input: 9, output: 4},
	{name: "24 zeros after usage", body: streams, reply: events(word("one", `,"usage":{"prompt_tokens":9,"completion_tokens":5}`), stopWord, `data: {"id":"c","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, doneEvent), input: 9, output: 5},
	{name: "24 usage beside what is no JSON to the letter", reply: whole("\xef\xbb\xbf" + `{"choices":[{"message":{"content":"one"},"logprobs":[NaN]}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`), same: true, input: 9, output: 5},
	{name: "24 usage behind the end", body: streams, reply: events(word("one", ""), stopWord, doneEvent, usageOf5), lacks: []string{`"usage"`}, input: 9, output: 5},
	{name: "28 a message wrapped as a stream has usage from its start", path: messages, body: streams, reply: fakeprovider.Chat{OneBody: true}.Answer(fakeprovider.Request{Wire: "anthropic", Model: "m"}),
		shows: []string{"event: message_start\ndata: {", `"usage":{"input_tokens":9`, "event: message_stop"}, input: 9, output: 5},
}

var relaying = []fault{
	{name: "52 an event of 65 KB", body: andUsage, reply: events(word(manyBytes(65<<10), ""), stopWord, usageOf5, doneEvent), same: true, input: 9, output: 5},
	{name: "52 an event of 2 MB", body: andUsage, reply: events(word(manyBytes(2<<20), ""), stopWord, usageOf5, doneEvent), same: true, input: 9, output: 5},
	{name: "52 an event of 20 MB", body: andUsage, reply: events(word(manyBytes(20<<20), ""), stopWord, usageOf5, doneEvent), same: true, input: 9, output: 5},
	{name: "54 comments", body: andUsage, reply: events(": OPENROUTER PROCESSING", word("one", ""), ": OPENROUTER PROCESSING\n"+stopWord, usageOf5, doneEvent), lacks: []string{"data: :"}, shows: []string{"one", "[DONE]"}, input: 9, output: 5},
	{name: "55 ids, a retry and empty data", body: andUsage, reply: events("retry: 100", "id: 1\n"+word("one", ""), stopWord, usageOf5, doneEvent), shows: []string{"one", "[DONE]"}, lacks: []string{"data: \n", "data:\n"}, input: 9, output: 5},
	{name: "58 CRLF", body: andUsage, reply: crlf(events(word("one", ""), stopWord, usageOf5, doneEvent)), same: true, input: 9, output: 5},
	{name: "58 CR alone", body: andUsage, reply: replaced(events(word("one", ""), stopWord, usageOf5, doneEvent), "\n", "\r"), same: true, input: 9, output: 5},
	{name: "58 a byte order mark, blank lines", body: andUsage, reply: replaced(events("\xef\xbb\xbf\n", word("one", ""), stopWord, usageOf5, doneEvent), "data: ", "data:"), same: true, input: 9, output: 5},
	{name: "58 no type", body: andUsage, reply: typed(events(word("one", ""), stopWord, usageOf5, doneEvent), ""), same: true, shows: []string{"Content-Type: text/event-stream"}, input: 9, output: 5},
	{name: "58 the type of text", body: andUsage, reply: typed(events(word("one", ""), stopWord, usageOf5, doneEvent), "text/plain"), same: true, shows: []string{"Content-Type: text/event-stream"}, input: 9, output: 5},
	{name: "58 an odd type", body: andUsage, reply: typed(events(word("one", ""), stopWord, usageOf5, doneEvent), "text/event-stream; charset"), same: true, input: 9, output: 5},
	{name: "58 a reply without a type", reply: typed(whole(`{"choices":[{"message":{"content":"one"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`), ""), same: true, shows: []string{"Content-Type: application/json"}, input: 9, output: 5},
	{name: "58 CRLF in a message", path: messages, body: streams, reply: crlf(message(`{"input_tokens":15,"output_tokens":1}`, delta(`{"output_tokens":12}`), stopped)), same: true, input: 15, output: 12},
	{name: "60 cut inside a letter", body: andUsage, reply: inPieces(events(word("中文", ""), stopWord, usageOf5, doneEvent), "中", 1), same: true, input: 9, output: 5},
	{name: "60 cut inside a name", body: andUsage, reply: inPieces(events(word("中文", ""), stopWord, usageOf5, doneEvent), `"usage"`, 3), same: true, input: 9, output: 5},
	{name: "70 a message is cut", path: messages, body: streams, reply: message(`{"input_tokens":25,"output_tokens":1}`), shows: []string{"event: error\ndata: {"}, end: "settle counted", input: 25, output: 4},
	{name: "70 a response is cut", path: respond, body: streams, reply: events("event: response.output_text.delta\ndata: " + `{"type":"response.output_text.delta","delta":"one two three four"}`), shows: []string{"event: response.failed\ndata: {"}, end: "settle counted", input: -1, output: 4},
	{name: "70 Gemini is cut", path: geminiSSE, reply: events(`data: {"candidates":[{"content":{"parts":[{"text":"one two three four"}]}}]}`), shows: []string{`data: {"error":{"code":502`}, end: "settle counted", input: -1, output: 4},
	{name: "70 cut behind an event's last letter", body: streams, reply: unended(word("one two three four", "")), shows: []string{"}\n\ndata: {\"error\":{"}, end: "settle counted", input: -1, output: 4},
	{name: "70 cut behind an event's last line", body: streams, reply: unended(word("one two three four", "") + "\n"), shows: []string{"}\n\ndata: {\"error\":{"}, end: "settle counted", input: -1, output: 4},
	{name: "70 a placeholder of usage, then cut", body: streams, reply: events(word("one", `,"usage":{"prompt_tokens":9,"completion_tokens":1}`), word(" two three four", "")), shows: []string{`data: {"error":{`}, end: "settle counted", input: 9, output: 4},
	{name: "72 an error's body where events were to be", body: streams, reply: fakeprovider.Body(200, "text/event-stream", `{"error":{"message":"out of memory","type":"server_error"}}`), status: 502, same: true, shows: []string{"Content-Type: application/json"}, end: "release "},
	{name: "72 an error's body over lines, behind a blank one", body: streams, reply: fakeprovider.Body(200, "text/event-stream", "\n{\n \"error\": {\n\n  \"message\": \"no such tool\", \"type\": \"invalid_request_error\"}\n}\n"), status: 400, same: true, shows: []string{"Content-Type: application/json"}, end: "release "},
	{name: "72 an error's body in a list", path: geminiSSE, reply: whole(`[{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]`), status: 403, same: true, end: "release "},
	{name: "72 an error's body after words", body: streams, reply: events(word("one two three four", ""), `{"error":{"message":"out of memory","type":"server_error"}}`), shows: []string{"four", `data: {"error":{"message":"out of memory"`}, end: "settle counted", input: -1, output: 4},
	{name: "72 a page where events were to be", body: streams, reply: fakeprovider.Body(200, "text/event-stream", "<html>Please sign in</html>"), status: 502, lacks: []string{"<html>"}, end: "release "},
	{name: "72 a reply where events were to be", body: streams, reply: fakeprovider.Body(200, "text/event-stream", `{"id":"c","choices":[{"index":0,"message":{"content":"one"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`), shows: []string{"text/event-stream", `"content":"one"`, "[DONE]"}, input: 9, output: 5},
	{name: "72 no reply at all", reply: whole(`{"detail":"the model is not loaded"}`), same: true, end: "release "},
	{name: "72 events that nobody asked for", reply: events(word("one two ", ""), word("three four", ""), stopWord, usageOf5, doneEvent), shows: []string{"Content-Type: application/json", `"object":"chat.completion"`, `"content":"one two three four"`, `"total_tokens":14`}, lacks: []string{"data:"}, input: 9, output: 5},
	{name: "72 a message in events that nobody asked for", path: messages, reply: message(`{"input_tokens":15,"output_tokens":1}`, delta(`{"output_tokens":12}`), stopped), shows: []string{"Content-Type: application/json", `"content":[{"text":"one two three four","type":"text"}]`, `"stop_reason":"end_turn"`}, lacks: []string{"data:"}, input: 15, output: 12},
	{name: "72 a response in events that nobody asked for", path: respond, reply: response("completed", `,"usage":{"input_tokens":20,"output_tokens":60}`), shows: []string{"Content-Type: application/json", `"status":"completed"`}, lacks: []string{"data:"}, input: 20, output: 60},
	{name: "72 a failed response in events that nobody asked for", path: respond, reply: response("failed", `,"usage":{"input_tokens":20,"output_tokens":60}`), shows: []string{`"status":"failed"`}, lacks: []string{"data:"}, input: 20, output: 60},
	{name: "72 Gemini's events that nobody asked for", path: gemini, reply: events(`data: {"candidates":[{"content":{"parts":[{"text":"one "}]}}]}`, `data: {"candidates":[{"content":{"parts":[{"text":"two"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}`), shows: []string{"Content-Type: application/json", `"text":"one two"`}, lacks: []string{"data:"}, input: 10, output: 2},
	{name: "72 Gemini's events in place of a list", path: "/v1beta/models/fake/m:streamGenerateContent", reply: events(`data: {"candidates":[{"content":{"parts":[{"text":"one"}]}}]}`, `data: {"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}`), shows: []string{`[{"candidates":`, "}]"}, lacks: []string{"data:"}, input: 10, output: 2},
	{name: "72 half the events that nobody asked for", reply: events(word("one two three four", "")), status: 502, lacks: []string{"data:"}, end: "settle counted", input: -1, output: 4},
	{name: "72 an error in events that nobody asked for", reply: events(`data: {"error":{"message":"no such tool","type":"invalid_request_error"}}`), status: 400, shows: []string{`{"error":{"message":"no such tool"`}, lacks: []string{"data:"}, end: "release "},
	{name: "72 Gemini's events, asked for in other words", path: "/v1beta/models/fake/m:streamGenerateContent?$alt=sse", reply: events(`data: {"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2}}`), same: true, input: 10, output: 2},
	{name: "72 a sound as events", path: "/v1/audio/speech", reply: events(`data: {"type":"speech.audio.delta","audio":"AAAA"}`, `data: {"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}}`), same: true, input: 14, output: 101},
	{name: "72 an error as a field", body: streams, reply: fakeprovider.Body(200, "text/event-stream", `error: {"message":"out of memory"}`+"\n\n"), status: 400, shows: []string{`{"error":{"message":"out of memory"`}, end: "release "},
	{name: "72 an error as a field after words", path: messages, body: streams, reply: message(`{"input_tokens":25,"output_tokens":1}`, `error: {"code":503,"message":"out of memory"}`), shows: []string{"event: error\ndata: {", "out of memory"}, end: "settle counted", input: 25, output: 4},
	{name: "72 a refusal of a stream", body: streams, reply: fakeprovider.Error(400, "bad", "no such tool"), status: 400, same: true, end: "release "},
	{name: "75 a zipped body", head: http.Header{"Accept-Encoding": {"gzip, br, zstd"}}, reply: fakeprovider.Chat{}.Answer(fakeprovider.Request{Model: "m"}).Gzip(), same: true, lacks: []string{"Content-Encoding"}, input: 9, output: 5},
	{name: "75 a zipped stream", body: andUsage, head: http.Header{"Accept-Encoding": {"gzip, br, zstd"}}, reply: fakeprovider.Chat{}.Answer(fakeprovider.Request{Model: "m", Stream: true, IncludeUsage: true}).Gzip(), same: true, lacks: []string{"Content-Encoding"}, input: 9, output: 5},
	{name: "75 an encoding that nobody asked for", body: streams, reply: encoded(events(word("one", ""), stopWord, doneEvent), "br"), status: 502, shows: []string{"is not a reply"}, lacks: []string{"Content-Encoding"}, end: "release "},
	{name: "76 a length that is too long", reply: withLength(whole(`{"choices":[{"message":{"content":"one"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`), "5000"), same: true, input: 9, output: 5},
}

var intact = []fault{
	{name: "78 unknown fields", body: `,"enable_thinking":false,"x_v":{"a":[1]}`, sent: []string{`"enable_thinking":false,"x_v":{"a":[1]}`}, input: 9, output: 5},
	{name: "79 a small maximum", body: `,"max_tokens":5`, sent: []string{`"max_tokens":5`}, notSent: []string{"max_completion_tokens"}, input: 9, output: 5},
	{name: "79 a small maximum of a response", path: respond, body: `,"max_output_tokens":5`, sent: []string{`"max_output_tokens":5`}, input: 9, output: 5},
	{name: "80 a maximum that the model does not take", body: `,"max_tokens":2000`, reply: fakeprovider.Error(400, "unsupported_parameter", "Use 'max_completion_tokens' instead."), status: 400, same: true, sent: []string{`"max_tokens":2000`}, end: "release "},
	{name: "82 digits", body: `,"seed":9007199254740993,"max_tokens":1000000,"temperature":1.0,"top_p":1e-1`, sent: []string{`"seed":9007199254740993,"max_tokens":1000000,"temperature":1.0,"top_p":1e-1`}, input: 9, output: 5},
	{name: "90 betas", path: messages, head: http.Header{"Anthropic-Beta": {"one-2026-01-01,two", "three"}}, sent: []string{"Anthropic-Beta: one-2026-01-01,two", "Anthropic-Beta: three"}, input: 9, output: 5},
	{name: "90 an unknown beta", path: messages, head: http.Header{"Anthropic-Beta": {"nonsense"}}, reply: fakeprovider.Error(400, "invalid_request_error", "Unexpected value for the anthropic-beta header"), status: 400, same: true, end: "release "},
	{name: "91 a message under /v1 twice", path: "/v1/v1/messages?beta=true", input: 9, output: 5},
	{name: "91 a response with a slash behind", path: "//v1/responses/", input: 9, output: 5},
	{name: "93 when to try again", reply: fakeprovider.Error(429, "rate_limit_exceeded", "slow down", "Retry-After", "30", "Retry-After-Ms", "30000"), status: 429, shows: []string{"Retry-After: 30\r", "Retry-After-Ms: 30000\r"}, end: "release "},
}

func TestFaultsOfOthers(t *testing.T) {
	for kind, faults := range map[string][]fault{"Token accounting": accounting, "Relaying event streams": relaying, "Leaving requests intact": intact} {
		t.Run(kind, func(t *testing.T) {
			for _, f := range faults {
				t.Run(f.name, f.run)
			}
		})
	}
}

func (f fault) run(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	if f.reply.Status != 0 {
		h.Upstream.On("m", f.reply.Always())
	}
	answer := h.Ask(pass, "", harness.Question{Path: f.where(), Body: f.asks(), Header: f.head})
	h.AtRest()
	if want := max(f.status, http.StatusOK); answer.Status != want || answer.Err != nil {
		t.Errorf("status %d, want %d; %v: %s", answer.Status, want, answer.Err, clip(answer.Body))
	}
	if f.same && !bytes.Equal(answer.Body, f.reply.Bytes()) {
		t.Errorf("other bytes came than the provider sent:\n%s", firstDifference(answer.Body, f.reply.Bytes()))
	}
	contains(t, "the answer", flat(t, answer.Header)+string(answer.Body), f.shows, f.lacks)
	got := h.Upstream.Requests()
	if len(got) != 1 {
		t.Fatalf("%d requests reached the provider", len(got))
	}
	contains(t, "the request", flat(t, got[0].Header)+string(got[0].Body), f.sent, f.notSent)
	f.wantEnd(t, harness.Ends(t, h.Data))
}

func (f fault) where() string {
	if f.path == "" {
		return "/v1/chat/completions"
	}
	return f.path
}

// asks is the body in the dialect of the path.
func (f fault) asks() string {
	switch {
	case strings.Contains(f.path, "messages"):
		return `{"model":"fake/m","max_tokens":1000,"messages":[{"role":"user","content":"Say a few words."}]` + f.body + `}`
	case strings.Contains(f.path, "responses"):
		return `{"model":"fake/m","input":"Say a few words."` + f.body + `}`
	case strings.Contains(f.path, "/models/"):
		return `{"contents":[{"role":"user","parts":[{"text":"Say a few words."}]}]` + f.body + `}`
	default:
		return `{"model":"fake/m","messages":[{"role":"user","content":"Say a few words."}]` + f.body + `}`
	}
}

func (f fault) wantEnd(t *testing.T, ends []harness.End) {
	t.Helper()
	if f.end == "" {
		f.end = "settle reported"
	}
	if len(ends) != 1 || ends[0].Verb+" "+ends[0].Provenance != f.end {
		t.Fatalf("the ledger says %+v, want %q", ends, f.end)
	}
	if f.input == -1 && ends[0].Input <= 0 || f.input != -1 && ends[0].Input != f.input {
		t.Errorf("booked %d input tokens, want %d", ends[0].Input, f.input)
	}
	if f.end == "settle counted" {
		wantCounted(t, ends[0].Output, f.output)
	} else if ends[0].Output != f.output {
		t.Errorf("booked %d output tokens, want %d", ends[0].Output, f.output)
	}
}

func flat(t *testing.T, h http.Header) string {
	t.Helper()
	var b strings.Builder
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func contains(t *testing.T, what, text string, has, lacks []string) {
	t.Helper()
	for _, part := range has {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q: %s", what, part, clip([]byte(text)))
		}
	}
	for _, part := range lacks {
		if strings.Contains(text, part) {
			t.Errorf("%s holds %q: %s", what, part, clip([]byte(text)))
		}
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 1500)] }
