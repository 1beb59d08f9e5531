package connect

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"
)

// field is one setting; the name is a path in JSON.
type field struct {
	name  string
	value any
}

// setJSON sets fields in place, so that order, spaces and numbers of the rest stay.
func setJSON(old []byte, fields ...field) ([]byte, error) {
	fresh := len(bytes.TrimSpace(old)) == 0
	text := old
	if fresh {
		text = []byte("{}")
	}
	if !gjson.ValidBytes(text) || !gjson.ParseBytes(text).IsObject() {
		return nil, ErrTooUnusual // with comments, perhaps
	}
	var err error
	for _, f := range fields {
		if text, err = sjson.SetBytes(text, f.name, f.value); err != nil {
			return nil, fmt.Errorf("set %s: %w", f.name, err)
		}
	}
	if fresh {
		text = pretty.Pretty(text)
	}
	return text, nil
}

// setVariables sets variables in a file of NAME=value lines.
func setVariables(old []byte, fields ...field) ([]byte, error) {
	text := string(old)
	for _, f := range fields {
		line := fmt.Sprintf("%s=%v", f.name, f.value)
		there := regexp.MustCompile(`(?m)^\s*(export\s+)?` + regexp.QuoteMeta(f.name) + `\s*=.*$`)
		if there.MatchString(text) {
			text = there.ReplaceAllLiteralString(text, line)
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += line + "\n"
	}
	return []byte(text), nil
}
