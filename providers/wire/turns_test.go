package wire

import "testing"

func TestTheOldestTurnIsDroppedWhole(t *testing.T) {
	call, ok := ParseGemini("/v1beta/models/m:generateContent", "")
	if !ok {
		t.Fatal("no call")
	}
	for name, c := range map[string]struct {
		wire       Wire
		body, want string
	}{
		"chat, system kept": {Chat,
			`{"a":1,"messages":[{"role":"system","content":"S"},{"role":"user","content":"1"},{"role":"assistant","content":"x"},{"role":"user","content":"2"}],"b":2}`,
			`{"a":1,"messages":[{"role":"system","content":"S"},{"role":"user","content":"2"}],"b":2}`},
		"chat, tool calls with their results": {Chat,
			`{"messages":[{"role":"user","content":"1"},{"role":"assistant","tool_calls":[{"id":"t"}]},{"role":"tool","tool_call_id":"t"},{"role":"assistant","content":"x"},{"role":"user","content":"2"}]}`,
			`{"messages":[{"role":"user","content":"2"}]}`},
		"chat, a system message amid": {Chat,
			`{"messages":[{"role":"user","content":"1"},{"role":"developer","content":"D"},{"role":"user","content":"2"}]}`,
			`{"messages":[{"role":"developer","content":"D"},{"role":"user","content":"2"}]}`},
		"chat, the last turn stays": {Chat, `{"messages":[{"role":"system","content":"S"},{"role":"user","content":"1"}]}`, ""},
		"messages, a tool's result is no new turn": {Messages,
			`{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":[{"type":"tool_use","id":"t"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"text","text":"2"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"2"}]}]}`},
		"messages, only one turn with a tool": {Messages,
			`{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":[{"type":"tool_use","id":"t"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]}`, ""},
		"responses": {Responses,
			`{"input":[{"role":"user","content":"1"},{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c"},{"role":"user","content":"2"}]}`,
			`{"input":[{"role":"user","content":"2"}]}`},
		"responses, a text": {Responses, `{"input":"1"}`, ""},
		"gemini": {call.Wire(),
			`{"contents":[{"role":"user","parts":[{"text":"1"}]},{"role":"model","parts":[{"functionCall":{}}]},{"role":"user","parts":[{"functionResponse":{}}]},{"role":"user","parts":[{"text":"2"}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"2"}]}]}`},
	} {
		s, ok := c.wire.(Shortener)
		if !ok {
			t.Fatalf("%s: this wire does not shorten", name)
		}
		got, dropped := s.DropTurn([]byte(c.body))
		if dropped != (c.want != "") {
			t.Errorf("%s: dropped %v", name, dropped)
		}
		if want := c.want; want != "" && string(got) != want || want == "" && string(got) != c.body {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}
