package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// spoken are pieces in words, one each.
func spoken(list []Piece) []string {
	said := make([]string, len(list))
	for i, p := range list {
		switch p.Kind {
		case Begin:
			said[i] = fmt.Sprintf("begin %s %s", p.ID, p.Model)
		case Says, Thinks, Declines:
			said[i] = fmt.Sprintf("%s %q", map[PieceKind]string{Says: "says", Thinks: "thinks", Declines: "declines"}[p.Kind], p.Text)
		case Proves:
			said[i] = fmt.Sprintf("proves %s %s", p.Proof.Vendor, p.Proof.Token)
		case Calls:
			said[i] = fmt.Sprintf("calls %d %s %s", p.Call, p.ID, p.Name)
		case Arguments:
			said[i] = fmt.Sprintf("arguments %d %s", p.Call, p.Text)
		case Finish:
			said[i] = fmt.Sprintf("finish %s", p.Reason)
		case Figures:
			said[i] = fmt.Sprintf("figures %+v", p.Usage)
		case Fails:
			said[i] = fmt.Sprintf("fails %d %s: %s", p.Failure.Status, p.Failure.Type, p.Failure.Message)
		case End:
			said[i] = "end"
		}
		if p.Choice > 0 {
			said[i] = fmt.Sprintf("(%d) %s", p.Choice, said[i])
		}
	}
	return said
}

