package translate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// reading gathers what is found while a request is translated: the first thing that cannot be carried, and what is left
// out. Once err is set, what is read further does not matter.
type reading struct {
	err   error // *wire.Invalid
	left  []string
	names names // of tools
}

// writing is the same, while a request is written for a provider.
type writing struct{ *reading }

// refuse says that a field cannot be carried, and why: "the model's provider cannot …".
func (r *reading) refuse(field, why string, args ...any) {
	if r.err == nil {
		r.err = &wire.Invalid{Param: field, Message: fmt.Sprintf("%s cannot be used with this model here: %s.", field, fmt.Sprintf(why, args...))}
	}
}

// leave notes a field that is left out, once, as leaving it out does not change what the answer means.
func (r *reading) leave(field string) {
	if !slices.Contains(r.left, field) {
		r.left = append(r.left, field)
	}
}

// fields goes through an object. A field that take does not know is refused by its name, and so is one that is there
// twice, as it would depend on the reader which of them counts; null is as good as absent.
func (r *reading) fields(path string, v gjson.Result, take func(name string, v gjson.Result) (known bool)) {
	if !v.IsObject() {
		r.refuse(orBody(path), "it is not an object")
		return
	}
	var seen []string // few, as any that is not known ends it
	v.ForEach(func(key, v gjson.Result) bool {
		if v.Type == gjson.Null {
			return true
		}
		name := key.String()
		if slices.Contains(seen, name) {
			r.refuse(join(path, name), "it is there twice")
		} else if !take(name, v) {
			r.refuse(join(path, name), "it has no counterpart in the dialect of the model's provider")
		}
		seen = append(seen, name)
		return r.err == nil
	})
}

// items goes through a list, and names each item's place.
func (r *reading) items(path string, v gjson.Result, take func(path string, v gjson.Result)) {
	if !v.IsArray() {
		r.refuse(orBody(path), "it is not a list")
		return
	}
	i := 0
	v.ForEach(func(_, v gjson.Result) bool {
		take(fmt.Sprintf("%s[%d]", path, i), v)
		i++
		return r.err == nil
	})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orBody(path string) string {
	if path == "" {
		return "the body"
	}
	return path
}

// marshal is JSON without the escapes that only HTML wants.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// appendEvent appends one event with v as its data. It names the event where name is not "".
func appendEvent(dst []byte, name string, v any) []byte {
	data, err := marshal(v)
	if err != nil {
		return dst // only for values that are none of ours
	}
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	dst = append(append(dst, "data: "...), data...)
	return append(dst, "\n\n"...)
}
