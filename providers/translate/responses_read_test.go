package translate

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"perdiem/providers/wire"
)

func responsesWith(fields string) string { return `{"model":"m","input":"Hi",` + fields + `}` }

func responsesHas(items string) string { return `{"model":"m","input":[` + items + `]}` }

func inputPart(part string) string {
	return responsesHas(`{"role":"user","content":[` + part + `]}`)
}

func TestResponsesRefusesByNameWhatCannotBeCarried(t *testing.T) {
	for _, c := range []struct{ body, param, word string }{
		{responsesWith(`"previous_response_id":"resp_1"`), "previous_response_id", "whole conversation"},
		{responsesWith(`"conversation":"c"`), "conversation", "whole conversation"},
		{responsesWith(`"prompt":{"id":"p"}`), "prompt", "instructions"},
		{responsesWith(`"background":true`), "background", "stream"},
		{responsesWith(`"top_logprobs":2`), "top_logprobs", ""},
		{responsesWith(`"include":["message.output_text.logprobs"]`), "include[0]", ""},
		{responsesWith(`"moderation":{}`), "moderation", ""},
		{responsesWith(`"novel":1`), "novel", ""},
		{responsesWith(`"instructions":["a"]`), "instructions", ""},
		{responsesWith(`"reasoning":{"effort":"utmost"}`), "reasoning.effort", ""},
		{responsesWith(`"reasoning":{"novel":1}`), "reasoning.novel", ""},
		{responsesWith(`"text":{"format":{"type":"grammar"}}`), "text.format.type", ""},
		{responsesWith(`"text":{"novel":1}`), "text.novel", ""},
		{responsesWith(`"tools":[{"type":"local_shell"}]`), "tools[0]", "function"},
		{responsesWith(`"tools":[{"type":"apply_patch"}]`), "tools[0]", "function"},
		{responsesWith(`"tools":[{"type":"shell"}]`), "tools[0]", "function"},
		{responsesWith(`"tools":[{"type":"function","name":""}]`), "tools[0].name", ""},
		{responsesWith(`"tools":[{"type":"function","name":"f","novel":1}]`), "tools[0].novel", ""},
		{responsesWith(`"tools":[{"type":"namespace","tools":[]}]`), "tools[0].name", ""},
		{responsesWith(`"tool_choice":{"type":"web_search"}`), "tool_choice", "web_search"},
		{responsesWith(`"tool_choice":{"type":"function"}`), "tool_choice", ""},
		{responsesHas(`{"type":"item_reference","id":"msg_1"}`), "input[0]", "the item itself"},
		{responsesHas(`{"type":"file_search_call","id":"fs_1"}`), "input[0]", "file_search_call"},
		{responsesHas(`{"type":"local_shell_call","call_id":"a"}`), "input[0]", "local_shell_call"},
		{responsesHas(`{"type":"compaction","encrypted_content":"x"}`), "input[0]", "compaction"},
		{responsesHas(`{"type":"function_call_output","call_id":"a","output":"x"}`), "input[0].call_id", "answers no call"},
		{responsesHas(`{"type":"function_call","call_id":"a","arguments":"{}"}`), "input[0]", "names no function"},
		{responsesHas(`{"role":"tool","content":"x"}`), "input[0].role", ""},
		{responsesHas(`{"role":"user","content":"x","novel":1}`), "input[0].novel", ""},
		{inputPart(`{"type":"input_image","file_id":"f"}`), "input[0].content[0].file_id", "send its data"},
		{inputPart(`{"type":"input_image"}`), "input[0].content[0]", ""},
		{inputPart(`{"type":"input_video","url":"x"}`), "input[0].content[0].url", ""},
		{inputPart(`{"type":"input_video"}`), "input[0].content[0].type", ""},
	} {
		_, r := readOne(t, responses, wire.Responses, c.body)
		invalid := refusal(r)
		if invalid == nil || invalid.Param != c.param || !strings.Contains(invalid.Message, c.word) {
			t.Errorf("%s: got %+v, want a refusal of %s", c.body, invalid, c.param)
		}
	}
}

func TestResponsesLeavesOutAndTells(t *testing.T) {
	for _, c := range []struct{ body, left string }{
		{responsesWith(`"store":true`), "store"},
		{responsesWith(`"prompt_cache_key":"k"`), "prompt_cache_key"},
		{responsesWith(`"client_metadata":{"a":"b"}`), "client_metadata"},
		{responsesWith(`"metadata":{"a":"b"}`), "metadata"},
		{responsesWith(`"service_tier":"priority"`), "service_tier"},
		{responsesWith(`"safety_identifier":"s"`), "safety_identifier"},
		{responsesWith(`"max_tool_calls":3`), "max_tool_calls"},
		{responsesWith(`"truncation":"auto"`), "truncation"},
		{responsesWith(`"stream_options":{"include_obfuscation":false}`), "stream_options"},
		{responsesWith(`"context_management":[{"type":"compaction"}]`), "context_management"},
		{responsesWith(`"text":{"verbosity":"low"}`), "text.verbosity"},
		{responsesWith(`"include":["web_search_call.action.sources"]`), "include.web_search_call.action.sources"},
		{responsesWith(`"tools":[{"type":"web_search","external_web_access":true}]`), "tools.web_search"},
		{responsesWith(`"tools":[{"type":"function","name":"f","defer_loading":true}]`), "tools.defer_loading"},
		{responsesHas(`{"role":"assistant","content":[{"type":"output_text","text":"x","annotations":[{"type":"url_citation"}]}]}`), "input.annotations"},
		{responsesHas(`{"type":"web_search_call","id":"ws_1","action":{"type":"search","query":"q"}}`), "input.web_search_call"},
	} {
		_, r := readOne(t, responses, wire.Responses, c.body)
		if r.err != nil || !slices.Equal(r.left, []string{c.left}) {
			t.Errorf("%s: got %v, %q, want %s left out", c.body, r.err, r.left, c.left)
		}
	}
}

