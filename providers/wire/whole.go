package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

var errNoWhole = errors.New("the provider's stream cannot be made one reply")

// objectsOf are the objects in the data of events; [DONE] and the like are left out.
func objectsOf(events [][]byte) (all []map[string]any) {
	for _, data := range events {
		b, ok := Readable(data)
		if !ok {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber() // digits stay as they are
		var o map[string]any
		if dec.Decode(&o) == nil && o != nil {
			all = append(all, o)
		}
	}
	return all
}

// wholeJSON is what was put together, as a body.
func wholeJSON(o map[string]any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(o)
	return b.Bytes(), err
}

// text is a string that came in pieces.
type text struct{ strings.Builder }

func (t *text) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// once are the strings that are told whole, by some servers in every piece.
var once = map[string]bool{"role": true, "id": true, "type": true, "finish_reason": true, "native_finish_reason": true}

// overlay puts fields in place of those before; null wipes nothing.
func overlay(to, fields map[string]any) {
	for name, v := range fields {
		if _, told := to[name]; v != nil || !told {
			to[name] = v
		}
	}
}

// grow adds a piece of an object to those before: strings and lists go on, objects grow, all else is told anew.
func grow(to, piece map[string]any) {
	for name, v := range piece {
		if v == "" && to[name] != nil {
			continue // a piece without a word, also of what comes in lists
		}
		switch old := to[name].(type) {
		case string:
			if more, ok := v.(string); ok && !once[name] {
				t := &text{}
				t.WriteString(old)
				t.WriteString(more)
				v = t
			}
		case *text:
			if more, ok := v.(string); ok {
				old.WriteString(more)
				v = old
			}
		case map[string]any:
			if more, ok := v.(map[string]any); ok {
				grow(old, more)
				v = old
			}
		case []any:
			if more, ok := v.([]any); ok {
				v = growList(old, more)
			}
		}
		overlay(to, map[string]any{name: v})
	}
}

// growList adds entries to a list; those with an index that is there already grow that one.
func growList(list, more []any) []any {
	for _, v := range more {
		if old := entryOf(list, v); old != nil {
			grow(old, v.(map[string]any))
		} else {
			list = append(list, v)
		}
	}
	return list
}

// entryOf is the object in a list that has the same index as v.
func entryOf(list []any, v any) map[string]any {
	piece, _ := v.(map[string]any)
	index, ok := piece["index"].(json.Number)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(list, func(entry any) bool {
		o, ok := entry.(map[string]any)
		return ok && o["index"] == index
	})
	if at < 0 {
		return nil
	}
	return list[at].(map[string]any)
}

// indexed gives the objects of a list an index of 0 where they have none.
func indexed(v any) []any {
	list, _ := v.([]any)
	for _, entry := range list {
		if o, ok := entry.(map[string]any); ok && o["index"] == nil {
			o["index"] = json.Number("0")
		}
	}
	return list
}
