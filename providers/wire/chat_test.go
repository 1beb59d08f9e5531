package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInspectReadsWhatARequestAsksFor(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want Facts
	}{
		"the least":             {`{"model":"m"}`, Facts{Model: "m", Replies: 1}},
		"a stream":              {`{"model":"m","stream":true}`, Facts{Model: "m", Stream: true, Replies: 1}},
		"usage asked for":       {`{"stream_options":{"include_usage":true},"model":"m","stream":true}`, Facts{Model: "m", Stream: true, UsageAsked: true, Replies: 1}},
		"usage without stream":  {`{"stream_options":{"include_usage":true},"model":"m"}`, Facts{Model: "m", Replies: 1}},
		"usage refused":         {`{"stream_options":{"include_usage":false},"model":"m","stream":true}`, Facts{Model: "m", Stream: true, Replies: 1}},
		"max_tokens":            {`{"model":"m","max_tokens":5}`, Facts{Model: "m", Cap: 5, CapField: "max_tokens", Replies: 1}},
		"max_completion_tokens": {`{"model":"m","max_completion_tokens":5}`, Facts{Model: "m", Cap: 5, CapField: "max_completion_tokens", Replies: 1}},
		"both: the larger one":  {`{"model":"m","max_tokens":9,"max_completion_tokens":5}`, Facts{Model: "m", Cap: 9, CapField: "max_tokens", Replies: 1}},
		"whole floats":          {`{"model":"m","max_tokens":12.0,"n":1e1}`, Facts{Model: "m", Cap: 12, CapField: "max_tokens", Replies: 10}},
		"nulls are absent":      {`{"model":"m","max_tokens":null,"n":null,"stream":null,"stream_options":null}`, Facts{Model: "m", Replies: 1}},
		"an escaped name":       {`{"model":"caf\u00e9"}`, Facts{Model: "café", Replies: 1}},
		"an escaped key":        {`{"mod\u0065l":"m"}`, Facts{Model: "m", Replies: 1}},
		"no further models":     {`{"model":"m","models":[],"preset":null,"providerOptions":{"openai":{"models":1}}}`, Facts{Model: "m", Replies: 1}},
		"tools of other kinds":  {`{"model":"m","tools":[{"type":"function","function":{"name":"advisor_1"}}],"plugins":[{"id":"web"}]}`, Facts{Model: "m", Replies: 1}},
		"equal keys deeper":     {`{"model":"m","metadata":{"model":"a","model":"b"}}`, Facts{Model: "m", Replies: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Chat.Inspect([]byte(c.body)); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestInspectRefusesWhatCouldMeanSomethingElseUpstream(t *testing.T) {
	deep := strings.Repeat("[", 201) + strings.Repeat("]", 201)
	for name, c := range map[string]struct{ body, param string }{
		"nothing":                  {``, ""},
		"no JSON":                  {`model=m`, ""},
		"cut short":                {`{"model":"m"`, ""},
		"two values":               {`{"model":"m"}{"model":"x"}`, ""},
		"an array":                 {`["model","m"]`, ""},
		"too deep":                 {`{"model":"m","x":` + deep + `}`, ""},
		"deep enough for a crash":  {strings.Repeat("[", 32<<20), ""},
		"no model":                 {`{}`, "model"},
		"model null":               {`{"model":null}`, "model"},
		"model a number":           {`{"model":1}`, "model"},
		"model empty":              {`{"model":""}`, "model"},
		"model twice":              {`{"model":"a","model":"b"}`, "model"},
		"model twice, once null":   {`{"model":null,"model":"b"}`, "model"},
		"model twice, one escaped": {`{"model":"a","mod\u0065l":"b"}`, "model"},
		"model in capitals":        {`{"Model":"a"}`, "model"},
		"model in capitals too":    {`{"model":"a","MODEL":"b"}`, "model"},
		"stream by a long s":       {`{"model":"a","ſtream":true}`, "stream"},
		"stream twice":             {`{"model":"a","stream":false,"stream":true}`, "stream"},
		"stream a string":          {`{"model":"a","stream":"true"}`, "stream"},
		"further models":           {`{"model":"a","models":["b"]}`, "models"},
		"further models, escaped":  {`{"model":"a","model\u0073":["b"]}`, "models"},
		"fallbacks":                {`{"model":"a","fallbacks":[{"model":"b"}]}`, "fallbacks"},
		"fallbacks in capitals":    {`{"model":"a","Fallbacks":"b"}`, "Fallbacks"},
		"further fallbacks":        {`{"model":"a","context_window_fallbacks":[{"a":["b"]}]}`, "context_window_fallbacks"},
		"a preset":                 {`{"model":"a","preset":"big"}`, "preset"},
		"another router":           {`{"model":"a","router_settings_override":{"fallbacks":[{"a":["b"]}]}}`, "router_settings_override"},
		"a gateway's models":       {`{"model":"a","providerOptions":{"gateway":{"models":["b"]}}}`, "providerOptions.gateway.models"},
		"such models, later":       {`{"model":"a","providerOptions":{"gateway":{},"gateway":{"models":[],"models":["b"]}}}`, "providerOptions.gateway.models"},
		"a plugin that asks more":  {`{"model":"a","plugins":[{"id":"web"},{"id":"fusion"}]}`, "plugins[1]"},
		"a tool that asks more":    {`{"model":"a","tools":[{"type":"openrouter:subagent"}]}`, "tools[0]"},
		"a gateway's advisor":      {`{"model":"a","tools":[{"type":"openrouter:advisor"}]}`, "tools[0]"},
		"a gateway's fusion":       {`{"model":"a","tools":[{"type":"openrouter:fusion"}]}`, "tools[0]"},
		"such a tool, escaped":     {`{"model":"a","tools":[{"type":"\u006fpenrouter:\u0066usion"}]}`, "tools[0]"},
		"options twice":            {`{"model":"a","stream_options":{},"stream_options":{}}`, "stream_options"},
		"options a string":         {`{"model":"a","stream_options":"x"}`, "stream_options"},
		"include_usage a string":   {`{"model":"a","stream_options":{"include_usage":"x"}}`, "stream_options.include_usage"},
		"include_usage twice":      {`{"model":"a","stream_options":{"include_usage":false,"include_usage":true}}`, "stream_options.include_usage"},
		"max_tokens twice":         {`{"model":"a","max_tokens":1,"max_tokens":2}`, "max_tokens"},
		"max_tokens escaped":       {`{"model":"a","max_tokens":1,"\u006dax_tokens":2}`, "max_tokens"},
		"max_completion twice":     {`{"model":"a","max_completion_tokens":1,"max_completion_tokens":2}`, "max_completion_tokens"},
		"max negative":             {`{"model":"a","max_tokens":-1}`, "max_tokens"},
		"max zero":                 {`{"model":"a","max_tokens":0}`, "max_tokens"},
		"max a string":             {`{"model":"a","max_tokens":"5"}`, "max_tokens"},
		"max a fraction":           {`{"model":"a","max_tokens":1.5}`, "max_tokens"},
		"max absurd":               {`{"model":"a","max_tokens":1e18}`, "max_tokens"},
		"max beyond a float":       {`{"model":"a","max_tokens":1e999}`, "max_tokens"},
		"n twice":                  {`{"model":"a","n":1,"n":100}`, "n"},
		"n zero":                   {`{"model":"a","n":0}`, "n"},
		"n negative":               {`{"model":"a","n":-3}`, "n"},
		"n absurd":                 {`{"model":"a","n":100000}`, "n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Chat.Inspect([]byte(c.body))
			var bad *Invalid
			if !errors.As(err, &bad) || bad.Param != c.param || bad.Message == "" {
				t.Errorf("got %#v, want *Invalid about %q", err, c.param)
			}
		})
	}
}

func TestInspectNamesTheModelOfARefusedRequestOnlyWithoutDoubt(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","n":0}`: "m", `{"stream":"x","model":"m"}`: "m", `{"model":"m","model":"x"}`: "", `{"model":"m","Model":"x"}`: "", `{"model":"m"`: "",
	} {
		if got, err := Chat.Inspect([]byte(body)); err == nil || got.Model != want {
			t.Errorf("%s: got %q, %v", body, got.Model, err)
		}
	}
}

func TestEditChangesOnlyWhatItMust(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		e    Edits
		want string
	}{
		"the model": {
			`{ "model" : "a/b" , "seed":9007199254740993,"x_v":{"a":[1.0,1e+06]},"s":"\u00e9\/"}`, Edits{Model: "b"},
			`{ "model" : "b" , "seed":9007199254740993,"x_v":{"a":[1.0,1e+06]},"s":"\u00e9\/"}`},
		"the model under an escaped key": {`{"mod\u0065l":"a"}`, Edits{Model: "b"}, `{"mod\u0065l":"b"}`},
		"a model with odd characters":    {`{"model":"a"}`, Edits{Model: "org/n:t@1 \"q\" é"}, `{"model":"org/n:t@1 \"q\" é"}`},
		"a cap of our own":               {`{"model":"m","z":1}`, Edits{Cap: 9, CapField: "max_tokens"}, `{"model":"m","z":1,"max_tokens":9}`},
		"a cap in the caller's field":    {`{"model":"m","max_tokens":10}`, Edits{Cap: 9, CapField: "max_completion_tokens"}, `{"model":"m","max_tokens":9}`},
		"a cap in both fields": {
			`{"max_completion_tokens":20,"model":"m","max_tokens":5}`, Edits{Cap: 9, CapField: "max_tokens"},
			`{"max_completion_tokens":9,"model":"m","max_tokens":5}`},
		"a cap in place of null":    {`{"model":"m","max_tokens":null}`, Edits{Cap: 9, CapField: "max_tokens"}, `{"model":"m","max_tokens":9}`},
		"asking for usage":          {`{"model":"m","stream":true}`, Edits{AskUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
		"usage beside other wishes": {`{"model":"m","stream":true,"stream_options":{"a":1}}`, Edits{AskUsage: true}, `{"model":"m","stream":true,"stream_options":{"a":1,"include_usage":true}}`},
		"usage against the wish":    {`{"model":"m","stream":true,"stream_options":{"include_usage":false}}`, Edits{AskUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
		"usage in place of null":    {`{"model":"m","stream":true,"stream_options":null}`, Edits{AskUsage: true}, `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
		"all at once": {
			`{"stream":true,"model":"m","max_tokens":100}`, Edits{Model: "x", Cap: 7, CapField: "max_tokens", AskUsage: true},
			`{"stream":true,"model":"x","max_tokens":7,"stream_options":{"include_usage":true}}`},
		"spaces around": {" \n{\"model\":\"m\"}\n ", Edits{Model: "x"}, " \n{\"model\":\"x\"}\n "},
	} {
		t.Run(name, func(t *testing.T) {
			before := []byte(c.body)
			got, err := Chat.Edit(before, c.e)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
			if string(before) != c.body {
				t.Errorf("the caller's own bytes were changed: %s", before)
			}
		})
	}
}

func TestEditReturnsTheSameBytesWhenThereIsNothingToChange(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		e    Edits
	}{
		"no edits":            {`{"model":"m"}`, Edits{}},
		"the model is right":  {`{"model":"m"}`, Edits{Model: "m"}},
		"the cap is smaller":  {`{"model":"m","max_tokens":5}`, Edits{Cap: 9, CapField: "max_tokens"}},
		"the cap is equal":    {`{"model":"m","max_tokens":9.0}`, Edits{Cap: 9, CapField: "max_tokens"}},
		"usage without":       {`{"model":"m"}`, Edits{AskUsage: true}},
		"usage, stream false": {`{"model":"m","stream":false}`, Edits{AskUsage: true}},
		"usage asked already": {`{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, Edits{AskUsage: true}},
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(c.body)
			got, err := Chat.Edit(body, c.e)
			if err != nil || &got[0] != &body[0] || len(got) != len(body) {
				t.Errorf("got %s, %v; want the same slice", got, err)
			}
		})
	}
}

// Whatever else a request holds, an edit keeps every other member as it was, byte for byte and in order.
func TestEditKeepsEveryOtherMember(t *testing.T) {
	values := []string{`1.0`, `-0`, `1e+06`, `9007199254740993`, `"a\u00e9\/\"b"`, `null`, `[ {"model":"x","n":2} , [] ]`, `{"max_tokens": 3}`, `"中 😀"`}
	keys := []string{"seed", "a.b", "messages", `x\"y`, "MO", "*", "é", "0", "stream_option"}
	rapid.Check(t, func(t *rapid.T) {
		members := []string{`"model":"m"`, `"stream":true`}
		if rapid.Bool().Draw(t, "capped") {
			members = append(members, fmt.Sprintf(`"max_tokens":%d`, rapid.IntRange(1, 99).Draw(t, "cap")))
		}
		var others []string
		for i, key := range rapid.SliceOfDistinct(rapid.SampledFrom(keys), rapid.ID).Draw(t, "keys") {
			value := rapid.SampledFrom(values).Draw(t, fmt.Sprint("value", i))
			others = append(others, `"`+key+`": `+value)
		}
		members = rapid.Permutation(append(members, others...)).Draw(t, "members")
		body := "{" + strings.Join(members, " , ") + "}"
		limit := rapid.Int64Range(1, 99).Draw(t, "limit")

		got, err := Chat.Edit([]byte(body), Edits{Model: "other", Cap: limit, CapField: "max_tokens", AskUsage: true})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, m := range members {
			if m[1] != 'm' || !strings.HasPrefix(m, `"model"`) && !strings.HasPrefix(m, `"max_tokens"`) {
				i := bytes.Index(got[at:], []byte(m))
				if i < 0 {
					t.Fatalf("%s lost or moved in\n%s\nfrom\n%s", m, got, body)
				}
				at += i + len(m)
			}
		}
		facts, err := Chat.Inspect(got)
		if err != nil || facts.Model != "other" || facts.Cap < 1 || facts.Cap > limit || !facts.UsageAsked {
			t.Fatalf("%s means %+v, %v", got, facts, err)
		}
	})
}

func BenchmarkInspectAndEdit(b *testing.B) {
	body := []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("word \\n", 8000) + `"}],"model":"a/b","stream":true}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Chat.Inspect(body); err != nil {
			b.Fatal(err)
		}
		if _, err := Chat.Edit(body, Edits{Model: "b", Cap: 100, CapField: "max_tokens", AskUsage: true}); err != nil {
			b.Fatal(err)
		}
	}
}