func TestResponsesTakesWhatAsksForNothing(t *testing.T) {
	for _, fields := range []string{
		`"store":false`, `"previous_response_id":null`, `"background":false`, `"conversation":null`, `"include":["reasoning.encrypted_content"]`,
		`"truncation":"disabled"`, `"text":{"format":{"type":"text"}}`, `"reasoning":{}`, `"reasoning":{"effort":null,"summary":null}`, `"top_logprobs":0`, `"instructions":""`,
	} {
		q, r := readOne(t, responses, wire.Responses, responsesWith(fields))
		q.Asked = nil
		want := &Request{Model: "m", Messages: []Message{{User, texts("Hi")}}}
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(q, want) {
			t.Errorf("%s: got %+v, %v, %q", fields, q, r.err, r.left)
		}
	}
}

func TestResponsesCarries(t *testing.T) {
	call := func(id, name string) Part { return Part{Kind: Call, ID: id, Name: name, Arguments: "{}"} }
	result := func(id, text string) Message {
		return Message{ToolRole, []Part{{Kind: Result, ID: id, Content: texts(text)}}}
	}
	calls := func(ids string) (items string) {
		for _, id := range strings.Split(ids, "") {
			items += `{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{}","id":"fc","status":"completed"},`
		}
		return items
	}
	output := func(id string) string {
		return `{"type":"function_call_output","call_id":"` + id + `","output":"r` + id + `"}`
	}
	list := func(messages ...Message) func(*Request) { return func(q *Request) { q.Messages = messages } }
	said := func(s string) string {
		return `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"` + s + `","annotations":[],"logprobs":[]}]}`
	}
	for _, c := range []struct {
		body string
		want func(q *Request)
	}{
		{responsesWith(`"max_output_tokens":7`), func(q *Request) { q.MaxTokens = 7 }},
		{responsesWith(`"instructions":"Be kind"`), list(Message{System, texts("Be kind")}, Message{User, texts("Hi")})},
		{responsesWith(`"reasoning":{"effort":"none"}`), func(q *Request) { q.Thinking = &Thinking{Off: true} }},
		{responsesWith(`"reasoning":{"effort":"high","summary":"auto"}`), func(q *Request) { q.Thinking = &Thinking{Effort: "high", Shown: true} }},
		{responsesWith(`"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}}`),
			func(q *Request) { q.Format = &Format{Name: "n", Schema: []byte(`{"type":"object"}`)} }},
		{responsesWith(`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"function","namespace":"g","name":"f"}]}`),
			func(q *Request) { q.Choice = Choice{Mode: ChooseAuto, Allowed: []string{"f", "g__f"}} }},
		{responsesWith(`"tool_choice":{"type":"custom","name":"c"}`), func(q *Request) { q.Choice = Choice{Mode: ChooseOne, Name: "c"} }},
		{responsesWith(`"tools":[{"type":"namespace","name":"g","description":"Of g.","tools":[{"type":"function","name":"f","description":"Does f.","parameters":{}}]}]`),
			func(q *Request) {
				q.Tools = []Tool{{Name: "g__f", Said: "f", Space: "g", Description: "Does f.\n\nOne of g: Of g.", Parameters: []byte(`{}`)}}
			}},
		{responsesWith(`"tools":[{"type":"custom","name":"c","format":{"type":"grammar","syntax":"lark","definition":"start: X"}}]`),
			func(q *Request) {
				q.Tools = []Tool{{Name: "c", Free: true, Parameters: freeParameters, Description: "The text in input must follow this lark grammar:\nstart: X"}}
			}},
		{responsesHas(`{"role":"developer","content":"a"},{"role":"user","content":[{"type":"input_text","text":"b"}]},` + said("c")),
			list(Message{System, texts("a")}, Message{User, texts("b")}, Message{Assistant, texts("c")})},
		{responsesHas(said("a") + "," + said("b")), list(Message{Assistant, texts("a")}, Message{Assistant, texts("b")})},
		{responsesHas(said("a") + "," + calls("12") + output("1") + "," + output("2")),
			list(Message{Assistant, []Part{{Kind: Text, Text: "a"}, call("1", "f"), call("2", "f")}}, result("1", "r1"), result("2", "r2"))},
		{responsesHas(calls("12") + output("1") + `,{"role":"user","content":"b"},` + output("2")),
			list(Message{Assistant, []Part{call("1", "f"), call("2", "f")}}, result("1", "r1"), Message{User, texts("b")}, result("2", "r2"))},
		{responsesHas(calls("1") + output("1") + "," + calls("2") + output("2")),
			list(Message{Assistant, []Part{call("1", "f")}}, result("1", "r1"), Message{Assistant, []Part{call("2", "f")}}, result("2", "r2"))},
		{responsesHas(calls("1") + `{"type":"reasoning","summary":[],"encrypted_content":"` + Proof{ByGoogle, "s"}.seal(ByOpenAI) + `"}`),
			list(Message{Assistant, []Part{{Kind: Call, ID: "1", Name: "f", Arguments: "{}", Proof: Proof{ByGoogle, "s"}}}})},
		{responsesHas(`{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":null,"encrypted_content":"x"}`),
			list(Message{Assistant, []Part{{Kind: Thought, Text: "a\n\nb", Proof: Proof{ByOpenAI, "x"}}}})},
		{responsesHas(`{"type":"reasoning","summary":[]}`), list()},
		{responsesHas(`{"type":"custom_tool_call","call_id":"1","name":"c","input":"a\nb"},{"type":"custom_tool_call_output","call_id":"1","output":[{"type":"input_text","text":"r"},{"type":"input_image","image_url":"data:image/png;base64,AA","detail":"high"}]}`),
			list(Message{Assistant, []Part{{Kind: Call, ID: "1", Name: "c", Arguments: `{"input":"a\nb"}`}}},
				Message{ToolRole, []Part{{Kind: Result, ID: "1", Content: []Part{{Kind: Text, Text: "r"}, {Kind: Image, MIME: "image/png", Data: "AA", Detail: "high"}}}}})},
		{inputPart(`{"type":"input_file","filename":"f.pdf","file_data":"data:application/pdf;base64,AA"}`),
			list(Message{User, []Part{{Kind: File, MIME: "application/pdf", Data: "AA", Name: "f.pdf"}}})},
		{inputPart(`{"type":"input_file","file_url":"https://a/f.pdf"}`), list(Message{User, []Part{{Kind: File, URL: "https://a/f.pdf"}}})},
		{inputPart(`{"type":"input_audio","input_audio":{"data":"AA","format":"mp3"}}`), list(Message{User, []Part{{Kind: Audio, MIME: "audio/mp3", Data: "AA"}}})},
	} {
		q, r := readOne(t, responses, wire.Responses, c.body)
		q.Asked = nil
		want := &Request{Model: "m", Messages: []Message{{User, texts("Hi")}}}
		c.want(want)
		if r.err != nil || len(r.left) > 0 || !reflect.DeepEqual(q, want) {
			t.Errorf("%s:\ngot  %+v, %v, %q\nwant %+v", c.body, q, r.err, r.left, want)
		}
	}
}

