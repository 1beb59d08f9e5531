package connect

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

var tableLine = regexp.MustCompile(`^\s*\[`)

// setTOML sets keys above all tables, and one table as a whole. The file is changed line by line, so
// that comments stay, and then read anew: whatever else changed by that, the file is left alone.
func setTOML(old []byte, keys []field, table string, inTable []field) ([]byte, error) {
	before := map[string]any{}
	if err := toml.Unmarshal(old, &before); err != nil {
		return nil, ErrTooUnusual
	}
	top, tables := splitTOML(string(old), table)
	for _, k := range keys {
		there := regexp.MustCompile(`(?m)^\s*` + k.name + `\s*=.*$`)
		line := tomlLine(k)
		if there.MatchString(top) {
			top = there.ReplaceAllLiteralString(top, line)
		} else {
			top = line + "\n" + top
		}
	}
	var own strings.Builder
	fmt.Fprintf(&own, "[%s]\n", table)
	for _, k := range inTable {
		own.WriteString(tomlLine(k) + "\n")
	}
	text := strings.TrimRight(top, "\n") + "\n\n" + own.String()
	if strings.TrimSpace(tables) != "" {
		text = strings.TrimRight(top, "\n") + "\n\n" + strings.TrimRight(tables, "\n") + "\n\n" + own.String()
	}
	return []byte(text), provesTOML(before, text, keys, table, inTable)
}

// splitTOML parts a file into what stands above all tables, and the tables but for one.
func splitTOML(text, without string) (top, tables string) {
	var above, below strings.Builder
	into, skip := &above, false
	for line := range strings.Lines(text) {
		if tableLine.MatchString(line) {
			into = &below
			skip = strings.HasPrefix(strings.TrimSpace(line), "["+without+"]")
		}
		if !skip {
			into.WriteString(line)
		}
	}
	return above.String(), below.String()
}

func tomlLine(f field) string { return fmt.Sprintf("%s = %q", f.name, f.value) }

// provesTOML fails unless the text says what the file said before and the new settings, no more and
// no less.
func provesTOML(want map[string]any, text string, keys []field, table string, inTable []field) error {
	for _, k := range keys {
		want[k.name] = k.value
	}
	parent, name, _ := strings.Cut(table, ".")
	all, ok := want[parent].(map[string]any)
	if !ok {
		all = map[string]any{}
		want[parent] = all
	}
	own := map[string]any{}
	for _, k := range inTable {
		own[k.name] = k.value
	}
	all[name] = own
	got := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
		return ErrTooUnusual
	}
	return nil
}
