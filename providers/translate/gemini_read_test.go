package translate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// readAsGemini reads a request that the wire has inspected, as the gateway does.
func readAsGemini(t *testing.T, body string) (*Request, *reading) {
	t.Helper()
	call, _ := wire.ParseGemini("/v1beta/models/m:streamGenerateContent", "sse")
	if _, err := call.Wire().Inspect([]byte(body)); err != nil {
		t.Fatalf("the wire refuses it: %v", err)
	}
	r := &reading{}
	return readGemini(r, []byte(body)), r
}

func signed(token string) Proof { return Proof{ByGoogle, token} }

func TestGeminiFieldsThatAreCarried(t *testing.T) {
	yes := func(p Part) []Part { return []Part{p} }
	for name, c := range map[string]struct {
		body string
		want Request
	}{
		"words": {
			`{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}`,
			Request{Messages: []Message{{User, yes(Part{Text: "Hi"})}}},
		},
		"a turn without a role is the user's": {
			`{"contents":[{"parts":[{"text":"Hi"}]}]}`,
			Request{Messages: []Message{{User, yes(Part{Text: "Hi"})}}},
		},
		"objects for lists of one": {
			`{"contents":{"parts":{"text":"Hi"}},"system_instruction":{"parts":{"text":"Purr"}},"tools":{"function_declarations":{"name":"f"}}}`,
			Request{Messages: []Message{{System, yes(Part{Text: "Purr"})}, {User, yes(Part{Text: "Hi"})}}, Tools: []Tool{{Name: "f"}}},
		},
		"the system's words come first wherever they stand": {
			`{"contents":[{"parts":[{"text":"Hi"}]}],"systemInstruction":{"role":"user","parts":[{"text":"Be"},{"text":"kind"}]}}`,
			Request{Messages: []Message{{System, []Part{{Text: "Be"}, {Text: "kind"}}}, {User, yes(Part{Text: "Hi"})}}},
		},
		"the model's name": {`{"model":"models/m"}`, Request{Model: "m"}},
		"sampling in its own digits": {
			`{"generationConfig":{"temperature":1.0,"topP":0.950,"topK":64,"seed":7,"presencePenalty":-0.5,"frequencyPenalty":1e-1}}`,
			Request{Temperature: "1.0", TopP: "0.950", TopK: "64", Seed: "7", Presence: "-0.5", Frequency: "1e-1"},
		},
		"fields with underscores": {
			`{"generation_config":{"top_p":0.5,"max_output_tokens":9,"stop_sequences":["a","b"],"candidate_count":2}}`,
			Request{TopP: "0.5", MaxTokens: 9, Stop: []string{"a", "b"}, Replies: 2},
		},
		"probabilities":           {`{"generationConfig":{"responseLogprobs":true}}`, Request{Logprobs: true}},
		"null is as good as none": {`{"contents":null,"generationConfig":{"temperature":null,"thinkingConfig":null}}`, Request{}},
		"any JSON":                {`{"generationConfig":{"responseMimeType":"application/json"}}`, Request{Format: &Format{}}},
		"plain text":              {`{"generationConfig":{"responseMimeType":"text/plain","responseModalities":["TEXT"]}}`, Request{}},
		"a JSON schema as it is": {
			`{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type": "object", "x":1.0}}}`,
			Request{Format: &Format{Schema: json.RawMessage(`{"type": "object", "x":1.0}`)}},
		},
		"a schema of Google's kind": {
			`{"generationConfig":{"response_mime_type":"application/json","response_schema":{"type":"ARRAY","items":{"type":"STRING"},"min_items":"2"}}}`,
			Request{Format: &Format{Schema: json.RawMessage(`{"type":"array","items":{"type":"string"},"minItems":2}`)}},
		},
		"thoughts to be shown":    {`{"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, Request{Thinking: &Thinking{Shown: true}}},
		"a budget":                {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":2048}}}`, Request{Thinking: &Thinking{Budget: 2048}}},
		"thinking off":            {`{"generationConfig":{"thinkingConfig":{"thinking_budget":0}}}`, Request{Thinking: &Thinking{Off: true}}},
		"thinking as it likes":    {`{"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`, Request{Thinking: &Thinking{}}},
		"a level in either case":  {`{"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}}`, Request{Thinking: &Thinking{Effort: "high"}}},
		"a level that says none":  {`{"generationConfig":{"thinkingConfig":{"thinkingLevel":"THINKING_LEVEL_UNSPECIFIED"}}}`, Request{Thinking: &Thinking{}}},
		"functions may be called": {`{"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`, Request{Choice: Choice{Mode: ChooseAuto}}},
		"none may be called":      {`{"tool_config":{"function_calling_config":{"mode":"none"}}}`, Request{Choice: Choice{Mode: ChooseNone}}},
		"any must be called":      {`{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`, Request{Choice: Choice{Mode: ChooseRequired}}},
		"one must be called": {
			`{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}`,
			Request{Choice: Choice{Mode: ChooseOne, Name: "f"}},
		},
		"one of some must be called": {
			`{"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["f","g"],"mode":"ANY"}}}`,
			Request{Choice: Choice{Mode: ChooseRequired, Allowed: []string{"f", "g"}}},
		},
		"some may be called": {
			`{"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}}}`,
			Request{Choice: Choice{Mode: ChooseAuto, Allowed: []string{"f"}}},
		},
		"functions": {
			`{"tools":[{"functionDeclarations":[{"name":"f","description":"Does","parametersJsonSchema":{"type":"object"}}]},{"functionDeclarations":[{"name":"g","parameters":{"type":"OBJECT"}}]}]}`,
			Request{Tools: []Tool{
				{Name: "f", Description: "Does", Parameters: json.RawMessage(`{"type":"object"}`)},
				{Name: "g", Parameters: json.RawMessage(`{"type":"object"}`)},
			}},
		},
		"names that others do not bear": {
			`{"tools":[{"functionDeclarations":[{"name":"a.b:c"},{"name":"a_b_c"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a_b_c"]}}}`,
			Request{Tools: []Tool{{Name: "a_b_c", Said: "a.b:c"}, {Name: "a_b_c_2", Said: "a_b_c"}}, Choice: Choice{Mode: ChooseOne, Name: "a_b_c_2"}},
		},
		"images, sounds and files": {
			`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"inline_data":{"mime_type":"audio/wav","data":"-_8"}},
				{"inlineData":{"mimeType":"application/pdf","data":"aGk=","displayName":"a.pdf"}},
				{"fileData":{"mimeType":"image/png","fileUri":"https://e.org/a.png"}},{"file_data":{"mime_type":"application/pdf","file_uri":"https://e.org/a"}}]}]}`,
			Request{Messages: []Message{{User, []Part{
				{Kind: Image, MIME: "image/png", Data: "aGk="}, {Kind: Audio, MIME: "audio/wav", Data: "+/8="},
				{Kind: File, MIME: "application/pdf", Data: "aGk=", Name: "a.pdf"},
				{Kind: Image, MIME: "image/png", URL: "https://e.org/a.png"}, {Kind: File, MIME: "application/pdf", URL: "https://e.org/a"},
			}}}},
		},
		"calls with ids, and results in another order": {
			`{"contents":[{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"n":1.0}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"2","name":"f"}}]},
				{"role":"user","parts":[{"functionResponse":{"id":"2","name":"f","response":{"output":"two"}}},{"functionResponse":{"id":"1","name":"f","response":{"error":"gone"}}}]}]}`,
			Request{Messages: []Message{
				{Assistant, []Part{{Kind: Call, ID: "1", Name: "f", Arguments: `{"n":1.0}`, Proof: signed("c2ln")}, {Kind: Call, ID: "2", Name: "f", Arguments: "{}"}}},
				{ToolRole, yes(Part{Kind: Result, ID: "2", Name: "f", Content: yes(Part{Text: "two"})})},
				{ToolRole, yes(Part{Kind: Result, ID: "1", Name: "f", Failed: true, Content: yes(Part{Text: "gone"})})},
			}},
		},
		"calls without ids, by name and order": {
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}},{"functionCall":{"name":"f","id":"call_2"}}]},
				{"role":"function","parts":[{"functionResponse":{"name":"g","response":{"a":1.0}}},{"functionResponse":{"name":"f","response":{"output":[1]}}},{"functionResponse":{"name":"f","response":{}}}]}]}`,
			Request{Messages: []Message{
				{Assistant, []Part{{Kind: Call, ID: madeID + "1", Name: "f", Arguments: "{}"}, {Kind: Call, ID: madeID + "2", Name: "g", Arguments: "{}"}, {Kind: Call, ID: "call_2", Name: "f", Arguments: "{}"}}},
				{ToolRole, yes(Part{Kind: Result, ID: madeID + "2", Name: "g", Content: yes(Part{Text: `{"a":1.0}`})})},
				{ToolRole, yes(Part{Kind: Result, ID: madeID + "1", Name: "f", Content: yes(Part{Text: "[1]"})})},
				{ToolRole, yes(Part{Kind: Result, ID: "call_2", Name: "f", Content: yes(Part{Text: "{}"})})},
			}},
		},
		"words beside results come after them": {
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"text":"So:"},{"functionResponse":{"name":"f","response":{"output":""}}}]}]}`,
			Request{Messages: []Message{
				{Assistant, yes(Part{Kind: Call, ID: madeID + "1", Name: "f", Arguments: "{}"})},
				{ToolRole, yes(Part{Kind: Result, ID: madeID + "1", Name: "f"})},
				{User, yes(Part{Text: "So:"})},
			}},
		},
		"a result with an image": {
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","response":{"output":"a"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}}]}]}`,
			Request{Messages: []Message{
				{Assistant, yes(Part{Kind: Call, ID: madeID + "1", Name: "f", Arguments: "{}"})},
				{ToolRole, yes(Part{Kind: Result, ID: madeID + "1", Name: "f", Content: []Part{{Text: "a"}, {Kind: Image, MIME: "image/png", Data: "aGk="}}})},
			}},
		},
		"thoughts in pieces, and words that are signed": {
			`{"contents":[{"role":"model","parts":[{"text":"Hm","thought":true},{"text":".","thought":true},{"text":"","thought":true,"thoughtSignature":"QQ=="},{"text":"Yes","thought_signature":"Qg=="},{"thoughtSignature":"Qw=="}]}]}`,
			Request{Messages: []Message{{Assistant, []Part{
				{Kind: Thought, Text: "Hm.", Proof: signed("QQ==")}, {Text: "Yes"}, {Kind: Thought, Proof: signed("Qg==")}, {Kind: Thought, Proof: signed("Qw==")},
			}}}},
		},
		"a proof of another vendor's": {
			`{"contents":[{"role":"model","parts":[{"text":"Hm","thought":true,"thoughtSignature":"` + Proof{ByAnthropic, "sig"}.seal(ByGoogle) + `"}]}]}`,
			Request{Messages: []Message{{Assistant, yes(Part{Kind: Thought, Text: "Hm", Proof: Proof{ByAnthropic, "sig"}})}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, r := readAsGemini(t, c.body)
			if r.err != nil || len(r.left) > 0 {
				t.Fatalf("got %v, left %q", r.err, r.left)
			}
			if !reflect.DeepEqual(*got, c.want) {
				t.Errorf("got  %+v\nwant %+v", *got, c.want)
			}
		})
	}
}

