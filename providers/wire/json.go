package wire

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"

	"perdiem/providers/tokens"
)

// maxDepth bounds how deep JSON may nest. Parsers recurse; without a bound, some megabytes of "[" end the process,
// since a Go stack overflow cannot be recovered from.
const maxDepth = 200

// parse returns the JSON object in b, after checking that it is one; gjson itself does not check what it reads.
func parse(b []byte) (gjson.Result, error) {
	if tooDeep(b) {
		return gjson.Result{}, invalid("", "The body's JSON is nested more than %d levels deep.", maxDepth)
	}
	if !gjson.ValidBytes(b) {
		return gjson.Result{}, errNotJSON
	}
	return object(b)
}

func object(b []byte) (gjson.Result, error) {
	root := view(b)
	if !root.IsObject() {
		return gjson.Result{}, invalid("", "The body must be a JSON object.")
	}
	return root, nil
}

// view parses JSON where it lies, as a copy of each event and of each request would cost more than all the rest. What is
// kept of an event longer than the event must be cloned: see keep.
func view(b []byte) gjson.Result { return gjson.Parse(unsafe.String(unsafe.SliceData(b), len(b))) }

var errNotJSON = invalid("", "The body is not valid JSON.")

// parseReply is parse for what a provider sent.
func parseReply(b []byte) (gjson.Result, error) {
	b, ok := Readable(b)
	if !ok {
		return gjson.Result{}, errNotJSON
	}
	return object(b)
}

// Readable is a provider's JSON as it may be parsed. Some send what is none to the letter; a caller's own parser may take
// it, and it is billed.
func Readable(b []byte) ([]byte, bool) {
	if tooDeep(b) {
		return nil, false
	}
	if gjson.ValidBytes(b) {
		return b, true
	}
	b = mended(b)
	return b, gjson.ValidBytes(b)
}

// Valid tells whether a provider's bytes are JSON that may be parsed, as its readers take it: gjson's own check recurses,
// and some megabytes of "[" would end the process.
func Valid(b []byte) bool {
	_, ok := Readable(b)
	return ok
}

// mended is b without a byte order mark, with 0 for NaN and Infinity, which Python writes, and with blanks for control
// characters in strings.
func mended(b []byte) []byte {
	b = bytes.Clone(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	inString := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString && c < ' ':
			b[i] = ' '
		case inString:
		case bytes.HasPrefix(b[i:], []byte("NaN")):
			copy(b[i:], "0  ")
		case bytes.HasPrefix(b[i:], []byte("Infinity")):
			copy(b[i:], "0       ")
		}
	}
	return b
}

// tooDeep tells whether brackets nest above maxDepth, in one pass and without recursion.
func tooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = tokens.StringEnd(b, i+1)
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// integer reads a whole number in digits as they stand (12, 12.0, 1.2e1), without going through a float where it need
// not. False for anything else, and for what an int64 does not hold.
func integer(v gjson.Result) (int64, bool) {
	if v.Type != gjson.Number {
		return 0, false
	}
	return wholeNumber(v.Raw)
}

func wholeNumber(digits string) (int64, bool) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// figure reads a token count out of a reply, leniently: some servers write numbers as strings.
func figure(v gjson.Result) (int64, bool) {
	digits := v.Raw
	if v.Type == gjson.String {
		digits = strings.TrimSpace(v.Str)
	} else if v.Type != gjson.Number {
		return 0, false
	}
	n, ok := wholeNumber(digits)
	return n, ok && n >= 0 && n <= MaxTokens
}
