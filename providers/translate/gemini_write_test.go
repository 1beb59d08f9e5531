package translate

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"perdiem/providers/wire"
)

// sayToGemini writes a request for Google, as a provider would get it.
func sayToGemini(t rapid.TB, q *Request, o Options) (string, *reading) {
	w := &writing{&reading{}}
	body, err := marshal(writeGemini(w, q, o))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Generate(q.Stream).Wire().Inspect(body); err != nil {
		t.Fatal("the wire refuses it: ", err)
	}
	return string(body), w.reading
}

func TestWhatGoogleIsAsked(t *testing.T) {
	user := func(parts ...Part) Message { return Message{User, parts} }
	assistant := func(parts ...Part) Message { return Message{Assistant, parts} }
	result := func(id, text string) Message {
		return Message{ToolRole, []Part{{Kind: Result, ID: id, Content: []Part{{Text: text}}}}}
	}
	call := func(id, name string) Part { return Part{Kind: Call, ID: id, Name: name, Arguments: `{"a": 1.0}`} }
	hi := `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]`
	ask := []Message{user(Part{Text: "Hi"})}
	old, pro, flash, thinker := Options{Model: "gemini-2.5-flash", Reasons: true}, Options{Model: "gemini-2.5-pro", Reasons: true}, Options{Model: "gemini-3-flash", Reasons: true}, Options{Model: "gemini-3-pro", Reasons: true}
	yes, no := true, false
	for name, c := range map[string]struct {
		q    Request
		o    Options
		want string
		left []string
	}{
		"words": {Request{Messages: ask}, Options{}, hi + `}`, nil},
		"turns of one side become one": {
			Request{Messages: []Message{user(Part{Text: "a"}), {System, []Part{{Text: "b"}}}, user(Part{Text: ""}, Part{Text: "c"}), assistant(Part{Text: "d"}), assistant(Part{Kind: Refusal, Text: "e"})}},
			Options{},
			`{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"},{"text":"c"}]},{"role":"model","parts":[{"text":"d"},{"text":"e"}]}]}`, nil,
		},
		"the system's words": {
			Request{Messages: []Message{{System, []Part{{Text: "a"}}}, {System, []Part{{Text: "b"}}}, user(Part{Text: "Hi"})}},
			Options{}, hi + `,"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]}}`, nil,
		},
		"the system's words alone": {
			Request{Messages: []Message{{System, []Part{{Text: "Hi"}}}}}, Options{}, hi + `}`, nil,
		},
		"an empty turn": {Request{Messages: []Message{{System, nil}, user(Part{Text: "Hi"}), assistant(Part{})}}, Options{}, hi + `}`, nil},
		"calls, and their results in their order": {
			Request{Messages: []Message{
				user(Part{Text: "Hi"}), assistant(call("1", "f"), call("2", "g")), result("2", "two"), result("1", "one"), user(Part{Text: "So?"}),
			}},
			Options{},
			`{"contents":[{"role":"user","parts":[{"text":"Hi"}]},` +
				`{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a":1.0}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"2","name":"g","args":{"a":1.0}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"one"}}},{"functionResponse":{"id":"2","name":"g","response":{"output":"two"}}}]},` +
				`{"role":"user","parts":[{"text":"So?"}]}]}`, nil,
		},
		"the assistant's words first": {
			Request{Messages: []Message{assistant(Part{Text: "a"}), user(Part{Text: "b"})}}, old,
			`{"contents":[{"role":"user","parts":[{"text":"(The assistant speaks first.)"}]},{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]}`, nil,
		},
		"a failed call of an older model": {
			Request{Messages: []Message{user(Part{Text: "Hi"}), assistant(call("1", "f")), {ToolRole, []Part{{Kind: Result, ID: "1", Failed: true, Content: []Part{{Text: "no"}, {Kind: Image, MIME: "image/png", Data: "aGk="}}}}}}},
			old,
			hi[:len(hi)-1] + `,{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a":1.0}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"error":"no"}}},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}]}`, nil,
		},
		"proofs go back to Google alone": {
			Request{Messages: []Message{user(Part{Text: "Hi"}), assistant(
				Part{Kind: Thought, Text: "mine", Proof: signed("QQ==")}, Part{Kind: Thought, Text: "yours", Proof: Proof{ByAnthropic, "x"}}, Part{Kind: Thought, Text: "nobody's"},
				Part{Text: "a"}, Part{Kind: Thought, Proof: signed("Qg==")}, Part{Kind: Call, ID: "1", Name: "f", Proof: signed("Qw==")},
			)}},
			Options{},
			hi[:len(hi)-1] + `,{"role":"model","parts":[{"text":"mine","thought":true,"thoughtSignature":"QQ=="},{"text":"a"},{"text":"","thoughtSignature":"Qg=="},{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"Qw=="}]}]}`, nil,
		},
		"arguments that are no object": {
			Request{Messages: []Message{user(Part{Text: "Hi"}), assistant(Part{Kind: Call, ID: "1", Name: "f", Arguments: `{"a":`})}}, old,
			hi[:len(hi)-1] + `,{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"arguments":"{\"a\":"}}}]}]}`, nil,
		},
		"images, sounds and files": {
			Request{Messages: []Message{user(
				Part{Kind: Image, MIME: "image/png", Data: "aGk=", Detail: "auto"}, Part{Kind: Image, URL: "https://e.org/a.WEBP?b=c.pdf", Detail: "low"},
				Part{Kind: Image, URL: "https://e.org/a"}, Part{Kind: Audio, MIME: "audio/wav", Data: "aGk="}, Part{Kind: File, URL: "https://e.org/a", Name: "a.pdf"},
			)}},
			Options{},
			`{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"fileData":{"mimeType":"image/webp","fileUri":"https://e.org/a.WEBP?b=c.pdf"}},` +
				`{"fileData":{"mimeType":"image/jpeg","fileUri":"https://e.org/a"}},{"inlineData":{"mimeType":"audio/wav","data":"aGk="}},{"fileData":{"mimeType":"application/pdf","fileUri":"https://e.org/a"}}]}]}`,
			[]string{"detail", "filename"},
		},
		"kinds of files by the ends of their addresses": {
			Request{Messages: []Message{user(Part{Kind: Image, URL: "http://e/a.png"}, Part{Kind: Image, URL: "http://e/a.gif"}, Part{Kind: File, URL: "http://e/a.PDF"}, Part{Kind: Image, URL: "http://e/a", MIME: "image/heic"})}}, Options{},
			`{"contents":[{"role":"user","parts":[{"fileData":{"mimeType":"image/png","fileUri":"http://e/a.png"}},{"fileData":{"mimeType":"image/gif","fileUri":"http://e/a.gif"}},` +
				`{"fileData":{"mimeType":"application/pdf","fileUri":"http://e/a.PDF"}},{"fileData":{"mimeType":"image/heic","fileUri":"http://e/a"}}]}]}`, nil,
		},
		"functions": {
			Request{Messages: ask, Tools: []Tool{{Name: "f", Description: "<Does>", Parameters: json.RawMessage(`{"type": "object", "x":1.0}`)}, {Name: "g"}}},
			Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"f","description":"<Does>","parametersJsonSchema":{"type":"object","x":1.0}},{"name":"g"}]}]}`, nil,
		},
		"functions, as they may be called": {
			Request{Messages: ask, Tools: []Tool{{Name: "f"}}, Choice: Choice{Mode: ChooseAuto}, Parallel: &yes}, Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`, nil,
		},
		"some of the functions": {
			Request{Messages: ask, Tools: []Tool{{Name: "f"}, {Name: "g"}}, Choice: Choice{Mode: ChooseAuto, Allowed: []string{"g"}}}, Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"g"}]}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`, nil,
		},
		"one of some functions": {
			Request{Messages: ask, Tools: []Tool{{Name: "f"}, {Name: "g"}}, Choice: Choice{Mode: ChooseRequired, Allowed: []string{"g", "f"}}, Parallel: &no}, Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["g","f"]}}}`,
			[]string{"parallel_tool_calls"},
		},
		"one function": {
			Request{Messages: ask, Tools: []Tool{{Name: "f"}}, Choice: Choice{Mode: ChooseOne, Name: "f"}}, Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}`, nil,
		},
		"no function": {
			Request{Messages: ask, Tools: []Tool{{Name: "f"}}, Choice: Choice{Mode: ChooseNone}}, Options{},
			hi + `,"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`, nil,
		},
		"a choice among no functions": {Request{Messages: ask, Choice: Choice{Mode: ChooseAuto}}, Options{}, hi + `}`, nil},
		"sampling in its own digits": {
			Request{Messages: ask, Temperature: "1.0", TopP: "0.90", TopK: "40", Seed: "7", Presence: "0.0", Frequency: "-0.50", Replies: 2, MaxTokens: 9, Stop: []string{"a"}, User: "u"},
			Options{Reply: 500},
			hi + `,"generationConfig":{"temperature":1.0,"topP":0.90,"topK":40,"seed":7,"frequencyPenalty":-0.50,"candidateCount":2,"maxOutputTokens":9,"stopSequences":["a"]}}`,
			[]string{"user"},
		},
		"a seed of more bits": {Request{Messages: ask, Seed: "4294967296"}, Options{}, hi + `}`, []string{"seed"}},
		"any JSON":            {Request{Messages: ask, Format: &Format{}}, Options{}, hi + `,"generationConfig":{"responseMimeType":"application/json"}}`, nil},
		"a schema": {
			Request{Messages: ask, Format: &Format{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}}, Options{},
			hi + `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`, nil,
		},
		"thinking of a model that does not":  {Request{Messages: ask, Thinking: &Thinking{Effort: "low"}}, Options{}, hi + `}`, []string{"thinking"}},
		"no thinking of one that does not":   {Request{Messages: ask, Thinking: &Thinking{Off: true}}, Options{}, hi + `}`, nil},
		"thinking as it likes":               {Request{Messages: ask, Thinking: &Thinking{}}, thinker, hi + `}`, nil},
		"thoughts to be shown":               {Request{Messages: ask, Thinking: &Thinking{Shown: true}}, old, hi + `,"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, nil},
		"an effort":                          {Request{Messages: ask, Thinking: &Thinking{Effort: "medium", Shown: true}}, thinker, hi + `,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"medium"}}}`, nil},
		"the least effort":                   {Request{Messages: ask, Thinking: &Thinking{Effort: "minimal"}}, thinker, hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"low"}}}`, nil},
		"the least effort of a fast model":   {Request{Messages: ask, Thinking: &Thinking{Effort: "minimal"}}, flash, hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"minimal"}}}`, nil},
		"the most effort":                    {Request{Messages: ask, Thinking: &Thinking{Effort: "max"}}, thinker, hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"high"}}}`, nil},
		"a budget in words":                  {Request{Messages: ask, Thinking: &Thinking{Budget: 31999}}, thinker, hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"high"}}}`, nil},
		"thinking that cannot be off":        {Request{Messages: ask, Thinking: &Thinking{Off: true}}, thinker, hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"low"}}}`, []string{"thinking"}},
		"an effort of an older model":        {Request{Messages: ask, Thinking: &Thinking{Effort: "low"}}, old, hi + `,"generationConfig":{"thinkingConfig":{"thinkingBudget":1024}}}`, nil},
		"a budget above the most":            {Request{Messages: ask, Thinking: &Thinking{Budget: 31999}}, old, hi + `,"generationConfig":{"thinkingConfig":{"thinkingBudget":24576}}}`, nil},
		"a budget below the least":           {Request{Messages: ask, Thinking: &Thinking{Budget: 1}}, old, hi + `,"generationConfig":{"thinkingConfig":{"thinkingBudget":512}}}`, nil},
		"thinking off":                       {Request{Messages: ask, Thinking: &Thinking{Off: true}}, old, hi + `,"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`, nil},
		"thinking that has to be in old pro": {Request{Messages: ask, Thinking: &Thinking{Off: true}}, pro, hi + `,"generationConfig":{"thinkingConfig":{"thinkingBudget":128}}}`, []string{"thinking"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, r := sayToGemini(t, &c.q, c.o)
			if r.err != nil || !slices.Equal(r.left, c.left) {
				t.Errorf("got %v, left %q", r.err, r.left)
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWhatGoogleCannotBeAsked(t *testing.T) {
	for name, c := range map[string]struct {
		q    Request
		want string
	}{
		"probabilities":          {Request{Logprobs: true}, "logprobs"},
		"no words":               {Request{Messages: []Message{{System, []Part{{Text: ""}}}}}, "messages"},
		"a file of another's":    {Request{Messages: []Message{{User, []Part{{Kind: File}}}}}, "messages"},
		"an image of a result's": {Request{Messages: []Message{{Assistant, []Part{{Kind: Call, ID: "1"}}}, {ToolRole, []Part{{Kind: Result, ID: "1", Content: []Part{{Kind: Image}}}}}}}, "messages"},
	} {
		w := &writing{&reading{}}
		writeGemini(w, &c.q, Options{})
		if bad := (*wire.Invalid)(nil); !errors.As(w.err, &bad) || bad.Param != c.want {
			t.Errorf("%s: got %v", name, w.err)
		}
	}
}

// geminiRequests draws requests that Google's dialect can say, as its reader would read them.
func geminiRequests(t *rapid.T) *Request {
	word := rapid.StringMatching(`[a-zA-Z<"\\é\n ]{0,12}[a-z]`)
	name := rapid.StringMatching(`[a-zA-Z_][a-zA-Z0-9_-]{0,63}`)
	digits := rapid.SampledFrom([]json.Number{"", "0.10", "1.0", "-1.5e-1"})
	text := rapid.Custom(func(t *rapid.T) Part { return Part{Text: word.Draw(t, "text")} })
	data := rapid.StringMatching(`[A-Za-z0-9+/]{4}`)
	media := rapid.Custom(func(t *rapid.T) Part {
		p := Part{MIME: rapid.SampledFrom([]string{"image/png", "audio/wav", "application/pdf"}).Draw(t, "mime"), Data: data.Draw(t, "data")}
		p.Kind = mediaKind(p.MIME)
		return p
	})
	q := &Request{
		Temperature: digits.Draw(t, "temperature"), TopP: digits.Draw(t, "topP"), Frequency: digits.Draw(t, "frequency"),
		TopK: rapid.SampledFrom([]json.Number{"", "1", "40"}).Draw(t, "topK"), Seed: rapid.SampledFrom([]json.Number{"", "0", "-7"}).Draw(t, "seed"),
		MaxTokens: rapid.Int64Range(0, 9999).Draw(t, "limit"), Stop: rapid.SliceOfN(word, 1, 3).Draw(t, "stop"),
	}
	if rapid.Bool().Draw(t, "several") {
		q.Replies = rapid.Int64Range(2, 8).Draw(t, "replies")
	}
	if rapid.Bool().Draw(t, "thinks") {
		q.Thinking = &Thinking{Effort: rapid.SampledFrom([]string{"low", "medium", "high"}).Draw(t, "effort"), Shown: rapid.Bool().Draw(t, "shown")}
	}
	if rapid.Bool().Draw(t, "formed") {
		q.Format = &Format{Schema: rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"type":"object","minimum":1.0}`)}).Draw(t, "schema")}
	}
	for _, n := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "tools") {
		q.Tools = append(q.Tools, Tool{Name: n, Description: word.Draw(t, "description"), Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	if len(q.Tools) > 0 {
		q.Choice = rapid.SampledFrom([]Choice{
			{}, {Mode: ChooseAuto}, {Mode: ChooseNone}, {Mode: ChooseRequired}, {Mode: ChooseOne, Name: q.Tools[0].Name}, {Mode: ChooseRequired, Allowed: []string{"f", "g"}},
		}).Draw(t, "choice")
	}
	if rapid.Bool().Draw(t, "instructed") {
		q.Messages = append(q.Messages, Message{System, []Part{text.Draw(t, "instruction")}})
	}
	q.Messages = append(q.Messages, Message{User, rapid.SliceOfN(rapid.OneOf(text, media), 1, 3).Draw(t, "question")})
	calls := 0
	for range rapid.IntRange(0, 3).Draw(t, "rounds") {
		m := Message{Role: Assistant}
		if rapid.Bool().Draw(t, "thought") {
			m.Parts = append(m.Parts, Part{Kind: Thought, Text: word.Draw(t, "thought"), Proof: signed(data.Draw(t, "proof"))})
		}
		m.Parts = append(m.Parts, text.Draw(t, "answer"))
		var results []Message
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			calls++
			call := Part{
				Kind: Call, ID: "id" + string(rune('a'+calls)), Name: name.Draw(t, "called"), Proof: signed(data.Draw(t, "proof")),
				Arguments: rapid.SampledFrom([]string{"{}", `{"a":1.0,"b":[null,"\u00e9"]}`}).Draw(t, "arguments"),
			}
			m.Parts = append(m.Parts, call)
			results = append(results, Message{ToolRole, []Part{{
				Kind: Result, ID: call.ID, Name: call.Name, Failed: rapid.Bool().Draw(t, "failed"), Content: []Part{text.Draw(t, "result")},
			}}})
		}
		q.Messages = append(append(q.Messages, m), results...)
		q.Messages = append(q.Messages, Message{User, []Part{text.Draw(t, "next")}})
	}
	return q
}

func TestRequestsForGoogleAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := geminiRequests(t)
		body, w := sayToGemini(t, q, Options{Model: "gemini-3-pro", Reasons: true})
		r := &reading{}
		got := readGemini(r, []byte(body))
		if w.err != nil || r.err != nil || len(w.left)+len(r.left) > 0 {
			t.Fatalf("got %v, %v, left %q, %q, in\n%s", w.err, r.err, w.left, r.left, body)
		}
		if !reflect.DeepEqual(got, q) {
			t.Fatalf("got  %+v\nwant %+v\nin   %s", got, q, body)
		}
	})
}
