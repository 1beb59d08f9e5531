package wire

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// GeminiCall is what a path of Google's API names: /v1beta/models/{model}:{method}, also under /v1.
// https://ai.google.dev/api/generate-content
type GeminiCall struct {
	Version string // "v1beta" or "v1"
	Model   string // as the caller named it; it may hold slashes and colons
	Method  string // "generateContent", "streamGenerateContent", "countTokens"
	stream  bool
}

// ParseGemini reads the path of a call, unescaped, and its query's alt. The method stands behind the last colon. Without
// alt=sse, streamGenerateContent answers with one JSON array, which is read as a whole body.
func ParseGemini(path, alt string) (GeminiCall, bool) {
	version, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/models/")
	colon := strings.LastIndexByte(rest, ':')
	if !ok || version != "v1" && version != "v1beta" || colon <= 0 || strings.Contains(rest[colon:], "/") {
		return GeminiCall{}, false
	}
	method := rest[colon+1:]
	return GeminiCall{version, rest[:colon], method, method == "streamGenerateContent" && strings.EqualFold(alt, "sse")}, method != ""
}

// Generate is the call that asks for a reply, as a stream of events or whole.
func Generate(stream bool) GeminiCall {
	if stream {
		return GeminiCall{Version: "v1beta", Method: "streamGenerateContent", stream: true}
	}
	return GeminiCall{Version: "v1beta", Method: "generateContent"}
}

// Array tells whether the whole reply is a JSON array, of what would be the events of a stream.
func (c GeminiCall) Array() bool { return c.Method == "streamGenerateContent" && !c.stream }

