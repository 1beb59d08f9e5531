package translate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perdiem/providers/wire"
)

// countFields counts the fields of a name, in either spelling, that are not null, among the parts of the turns of a request.
func countFields(t rapid.TB, body []byte, name string) (n int) {
	var request map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // of any size
	if err := d.Decode(&request); err != nil {
		t.Fatal(err)
	}
	in := func(v any, name string) (found []any) {
		for _, v := range listOf(v) {
			object, _ := v.(map[string]any)
			for key, v := range object {
				if strings.EqualFold(strings.ReplaceAll(key, "_", ""), name) && v != nil {
					found = append(found, v)
				}
			}
		}
		return found
	}
	for _, contents := range in(request, "contents") {
		for _, parts := range in(contents, "parts") {
			n += len(in(parts, name))
		}
	}
	return n
}

// listOf is what is in a list, or the one that stands for a list of one.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func FuzzGeminiRead(f *testing.F) {
	cli, err := os.ReadFile(filepath.Join("testdata", "gemini-cli.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(cli)
	for _, seed := range []string{
		`{"contents":{"parts":{"text":"a"}},"generation_config":{"response_schema":{"type":"OBJECT","nullable":true,"properties":{"a":{"anyOf":[{"type":"STRING"}],"nullable":true}}}}}`,
		`{"contents":[{"role":"model","parts":[{"function_call":{"name":"a.b"},"thought_signature":"dGhvdWdodHM6W3sidmVuZG9yIjoiYW50aHJvcGljIiwidG9rZW4iOiJ4In1d"}]},{"parts":[{"functionResponse":{"name":"a.b","response":{"output":1}}}]}]}`,
		`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"-_"}},{"fileData":{"fileUri":"https://e.org"}}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { readAndCount(t, body) })
}

// readAndCount reads any body, checks that no call or result was lost or made up, and writes what was read in every dialect.
// It tells whether the body was taken.
func readAndCount(t rapid.TB, body []byte) bool {
	call, _ := wire.ParseGemini("/v1beta/models/m:generateContent", "")
	if _, err := call.Wire().Inspect(body); err != nil {
		return false
	}
	r := &reading{}
	q := readGemini(r, body)
	if r.err != nil {
		return false
	}
	calls, results := 0, 0
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			switch p.Kind {
			case Call:
				calls++
				if p.ID == "" || p.Name == "" || !strings.HasPrefix(p.Arguments, "{") {
					t.Fatal("a call is ", p)
				}
			case Result:
				results++
			}
		}
	}
	if want := countFields(t, body, "functionCall"); calls != want {
		t.Fatal(calls, " calls are read, of ", want)
	}
	if want := countFields(t, body, "functionResponse"); results != want {
		t.Fatal(results, " results are read, of ", want)
	}
	for name, d := range dialects {
		if d.write == nil {
			continue
		}
		w := &writing{&reading{}}
		if said, err := marshal(d.write(w, q, Options{Model: "gemini-3-pro", Reply: 9999, Reasons: true})); err != nil && w.err == nil {
			t.Fatal("what is written for ", name, " is no JSON: ", err, string(said))
		}
	}
	return true
}

// Bytes at random are hardly ever a request. These are objects of Google's own fields, anywhere.
func TestAnyFieldsOfGooglesAreReadOrRefused(t *testing.T) {
	var fields []string
	for _, word := range strings.Fields(`contents role parts text thought thoughtSignature inlineData mimeType data fileData fileUri functionCall id name args
		functionResponse response output error systemInstruction tools functionDeclarations description parameters parametersJsonSchema type nullable
		properties items anyOf enum minItems example toolConfig functionCallingConfig mode allowedFunctionNames generationConfig temperature topK seed
		stopSequences responseSchema responseMimeType thinkingConfig thinkingBudget thinkingLevel includeThoughts function_call generation_config`) {
		fields = append(fields, `"`+word+`":`)
	}
	values := strings.Fields(`"" "a" "f" "user" "model" "OBJECT" "STRING" "ANY" "image/png" "https://e.org/a.png" "application/json" "aGk=" "high" 0 1 -1 1.50 1e400 true false null {} []`)
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		var value func(depth int) string
		object := func(depth int) string {
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 1, 3, rapid.ID).Draw(t, "fields")
			for i, f := range chosen {
				chosen[i] = f + value(depth)
			}
			return "{" + strings.Join(chosen, ",") + "}"
		}
		value = func(depth int) string {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case depth > 5 || kind == 0:
				return rapid.SampledFrom(values).Draw(t, "value")
			case kind == 1:
				return "[" + strings.Join([]string{value(depth + 1), value(depth + 1)}[:rapid.IntRange(1, 2).Draw(t, "items")], ",") + "]"
			default:
				return object(depth + 1)
			}
		}
		turn := func() string {
			switch rapid.IntRange(0, 6).Draw(t, "turn") % 4 {
			case 0:
				return `{"role":"model","parts":[{"functionCall":{"name":"f","args":` + object(4) + `},"thoughtSignature":"aGk="}]}`
			case 1:
				return `{"role":"model","parts":[{"functionCall":{"name":"f"}},{"text":"a"},{"functionCall":{"id":"1","name":"g"}}]},{"parts":[{"functionResponse":{"name":"g","response":` + object(4) + `}}]}`
			case 2:
				return `{"parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}`
			default:
				return value(2)
			}
		}
		body := `{"contents":[` + turn() + "," + turn() + `],"generationConfig":` + value(1) + `,"tools":[{"functionDeclarations":[{"name":"f","parameters":` + value(1) + `}]}]}`
		if rapid.Bool().Draw(t, "turns alone") {
			body = `{"contents":[` + turn() + "," + turn() + "," + turn() + `]}`
		}
		if readAndCount(t, []byte(body)) {
			taken++
		}
	})
	if t.Logf("%d were taken", taken); taken == 0 {
		t.Error("none was taken, so that this shows little")
	}
}