// codexRequest is what Codex 0.171 sends in the middle of a task, its long texts shortened.
func codexRequest(t *testing.T) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "codex.json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestCodexIsUnderstood(t *testing.T) {
	q, r := readOne(t, responses, wire.Responses, string(codexRequest(t)))
	if left := []string{"tools.web_search", "prompt_cache_key", "client_metadata"}; r.err != nil || !slices.Equal(r.left, left) {
		t.Fatalf("got %v, %q", r.err, r.left)
	}
	var roles []Role
	for _, m := range q.Messages {
		roles = append(roles, m.Role)
	}
	if want := []Role{System, System, User, User, Assistant, ToolRole, ToolRole, ToolRole}; !slices.Equal(roles, want) {
		t.Errorf("the roles are %q, want %q", roles, want)
	}
	var names []string
	for _, p := range q.Messages[4].Parts {
		names = append(names, p.Name)
	}
	if want := []string{"", "exec_command", "apply_patch", "multi_agent_v1__spawn_agent"}; !slices.Equal(names, want) {
		t.Errorf("it called %q, want %q", names, want)
	}
	if len(q.Tools) != 12 || q.tool("multi_agent_v1__wait_agent").Said != "wait_agent" {
		t.Errorf("the tools are %+v", q.Tools)
	}
	if said := written(t, &Request{Stream: true, Messages: q.Messages, Tools: q.Tools, Choice: q.Choice, Parallel: q.Parallel, Thinking: q.Thinking}); len(said) < 5000 {
		t.Errorf("got %s", said)
	}
}

func FuzzResponsesRead(f *testing.F) {
	f.Add([]byte(responsesWith(`"tools":[{"type":"namespace","name":"g","tools":[{"type":"custom","name":"c"}]}],"tool_choice":{"type":"custom","name":"c"}`)))
	f.Add([]byte(responsesHas(`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"x"}`)))
	f.Add([]byte(responsesHas(`{"type":"reasoning","summary":[{"text":"x"}],"encrypted_content":"eA=="},{"role":"assistant","content":"x"}`)))
	f.Fuzz(func(t *testing.T, body []byte) { mustReadSafely(t, responses, wire.Responses, body) })
}