// Path is the call's path under a provider's base URL, escaped, with the model's name there.
func (c GeminiCall) Path(model string) string {
	parts := strings.Split(model, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return "/" + c.Version + "/models/" + strings.Join(parts, "/") + ":" + c.Method
}

// Wire is the call's wire: its model and whether it is a stream come from the path, all else from the body.
func (c GeminiCall) Wire() Wire { return gemini{c.Model, c.stream, c.Array()} }

type gemini struct {
	model  string
	stream bool
	array  bool // a whole reply is a list
}

// LeastGeminiThinking is a thinking budget that every model takes, in tokens: they begin at 128 or 512.
// https://ai.google.dev/gemini-api/docs/thinking#set-budget
const LeastGeminiThinking = 512

// geminiFields are the guarded values of one body. Google takes its fields in camel case and with underscores.
type geminiFields struct {
	config, limit, candidates, thinking, budget member
	models                                      []rawEdit // the model's name where the body repeats it, by path
}

// member is a field as its sender spelled it.
type member struct {
	key   string // "" = not there
	value gjson.Result
}

// at is a member's path: under its sender's own spelling, or under name.
func (m member) at(name string) string {
	if m.key == "" {
		return name
	}
	return m.key
}

// pickEither finds the named keys of an object in either spelling, and refuses a key that stands there twice or in
// another one.
func pickEither(object gjson.Result, path string, names map[string]*member) (err error) {
	object.ForEach(func(key, value gjson.Result) bool {
		for name, to := range names {
			if !strings.EqualFold(strings.ReplaceAll(key.Str, "_", ""), name) {
				continue
			}
			switch {
			case key.Str != name && key.Str != underscored(name):
				err = invalid(path+name, "Please write the field %q as %q.", key.Str, path+name)
			case to.key != "":
				err = invalid(path+name, "The field %q is there twice; please send it once.", path+name)
			}
			*to = member{key.Str, value}
		}
		return err == nil
	})
	return err
}

// underscored is a name in camel case as protocol buffers write it.
func underscored(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func readGeminiFields(root gjson.Result) (f geminiFields, err error) {
	var model, counted, inner member
	if err = pickEither(root, "", map[string]*member{"generationConfig": &f.config, "model": &model, "generateContentRequest": &counted}); err != nil {
		return f, err
	}
	if f.config.value.IsObject() {
		err = pickEither(f.config.value, "generationConfig.", map[string]*member{
			"maxOutputTokens": &f.limit, "candidateCount": &f.candidates, "thinkingConfig": &f.thinking})
	} else if !absent(f.config.value) {
		err = invalid("generationConfig", "The field \"generationConfig\" must be an object.")
	}
	if err == nil && f.thinking.value.IsObject() {
		err = pickEither(f.thinking.value, "generationConfig.thinkingConfig.", map[string]*member{"thinkingBudget": &f.budget})
	}
	if err == nil && counted.value.IsObject() {
		err = pickEither(counted.value, "generateContentRequest.", map[string]*member{"model": &inner})
	}
	if !absent(model.value) {
		f.models = append(f.models, rawEdit{model.key, model.value.String()})
	}
	if !absent(inner.value) {
		f.models = append(f.models, rawEdit{counted.key + "." + inner.key, inner.value.String()})
	}
	return f, err
}

func (g gemini) Inspect(body []byte) (Facts, error) {
	f := Facts{Model: g.model, Stream: g.stream, UsageAsked: g.stream, Replies: 1} // usage is a part of every stream
	root, err := parse(body)
	if err != nil {
		return f, err
	}
	fields, err := readGeminiFields(root)
	if err != nil {
		return f, err
	}
	return fields.facts(f)
}

func (g geminiFields) facts(f Facts) (Facts, error) {
	for _, m := range g.models {
		if strings.TrimPrefix(m.value, "models/") != strings.TrimPrefix(f.Model, "models/") {
			return f, invalid(m.path, "The field %q names another model than the address.", m.path)
		}
	}
	var err error
	if f.Cap, err = optionalCount(g.limit.value, "generationConfig.maxOutputTokens", MaxTokens); err != nil {
		return f, err
	}
	if f.Cap > 0 {
		f.CapField = g.capPaths().limit
	}
	if n, err := optionalCount(g.candidates.value, "generationConfig.candidateCount", MaxReplies); err != nil {
		return f, err
	} else if n > 0 {
		f.Replies = n
	}
	if v := g.budget.value; !absent(v) {
		n, ok := integer(v)
		if !ok || n < -1 || n > MaxTokens {
			return f, invalid("generationConfig.thinkingConfig.thinkingBudget", "The thinking budget must be a number of tokens, or -1.")
		}
		f.Least = leastCap(n, LeastGeminiThinking)
	}
	return f, nil
}

// capPaths are the paths of cap and thinking budget, as the caller spelled what is there.
func (g geminiFields) capPaths() capPaths {
	config := g.config.at("generationConfig")
	return capPaths{config + "." + g.limit.at("maxOutputTokens"), config + "." + g.thinking.at("thinkingConfig") + "." + g.budget.at("thinkingBudget")}
}

func (g gemini) Edit(body []byte, e Edits) ([]byte, error) {
	fields, err := readGeminiFields(view(body))
	if err != nil {
		return nil, err
	}
	facts, err := fields.facts(Facts{Model: g.model})
	if err != nil {
		return nil, err
	}
	for _, m := range fields.models {
		to := e.Model
		if strings.HasPrefix(m.value, "models/") && to != "" {
			to = "models/" + to
		}
		if body, err = setModel(body, m.path, m.value, to); err != nil {
			return nil, err
		}
	}
	if !e.lowers(facts) {
		return body, nil
	}
	if fields.config.key != "" && absent(fields.config.value) {
		if body, err = sjson.SetRawBytes(body, fields.config.key, []byte("{}")); err != nil {
			return nil, fmt.Errorf("editing the request: %w", err)
		}
	}
	budget, _ := integer(fields.budget.value)
	return setCap(body, fields.capPaths(), e.Cap, budget, LeastGeminiThinking)
}

func (gemini) NewReader(f Facts) Reader {
	return &geminiReader{replies: f.Replies, candidates: make(map[int64]bool, 1)}
}