func FuzzGeminiDecode(f *testing.F) {
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"functionCall":{"name":"f","args":{"a":1.0}},"thoughtSignature":"s"}]},"finishReason":"STOP"}]}`), []byte(`{"usageMetadata":{"promptTokenCount":1,"totalTokenCount":3}}`))
	f.Add([]byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}`), []byte(`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0]['b']","stringValue":"c"}]}}]},"finishReason":"STOP"}]}`))
	f.Add([]byte(`{"error":{"code":"x"}}`), []byte(`[{"candidates":[{"index":1e9}]}]`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var list []Piece
		emit := func(p Piece) { list = append(list, p) }
		d := &geminiDecoder{}
		d.event(one, emit)
		d.event(two, emit)
		d.close(emit)
		arguments := map[[2]int]int{}
		for _, p := range list {
			at := [2]int{p.Choice, p.Call}
			switch p.Kind {
			case Calls:
				arguments[at] = 0
				if p.Name == "" {
					t.Errorf("a call is %+v", p)
				}
			case Arguments:
				if n, ok := arguments[at]; !ok || n > 0 || !strings.HasPrefix(p.Text, "{") || !json.Valid([]byte(p.Text)) {
					t.Errorf("arguments are %+v", p)
				}
				arguments[at]++
			case Figures:
				if p.Usage.Input < 0 || p.Usage.Output < 0 || p.Usage.CacheRead > p.Usage.Input {
					t.Errorf("figures are %+v", p.Usage)
				}
			}
		}
		want := gather(list)
		stream := told(gemini.encoder(shown, ReplyOptions{}), append(list[:len(list):len(list)], Piece{Kind: End}))
		if _, body, _ := bytes.Cut(stream, []byte(`"functionCall"`)); len(arguments) > 0 && len(body) == 0 {
			t.Errorf("the calls are not told: %s", stream)
		}
		got := gather(recording{Stream: true, Body: stream}.pieces(t, gemini))
		if g, w := compactCalls(got), compactCalls(want); !failed(list) && !reflect.DeepEqual(g, w) {
			t.Errorf("got calls %q, want %q", g, w)
		}
		gemini.decoder().body(one, func(Piece) {})
	})
}

func failed(list []Piece) bool {
	return slices.ContainsFunc(list, func(p Piece) bool { return p.Kind == Fails })
}

func compactCalls(a Answer) (calls []string) {
	for _, c := range a.Choices {
		for _, b := range c.Blocks {
			if b.Kind == Calls {
				var compact bytes.Buffer
				if json.Compact(&compact, []byte(b.Text)) != nil {
					compact.WriteString(b.Text)
				}
				// JSON is written in UTF-8: what is none becomes U+FFFD, byte by byte, as it does here.
				calls = append(calls, string([]rune(b.ID+" "+b.Name+" "+compact.String())))
			}
		}
	}
	return calls
}

// Whatever is said in the middle form is said to a caller of Google's, and can be read again.
func TestRepliesToGooglesCallersAreReadAsTheyWereMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z<"\\é\n ]{0,8}[a-z]`)
		list := []Piece{{Kind: Begin, ID: "r", Model: "m"}}
		for choice := range rapid.IntRange(1, 2).Draw(t, "choices") {
			calls := 0
			add := func(p Piece) {
				p.Choice = choice
				list = append(list, p)
			}
			proves := func() {
				add(Piece{Kind: Proves, Proof: signed(rapid.StringMatching(`[A-Za-z0-9+/]{4}`).Draw(t, "proof"))})
			}
			for range rapid.IntRange(0, 5).Draw(t, "blocks") {
				switch rapid.IntRange(0, 3).Draw(t, "block") {
				case 0:
					add(Piece{Kind: Says, Text: word.Draw(t, "text")})
				case 1:
					add(Piece{Kind: Thinks, Text: word.Draw(t, "thought")})
					proves()
				case 2:
					add(Piece{Kind: Thinks})
					proves()
				default:
					add(Piece{Kind: Calls, Call: calls, ID: word.Draw(t, "id"), Name: word.Draw(t, "name")})
					arguments := rapid.SampledFrom([]string{`{}`, `{"a":1.0,"b":[{"c":"}"}]}`}).Draw(t, "arguments")
					cut := rapid.IntRange(0, len(arguments)).Draw(t, "cut")
					add(Piece{Kind: Arguments, Call: calls, Text: arguments[:cut]})
					add(Piece{Kind: Arguments, Call: calls, Text: arguments[cut:]})
					proves()
					calls++
				}
			}
			reason := rapid.SampledFrom([]Reason{Stopped, Length}).Draw(t, "reason")
			if calls > 0 && reason == Stopped {
				reason = ToCalls
			}
			add(Piece{Kind: Finish, Reason: reason})
		}
		list = append(list, Piece{Kind: Figures, Usage: Usage{Input: 9, CacheRead: 2, Output: 7, Reasoning: 3}})
		want := gather(list)
		again := streamed(t, gemini.decoder(), bytes.NewReader(told(gemini.encoder(shown, ReplyOptions{}), append(list, Piece{Kind: End}))))
		if got := gather(again); !reflect.DeepEqual(got, want) {
			t.Fatalf("as a stream, got  %+v\nwant %+v", got, want)
		}
		body, _ := marshal(gemini.encoder(shown, ReplyOptions{}).whole(want))
		again = nil
		if !gemini.decoder().body(body, func(p Piece) { again = append(again, p) }) || !reflect.DeepEqual(gather(again), want) {
			t.Fatalf("whole, got  %+v\nwant %+v", gather(again), want)
		}
	})
}
