package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// What the dialects read and edit alike is here.

// pick copies the values of the named keys of an object, and refuses a key that stands there twice or in another case. At
// the top of a request, where path is empty, it also refuses what brings further models in.
func pick(object gjson.Result, names []string, values []gjson.Result, path string) (err error) {
	object.ForEach(func(key, value gjson.Result) bool {
		if path == "" {
			if err = oneModel(key.Str, value); err != nil {
				return false
			}
		}
		for i, name := range names {
			if !strings.EqualFold(key.Str, name) {
				continue
			}
			switch {
			case key.Str != name:
				err = invalid(path+name, "Please write the field %q as %q.", key.Str, path+name)
			case values[i].Exists():
				err = invalid(path+name, "The field %q is there twice; please send it once.", path+name)
			}
			values[i] = value
		}
		return err == nil
	})
	return err
}

// absent tells whether a field is missing or null, which mean the same in all dialects.
func absent(v gjson.Result) bool { return v.Type == gjson.Null }

func optionalBool(v gjson.Result, name string) (bool, error) {
	if absent(v) || v.IsBool() {
		return v.Bool(), nil
	}
	return false, invalid(name, "The field %q must be true or false.", name)
}

// optionalCount reads a whole number from 1 to most; 0 when the field is absent.
func optionalCount(v gjson.Result, name string, most int64) (int64, error) {
	if absent(v) {
		return 0, nil
	}
	n, ok := integer(v)
	if !ok || n < 1 || n > most {
		return 0, invalid(name, "The field %q must be a whole number from 1 to %d.", name, most)
	}
	return n, nil
}

// oneReply is what a request asks for in a dialect that gives one reply to each, and its usage in every stream.
func oneReply(model, stream, limit gjson.Result, capField string) (Facts, error) {
	f := Facts{Replies: 1}
	var err error
	if f.Model, err = modelName(model); err != nil {
		return f, err
	}
	if f.Stream, err = optionalBool(stream, "stream"); err != nil {
		return f, err
	}
	f.UsageAsked = f.Stream
	if f.Cap, err = optionalCount(limit, capField, MaxTokens); f.Cap > 0 {
		f.CapField = capField
	}
	return f, err
}

// editOneReply makes the edits to a request of such a dialect.
func editOneReply(body []byte, facts Facts, e Edits, paths capPaths, budget, least int64) ([]byte, error) {
	body, err := setModel(body, "model", facts.Model, e.Model)
	if err != nil || !e.lowers(facts) {
		return body, err
	}
	return setCap(body, paths, e.Cap, budget, least)
}

// lowers tells whether a request needs another cap than its own.
func (e Edits) lowers(f Facts) bool { return e.Cap > 0 && (f.Cap == 0 || f.Cap > e.Cap) }

// modelName reads the name of the model that a body asks for.
func modelName(v gjson.Result) (string, error) {
	if v.Type != gjson.String || v.Str == "" {
		return "", invalid("model", "The field \"model\" must name a model.")
	}
	return v.Str, nil
}

// setModel puts the name that the provider knows the model by, if it is another one.
func setModel(body []byte, path, from, to string) ([]byte, error) {
	if to == "" || to == from {
		return body, nil
	}
	quoted, _ := json.Marshal(to) // a string always marshals
	body, err := sjson.SetRawBytes(body, path, quoted)
	if err != nil {
		return nil, fmt.Errorf("editing the request: %w", err)
	}
	return body, nil
}

// capPaths are where a dialect has the cap of a reply and the budget of the thinking in it.
type capPaths struct{ limit, budget string }

// leastCap is the least cap under which a thinking budget can be lowered to least; 0 = any.
func leastCap(budget, least int64) int64 {
	if budget <= 0 {
		return 0
	}
	return min(budget, least) + 1
}

// setCap writes a cap, and lowers a thinking budget that would not fit under it: to three quarters of the cap, so that
// something is left for the answer.
func setCap(body []byte, paths capPaths, limit, budget, least int64) ([]byte, error) {
	if limit < leastCap(budget, least) {
		return nil, invalid(paths.budget, "The thinking budget cannot be lowered to what is left (%d tokens). Turn thinking off to go on.", limit)
	}
	body, err := sjson.SetBytes(body, paths.limit, limit)
	if err == nil && budget >= limit {
		body, err = sjson.SetBytes(body, paths.budget, max(least, limit-limit/4))
	}
	if err != nil {
		return nil, fmt.Errorf("editing the request: %w", err)
	}
	return body, nil
}
