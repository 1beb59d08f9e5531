package translate

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// A tool that takes free text is a function with one string in the middle form, so that only who reads a caller's request
// and who tells them a reply has to know of it.

// freeParameters is what such a tool is offered with.
var freeParameters = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// freeTool is a tool of free text. A grammar of it becomes a part of its description, as other dialects have no place
// where it would bind.
func freeTool(name, said, space, description, syntax, grammar string) Tool {
	if grammar != "" {
		description = strings.TrimSpace(description + "\n\nThe text in input must follow this " + syntax + " grammar:\n" + grammar)
	}
	return Tool{Name: name, Said: saidUnless(name, said), Space: space, Description: description, Parameters: freeParameters, Free: true}
}

// wrapFree says free text as the arguments of a function.
func wrapFree(text string) string {
	b, _ := marshal(struct { // a string always marshals
		Input string `json:"input"`
	}{text})
	return string(b)
}

// unwrapFree is the free text in arguments.
func unwrapFree(arguments string) string {
	var f freeText
	return f.add(arguments) + f.end()
}

// freeText unwraps arguments that come in pieces.
type freeText struct {
	rest  string // what came and has not been said
	state freeState
}

type freeState int

const (
	freeHead freeState = iota // before the text
	freeBody                  // inside it
	freeDone                  // behind it
	freeOdd                   // not as it was asked for: kept to the end
)

// add takes in a piece, and returns what it says of the text.
func (f *freeText) add(piece string) string {
	f.rest += piece
	if f.state == freeHead {
		f.head()
	}
	if f.state != freeBody {
		return ""
	}
	n, ended := wholeChars(f.rest)
	said := unescaped(f.rest[:n])
	f.rest = f.rest[n:]
	if ended {
		f.state, f.rest = freeDone, ""
	}
	return said
}

// end returns what is still to be said when all has come: the arguments as they are, where the model has not kept to the
// parameters.
func (f *freeText) end() string {
	if f.state != freeHead && f.state != freeOdd {
		return ""
	}
	if wire.Valid([]byte(f.rest)) {
		if v := gjson.Get(f.rest, "input"); v.Type == gjson.String {
			return v.Str
		}
	}
	return f.rest
}

// head looks for the beginning of the text.
func (f *freeText) head() {
	s := f.rest
	for _, token := range []string{"{", `"input"`, ":", `"`} {
		s = strings.TrimLeft(s, " \t\r\n")
		if len(s) < len(token) && strings.HasPrefix(token, s) {
			return // more is to come
		}
		after, ok := strings.CutPrefix(s, token)
		if !ok {
			f.state = freeOdd
			return
		}
		s = after
	}
	f.state, f.rest = freeBody, s
}

// wholeChars tells how many bytes of the inside of a JSON string are whole characters, and whether the string ends there.
func wholeChars(s string) (n int, ended bool) {
	for n < len(s) {
		switch {
		case s[n] == '"':
			return n, true
		case s[n] != '\\':
			n++
		default:
			size := escapeSize(s[n:])
			if n+size > len(s) {
				return n, false
			}
			n += size
		}
	}
	return n, false
}

// escapeSize is how many bytes an escape takes: one of a character above U+FFFF is two in a row.
func escapeSize(s string) int {
	if !strings.HasPrefix(s, `\u`) {
		return 2
	}
	if len(s) < 6 || s[2]|0x20 != 'd' || !strings.ContainsRune("89aAbB", rune(s[3])) {
		return 6
	}
	switch s[6:min(8, len(s))] {
	case "", `\`, `\u`: // the second is there, or is still to come
		return 12
	}
	return 6
}

// unescaped is what whole characters of a JSON string say. Models write strings that are not quite JSON: line breaks as they
// are, and escapes that there are not, which are said as they stand.
func unescaped(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for ; at >= 0; at = strings.IndexByte(s, '\\') {
		out = append(out, s[:at]...)
		n := min(escapeSize(s[at:]), len(s)-at)
		out = appendEscape(out, s[at:at+n])
		s = s[at+n:]
	}
	return string(append(out, s...))
}

// appendEscape appends the character that an escape is.
func appendEscape(out []byte, escape string) []byte {
	if at := strings.IndexByte(`"\/bfnrt`, escape[1]); at >= 0 {
		return append(out, "\"\\/\b\f\n\r\t"[at])
	}
	if escape[1] != 'u' {
		return append(out, escape...)
	}
	var units []uint16
	for at := 2; at < len(escape); at += 6 {
		n, err := strconv.ParseUint(escape[at:at+4], 16, 16)
		if err != nil {
			return append(out, escape...)
		}
		units = append(units, uint16(n))
	}
	return append(out, string(utf16.Decode(units))...)
}
