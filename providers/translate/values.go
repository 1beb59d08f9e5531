package translate

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// str is a string; anything else is refused.
func (r *reading) str(path string, v gjson.Result) string {
	if v.Type != gjson.String {
		r.refuse(path, "it is not a string")
		return ""
	}
	return v.Str
}

// flag is true or false; anything else is refused.
func (r *reading) flag(path string, v gjson.Result) bool {
	if !v.IsBool() {
		r.refuse(path, "it is neither true nor false")
	}
	return v.Bool()
}

// digits is a number as it stands; anything else is refused.
func (r *reading) digits(path string, v gjson.Result) json.Number {
	if v.Type != gjson.Number {
		r.refuse(path, "it is not a number")
		return ""
	}
	return json.Number(v.Raw)
}

// unlessIs is a figure; "" where it is what it is by default.
func unlessIs(usual float64, n json.Number) json.Number {
	if f, err := n.Float64(); err == nil && f == usual {
		return ""
	}
	return n
}

// leaveIf notes a field that is left out, unless its value asks for nothing.
func (r *reading) leaveIf(field string, v gjson.Result) {
	switch {
	case v.Type == gjson.Null, v.Type == gjson.False, v.Type == gjson.String && v.Str == "":
	case v.IsObject() && len(v.Map()) == 0, v.IsArray() && len(v.Array()) == 0:
	default:
		r.leave(field)
	}
}

// asObject is a call's arguments where a dialect wants an object. What is none, as models sometimes write, is put into one
// as it stands.
func asObject(arguments string) json.RawMessage {
	switch trimmed := strings.TrimSpace(arguments); {
	case trimmed == "":
		return json.RawMessage("{}")
	case trimmed[0] == '{':
		if said, ok := wire.Readable([]byte(trimmed)); ok {
			return said
		}
	}
	said, _ := marshal(map[string]string{"arguments": arguments}) // strings always marshal
	return said
}
