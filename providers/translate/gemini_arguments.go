package translate

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// geminiArguments are the arguments of one call, whole or in pieces. Each piece says by a path where in the arguments its
// value stands; a text comes in several. https://ai.google.dev/api/caching#FunctionCall
type geminiArguments struct {
	number int
	proof  Proof
	whole  string
	root   geminiArgument
}

// geminiArgument is a value that is being put together.
type geminiArgument struct {
	fields []geminiField     // of an object
	items  []*geminiArgument // of a list
	text   []byte            // of a string
	raw    string            // of anything else
	isText bool
}

type geminiField struct {
	name  string
	value *geminiArgument
}

// maxArgumentDepth bounds how deep paths go, as their values are written with recursion.
const maxArgumentDepth = 100

// json is the arguments, as far as they came.
func (a *geminiArguments) json() string {
	switch {
	case len(a.root.fields) > 0:
		return string(a.root.append(nil))
	case a.whole != "":
		return a.whole
	}
	return "{}"
}

// add takes in one piece; false where its path is not understood.
func (a *geminiArguments) add(v gjson.Result) bool {
	rest, ok := strings.CutPrefix(v.Get("jsonPath").String(), "$")
	if !ok || rest == "" {
		return false
	}
	at := &a.root
	for depth := 0; rest != ""; depth++ {
		if at, rest = at.step(rest); at == nil || depth == maxArgumentDepth || a.root.items != nil {
			return false
		}
	}
	switch text := v.Get("stringValue"); {
	case text.Exists():
		at.text, at.isText = append(at.text, text.String()...), true
	case v.Get("numberValue").Type == gjson.Number:
		at.raw = v.Get("numberValue").Raw
	case v.Get("boolValue").IsBool():
		at.raw = v.Get("boolValue").Raw
	case v.Get("nullValue").Exists():
		at.raw = "null"
	}
	return true
}

// step goes one step of a path: .name, ['name'] or [0]. It makes what is not there yet; nil for a path that is none.
func (a *geminiArgument) step(path string) (next *geminiArgument, rest string) {
	if after, ok := strings.CutPrefix(path, "."); ok {
		end := strings.IndexAny(after, ".[")
		if end < 0 {
			end = len(after)
		}
		return a.field(after[:end]), after[end:]
	}
	inside, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if !ok || path[0] != '[' {
		return nil, ""
	}
	if quote := inside[:min(1, len(inside))]; quote == "'" || quote == `"` {
		name, rest, ok := strings.Cut(path[2:], quote+"]")
		if !ok {
			return nil, ""
		}
		return a.field(name), rest
	}
	return a.item(inside), rest
}

func (a *geminiArgument) field(name string) *geminiArgument {
	if name == "" || a.items != nil {
		return nil
	}
	for _, f := range a.fields {
		if f.name == name {
			return f.value
		}
	}
	f := geminiField{name, &geminiArgument{}}
	a.fields = append(a.fields, f)
	return f.value
}

// item is one of a list, or the one behind its last: a list has no gaps.
func (a *geminiArgument) item(index string) *geminiArgument {
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 || n > len(a.items) || a.fields != nil {
		return nil
	}
	if n == len(a.items) {
		a.items = append(a.items, &geminiArgument{})
	}
	return a.items[n]
}

func (a *geminiArgument) append(dst []byte) []byte {
	switch {
	case a.fields != nil:
		dst = append(dst, '{')
		for i, f := range a.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.value.append(append(appendString(dst, f.name), ':'))
		}
		return append(dst, '}')
	case a.items != nil:
		dst = append(dst, '[')
		for i, item := range a.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	case a.isText:
		return appendString(dst, string(a.text))
	case a.raw != "":
		return append(dst, a.raw...)
	}
	return append(dst, "null"...)
}

func appendString(dst []byte, s string) []byte {
	quoted, _ := marshal(s) // a string always marshals
	return append(dst, quoted...)
}