func TestWhatGoogleAnswers(t *testing.T) {
	parts := func(parts string) string {
		return `{"responseId":"r","modelVersion":"m","candidates":[{"content":{"parts":[` + parts + `]}}]}`
	}
	ends := func(reason string) string {
		return `{"responseId":"r","modelVersion":"m","candidates":[{"finishReason":"` + reason + `"}]}`
	}
	for name, c := range map[string]struct {
		events []string
		want   []string
	}{
		"words": {[]string{parts(`{"text":"a"},{"text":""},{"text":"b"}`)}, []string{`says "a"`, `says "b"`}},
		"thoughts and their proof": {
			[]string{parts(`{"text":"a","thought":true}`), parts(`{"text":"b","thought":true,"thoughtSignature":"s"}`)},
			[]string{`thinks "a"`, `thinks "b"`, "proves google s"},
		},
		"words that are signed": {
			[]string{parts(`{"text":"a","thoughtSignature":"s"},{"text":"","thoughtSignature":"z"}`)},
			[]string{`says "a"`, `thinks ""`, "proves google s", `thinks ""`, "proves google z"},
		},
		"calls": {
			[]string{parts(`{"functionCall":{"id":"1","name":"f","args":{"a":1.0}},"thoughtSignature":"s"},{"functionCall":{"name":"g"}}`)},
			[]string{"calls 0 1 f", `arguments 0 {"a":1.0}`, "proves google s", "calls 1  g", "arguments 1 {}"},
		},
		"a call in pieces that words end": {
			[]string{parts(`{"functionCall":{"name":"f","willContinue":true}}`), parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","boolValue":true},{"jsonPath":"$['b c'][0]","nullValue":"NULL_VALUE"}],"willContinue":true}}`), parts(`{"text":"a"}`)},
			[]string{"calls 0  f", `arguments 0 {"a":true,"b c":[null]}`, `says "a"`},
		},
		"a call in pieces that the end ends": {
			[]string{parts(`{"functionCall":{"name":"f","willContinue":true}}`), ends("STOP")},
			[]string{"calls 0  f", "arguments 0 {}", "finish tool_calls"},
		},
		"the end of no call": {[]string{parts(`{"functionCall":{}}`)}, nil},
		"a path that is none": {
			[]string{parts(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$..a","stringValue":"b"}]}}`)},
			[]string{"calls 0  f", "fails 0 : The provider named the arguments of a call in a way that is not known here.", "arguments 0 {}"},
		},
		"a finish in each event": {
			[]string{ends("STOP"), parts(`{"text":"a"}`), ends("MAX_TOKENS")}, []string{`says "a"`, "finish length"},
		},
		"filtered":          {[]string{ends("PROHIBITED_CONTENT")}, []string{"finish content_filter"}},
		"an unknown reason": {[]string{ends("NEW_REASON")}, []string{"finish content_filter"}},
		"a call that went wrong": {
			[]string{ends("MALFORMED_FUNCTION_CALL")}, []string{"fails 0 : The model's reply went wrong: its provider ended it with MALFORMED_FUNCTION_CALL."},
		},
		"a prompt that was blocked": {
			[]string{`{"responseId":"r","modelVersion":"m","promptFeedback":{"blockReason":"SAFETY"}}`}, []string{"finish content_filter"},
		},
		"an image": {
			[]string{parts(`{"inlineData":{"mimeType":"image/png","data":"aGk="}}`)},
			[]string{"fails 0 : The model answered with an image or a sound, which cannot be told in this dialect."},
		},
		"an error in the middle": {
			[]string{parts(`{"text":"a"}`), `{"error":{"code":503,"message":"Full","status":"UNAVAILABLE"}}`}, []string{`says "a"`, "fails 503 UNAVAILABLE: Full"},
		},
		"figures, the last ones": {
			[]string{
				`{"responseId":"r","modelVersion":"m","usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`,
				`{"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":2,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":3}}`,
			},
			[]string{"figures {Input:12 CacheRead:4 CacheWrite:0 Output:8 Reasoning:3}"},
		},
		"several replies": {
			[]string{`{"responseId":"r","modelVersion":"m","candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"},{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}`},
			[]string{`(1) says "b"`, "calls 0  f", "arguments 0 {}", "finish tool_calls", "(1) finish stop"},
		},
		"bytes that are no JSON": {[]string{parts(`{"text":"a"}`), `{"candidates":[`}, []string{`says "a"`}},
	} {
		t.Run(name, func(t *testing.T) {
			stream := "data: " + strings.Join(c.events, "\n\ndata: ") + "\n\n"
			want := append([]string{"begin r m"}, c.want...)
			if got := spoken(streamed(t, gemini.decoder(), strings.NewReader(stream))); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestGeminiTakesWholeRepliesAsOneOrAsAList(t *testing.T) {
	one := `{"responseId":"r","modelVersion":"m","candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`
	for body, want := range map[string][]string{
		one:                          {"begin r m", `says "a"`, "finish stop"},
		" [" + one + "," + one + "]": {"begin r m", `says "a"`, `says "a"`, "finish stop"},
		`{"promptFeedback":{"blockReason":"SAFETY"}}`: {"begin  ", "finish content_filter"},
	} {
		var list []Piece
		if ok := gemini.decoder().body([]byte(body), func(p Piece) { list = append(list, p) }); !ok || !slices.Equal(spoken(list), want) {
			t.Errorf("%s: got %q", body, spoken(list))
		}
	}
	for _, body := range []string{"", "[]", "{}", `{"candidates":[]}`, `{"error":{"code":400}}`, "<html>", `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, strings.Repeat("[", 1<<20)} {
		if gemini.decoder().body([]byte(body), func(Piece) {}) {
			t.Errorf("taken for a reply: %.50s", body)
		}
	}
}

func TestArgumentsInPieces(t *testing.T) {
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"a text in pieces":  {[]string{`{"jsonPath":"$.a","stringValue":"x\n"}`, `{"jsonPath":"$.a","stringValue":"y"}`}, `{"a":"x\ny"}`},
		"an empty text":     {[]string{`{"jsonPath":"$.a","stringValue":""}`}, `{"a":""}`},
		"digits as written": {[]string{`{"jsonPath":"$.a","numberValue":1.0}`}, `{"a":1.0}`},
		"a name in quotes":  {[]string{`{"jsonPath":"$[\"a.b]\"].c","boolValue":false}`}, `{"a.b]":{"c":false}}`},
		"lists of lists":    {[]string{`{"jsonPath":"$.a[0][0]","numberValue":1}`, `{"jsonPath":"$.a[0][1]","numberValue":2}`, `{"jsonPath":"$.a[1]","nullValue":"NULL_VALUE"}`}, `{"a":[[1,2],null]}`},
		"no value":          {[]string{`{"jsonPath":"$.a"}`}, `{"a":null}`},
	} {
		a := &geminiArguments{}
		for _, p := range c.pieces {
			if !a.add(gjson.Parse(p)) {
				t.Errorf("%s: %s is not understood", name, p)
			}
		}
		if got := a.json(); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
	for _, path := range []string{"", "$", "a", "$a", "$.", "$[0]", "$.a[1]", "$[-1]", "$[x]", "$[99999999999999999999]", "$['a]", "$.a[", "$" + strings.Repeat(".a", 1000)} {
		if (&geminiArguments{}).add(gjson.Parse(`{"jsonPath":"` + path + `","stringValue":"x"}`)) {
			t.Errorf("%.40s is taken for a path", path)
		}
	}
}