func TestGeminiFieldsThatAreLeftOut(t *testing.T) {
	for body, want := range map[string]string{
		`{"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]}`: "safetySettings",
		`{"labels":{"team":"a"}}`:         "labels",
		`{"service_tier":"flex"}`:         "service_tier",
		`{"store":true}`:                  "store",
		`{"tools":[{"googleSearch":{}}]}`: "tools[0].googleSearch",
		`{"tools":[{"functionDeclarations":[{"name":"f"}]},{"code_execution":{}}]}`:        "tools[1].code_execution",
		`{"tools":[{"functionDeclarations":[{"name":"f","response":{"type":"OBJECT"}}]}]}`: "tools[0].functionDeclarations[0].response",
		`{"toolConfig":{"retrievalConfig":{"languageCode":"de"}}}`:                         "toolConfig.retrievalConfig",
		`{"toolConfig":{"functionCallingConfig":{"streamFunctionCallArguments":true}}}`:    "toolConfig.functionCallingConfig.streamFunctionCallArguments",
		`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","willContinue":false}}]},{"parts":[{"functionResponse":{"name":"f","response":{},"willContinue":false,"scheduling":"SILENT"}}]}]}`: "contents[1].parts[0].functionResponse.scheduling",
		`{"contents":[{"parts":[{"fileData":{"mimeType":"image/png","fileUri":"https://e.org/a","displayName":"b"}}]}]}`:                                                                                      "contents[0].parts[0].fileData.displayName",
		`{"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW"}}`:                                                                                                                                     "generationConfig.mediaResolution",
		`{"generationConfig":{"logprobs":3}}`:                                                             "generationConfig.logprobs",
		`{"contents":[{"parts":[{"text":"a","partMetadata":{"a":1}}]}]}`:                                  "contents[0].parts[0].partMetadata",
		`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"a","displayName":"b"}}]}]}`: "contents[0].parts[0].inlineData.displayName",
	} {
		if _, r := readAsGemini(t, body); r.err != nil || !slices.Equal(r.left, []string{want}) {
			t.Errorf("%s: got %v, left %q", body, r.err, r.left)
		}
	}
}

