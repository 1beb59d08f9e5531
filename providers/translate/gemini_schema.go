package translate

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// appendSchema appends Google's own kind of schema, a part of OpenAPI 3.0's, as a JSON schema: types are in lower case,
// what may be null says so in its type, and lengths are numbers. https://ai.google.dev/api/caching#Schema
// What it has of JSON Schema already stays as it is, in its order.
func appendSchema(dst []byte, v gjson.Result) []byte {
	if !v.IsObject() {
		return append(dst, v.Raw...)
	}
	nullable := v.Get("nullable").Bool()
	return appendFields(dst, v, func(dst []byte, key, v gjson.Result) []byte {
		name := camel(key.Str)
		switch name {
		case "nullable", "propertyOrdering":
			return dst
		case "type":
			return appendType(dst, v, nullable)
		case "format":
			if v.Str == "enum" {
				return dst
			}
		case "example":
			return append(append(append(dst, `"examples":[`...), v.Raw...), ']')
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			if n, err := strconv.ParseUint(v.Str, 10, 63); err == nil { // as protocol buffers write 64 bits in JSON
				return strconv.AppendUint(appendKey(dst, name), n, 10)
			}
			return append(appendKey(dst, name), v.Raw...)
		case "enum":
			return appendList(appendKey(dst, name), v, orNull(nullable, "null"), appendRaw)
		case "anyOf":
			return appendList(appendKey(dst, name), v, orNull(nullable, `{"type":"null"}`), appendSchema)
		case "oneOf", "allOf", "prefixItems":
			return appendList(appendKey(dst, name), v, "", appendSchema)
		case "properties", "$defs", "defs":
			return appendMap(append(append(dst, key.Raw...), ':'), v)
		case "items", "additionalProperties":
			return appendSchema(appendKey(dst, name), v)
		}
		return append(append(append(dst, key.Raw...), ':'), v.Raw...)
	})
}

func appendType(dst []byte, v gjson.Result, nullable bool) []byte {
	name := strings.ToLower(v.Str)
	switch {
	case v.Type != gjson.String:
		return append(appendKey(dst, "type"), v.Raw...)
	case name == "type_unspecified":
		return dst
	}
	quoted, _ := marshal(name) // a string always marshals
	if !nullable || name == "null" {
		return append(appendKey(dst, "type"), quoted...)
	}
	return append(append(append(appendKey(dst, "type"), '['), quoted...), `,"null"]`...)
}

func orNull(nullable bool, null string) string {
	if nullable {
		return null
	}
	return ""
}

func appendKey(dst []byte, name string) []byte {
	return append(append(append(dst, '"'), name...), `":`...)
}

func appendRaw(dst []byte, v gjson.Result) []byte { return append(dst, v.Raw...) }

// appendFields appends an object with those of its fields that one appends something for.
func appendFields(dst []byte, v gjson.Result, one func(dst []byte, key, v gjson.Result) []byte) []byte {
	dst = append(dst, '{')
	first := len(dst)
	v.ForEach(func(key, v gjson.Result) bool {
		before := len(dst)
		if before > first {
			dst = append(dst, ',')
		}
		n := len(dst)
		if dst = one(dst, key, v); len(dst) == n {
			dst = dst[:before]
		}
		return true
	})
	return append(dst, '}')
}

// appendMap appends an object of schemas; one that is none as it is.
func appendMap(dst []byte, v gjson.Result) []byte {
	if !v.IsObject() {
		return append(dst, v.Raw...)
	}
	return appendFields(dst, v, func(dst []byte, key, v gjson.Result) []byte {
		return appendSchema(append(append(dst, key.Raw...), ':'), v)
	})
}

// appendList appends a list, and more as its last item if that is not "".
func appendList(dst []byte, v gjson.Result, more string, one func([]byte, gjson.Result) []byte) []byte {
	if !v.IsArray() {
		return append(dst, v.Raw...)
	}
	dst = append(dst, '[')
	first := len(dst)
	v.ForEach(func(_, v gjson.Result) bool {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = one(dst, v)
		return true
	})
	if more != "" {
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(dst, more...)
	}
	return append(dst, ']')
}