func TestGeminiFieldsThatAreRefused(t *testing.T) {
	model := func(part string) string { return `{"contents":[{"role":"model","parts":[` + part + `]}]}` }
	user := func(part string) string { return `{"contents":[{"role":"user","parts":[` + part + `]}]}` }
	for body, want := range map[string]string{
		`{"cachedContent":"cachedContents/a"}`:                 "cachedContent",
		`{"what":1}`:                                           "what",
		`{"continuationToken":"a"}`:                            "continuationToken",
		`{"contents":"Hi"}`:                                    "contents",
		`{"contents":[{"role":"system","parts":[]}]}`:          "contents[0].role",
		`{"contents":[{"parts":[]}],"systemInstruction":"Hi"}`: "systemInstruction",
		`{"systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/png","data":"a"}}]}}`:                   "systemInstruction",
		`{"generationConfig":{"responseMimeType":"text/x.enum"}}`:                                                "generationConfig.responseMimeType",
		`{"generationConfig":{"responseSchema":{},"responseJsonSchema":{}}}`:                                     "generationConfig.responseJsonSchema",
		`{"generationConfig":{"responseModalities":["TEXT","IMAGE"]}}`:                                           "generationConfig.responseModalities[1]",
		`{"generationConfig":{"speechConfig":{}}}`:                                                               "generationConfig.speechConfig",
		`{"generationConfig":{"temperature":"hot"}}`:                                                             "generationConfig.temperature",
		`{"generationConfig":{"topK":1,"top_k":2}}`:                                                              "generationConfig.top_k",
		`{"generationConfig":{"thinkingConfig":{"thinkingLevel":"DEEP"}}}`:                                       "generationConfig.thinkingConfig.thinkingLevel",
		`{"tools":[{"newTool":{}}]}`:                                                                             "tools[0].newTool",
		`{"tools":[{"functionDeclarations":[{"description":"a"}]}]}`:                                             "tools[0].functionDeclarations[0].name",
		`{"tools":[{"functionDeclarations":[{"name":"f","parameters":{},"parametersJsonSchema":{}}]}]}`:          "tools[0].functionDeclarations[0].parametersJsonSchema",
		`{"toolConfig":{"functionCallingConfig":{"mode":"SOME"}}}`:                                               "toolConfig.functionCallingConfig.mode",
		model(`{"executableCode":{"code":"1"}}`):                                                                 "contents[0].parts[0].executableCode",
		model(`{"codeExecutionResult":{}}`):                                                                      "contents[0].parts[0].codeExecutionResult",
		model(`{"text":"a","functionCall":{"name":"f"}}`):                                                        "contents[0].parts[0].functionCall",
		model(`{"functionCall":{"name":"f","args":[1]}}`):                                                        "contents[0].parts[0].functionCall.args",
		model(`{"functionCall":{"name":"f","willContinue":true}}`):                                               "contents[0].parts[0].functionCall.willContinue",
		model(`{"functionResponse":{"name":"f"}}`):                                                               "contents[0].parts[0].functionResponse",
		user(`{"functionCall":{"name":"f"}}`):                                                                    "contents[0].parts[0].functionCall",
		user(`{"functionResponse":{"name":"f","response":{}}}`):                                                  "contents[0].parts[0].functionResponse",
		model(`{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","response":[]}}`):       "contents[1].parts[0].functionResponse.response",
		model(`{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","willContinue":true}}`): "contents[1].parts[0].functionResponse.willContinue",
		model(`{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","new":1}}`):             "contents[1].parts[0].functionResponse.new",
		model(`{"functionCall":{"name":"f","partialArgs":[]}}`):                                                  "contents[0].parts[0].functionCall.partialArgs",
		user(`{"inlineData":{"new":1}}`):                                                                         "contents[0].parts[0].inlineData.new",
		user(`{"fileData":{"new":1}}`):                                                                           "contents[0].parts[0].fileData.new",
		`{"tools":[{"functionDeclarations":[{"name":"f","new":1}]}]}`:                                            "tools[0].functionDeclarations[0].new",
		`{"toolConfig":{"new":1}}`:                                                                               "toolConfig.new",
		`{"toolConfig":{"functionCallingConfig":{"new":1}}}`:                                                     "toolConfig.functionCallingConfig.new",
		`{"generationConfig":{"thinkingConfig":{"new":1}}}`:                                                      "generationConfig.thinkingConfig.new",
		user(`{"text":1}`): "contents[0].parts[0].text",
		user(`{"text":"a","videoMetadata":{"fps":1}}`):                                                                           "contents[0].parts[0].videoMetadata",
		user(`{"inlineData":{"mimeType":"image/png"}}`):                                                                          "contents[0].parts[0].inlineData",
		user(`{"fileData":{"fileUri":"gs://a/b","mimeType":"image/png"}}`):                                                       "contents[0].parts[0].fileData",
		user(`{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/a","mimeType":"application/pdf"}}`): "contents[0].parts[0].fileData",
		user(`{"fileData":{"fileUri":"https://youtu.be/a","mimeType":"video/mp4"}}`):                                             "contents[0].parts[0].fileData",
	} {
		_, r := readAsGemini(t, body)
		if bad := (*wire.Invalid)(nil); !errors.As(r.err, &bad) || bad.Param != want || !strings.Contains(bad.Message, want) {
			t.Errorf("%s: got %+v, want %s", body, r.err, want)
		}
	}
}

// The file is what Gemini CLI 0.61 sends in the second turn of a task, with its long texts shortened.
func TestGeminiCLIsRequestIsCarriedWhole(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("testdata", "gemini-cli.json"))
	if err != nil {
		t.Fatal(err)
	}
	q, r := readAsGemini(t, string(body))
	if r.err != nil || len(r.left) > 0 {
		t.Fatalf("got %v, left %q", r.err, r.left)
	}
	roles := make([]Role, len(q.Messages))
	for i, m := range q.Messages {
		roles[i] = m.Role
	}
	if want := []Role{System, User, Assistant, ToolRole, ToolRole}; !slices.Equal(roles, want) {
		t.Fatalf("got %v", roles)
	}
	if c := q.Messages[2].Parts; len(c) != 2 || c[0].Name != "run_shell_command" || gjson.Get(c[0].Arguments, "command").Str != "echo yes > ran" || c[1].ID != "c2" {
		t.Errorf("the calls are %+v", c)
	}
	if a, b := q.Messages[3].Parts[0], q.Messages[4].Parts[0]; a.ID != "c1" || a.Failed || b.ID != "c2" || !b.Failed || b.Content[0].Text != "File not found: ran" {
		t.Errorf("the results are %+v, %+v", a, b)
	}
	if len(q.Tools) != 3 || !json.Valid(q.Tools[1].Parameters) || q.Temperature != "1" || q.TopK != "64" || *q.Thinking != (Thinking{Shown: true}) {
		t.Errorf("got %+v, %v, %v", q.Tools, q.Temperature, q.Thinking)
	}
}
