package tokens

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// What the parts of a request cost beside their text, in tokens.
const (
	// perRequest and perObject stand for the marks that a vendor puts around messages. OpenAI's are 3 a reply and 3 a
	// message (https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken); keys count as text here, which
	// covers the rest.
	perRequest = 3
	perObject  = 2
)

// Estimate is the cheap figure for a request in any dialect: how many tokens its JSON body is likely to cost as a prompt.
// Keys and values count, the marks of JSON do not; images and files count by rule. It takes any bytes.
func Estimate(body []byte) int64 {
	var c Counter
	fixed := walk(body, func(escaped []byte) {
		c.Break()
		c.addEscaped(escaped)
	})
	return fixed + c.Tokens()
}

// walk calls text for each string of a JSON body, as it stands between its quotes, and returns what the rest costs.
// It is one pass without recursion, and asks of the JSON only that strings end.
func walk(body []byte, text func(escaped []byte)) (fixed int64) {
	fixed = perRequest
	var key, holder []byte // the last key, and the last one that holds a medium
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c == '"':
			end := StringEnd(body, i+1)
			s := body[i+1 : end]
			i = min(end+1, len(body))
			if isKey(body[i:]) {
				key = s
				switch string(key) {
				case "image_url":
					fixed += imageTokens
				case "source", "inlineData", "inline_data", "input_audio":
					holder = key
				}
				text(s)
			} else if cost, ok := medium(holder, key, s); ok {
				fixed += cost
			} else {
				text(s)
			}
		case c == '{':
			fixed += perObject
			i++
		case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			n := literalEnd(body[i:])
			fixed += int64(n+2) / 3
			i += n
		default:
			i++
		}
	}
	return fixed
}

// StringEnd returns where the quote is that ends a JSON string whose text begins at i; the end of the body if there is none.
func StringEnd(body []byte, i int) int {
	for from := i; ; {
		n := bytes.IndexByte(body[from:], '"')
		if n < 0 {
			return len(body)
		}
		quote, back := from+n, 0
		for k := quote - 1; k >= i && body[k] == '\\'; k-- {
			back++
		}
		if back%2 == 0 {
			return quote
		}
		from = quote + 1
	}
}

func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

func literalEnd(b []byte) int {
	for i, c := range b {
		if c == ',' || c == '}' || c == ']' || c == '"' || c <= ' ' {
			return i
		}
	}
	return len(b)
}

// addEscaped takes in the text of a JSON string without decoding it first.
func (c *Counter) addEscaped(s []byte) {
	c.bytes += int64(len(s))
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf && b != '\\' {
			n := smallLetters(s[i+1:])
			if letters := s[i+1 : i+1+n]; b == ' ' && n > 0 && c.last != space {
				c.word(letters)
			} else {
				c.rune(rune(b))
				c.small(letters)
			}
			i += 1 + n
			continue
		}
		r, n := next(s[i:])
		c.rune(r)
		i += n
	}
}

// smallLetters is how many small letters come first. Words are short: eight bytes are looked at at once.
func smallLetters(s []byte) (n int) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s)-n >= 8; n += 8 {
		x := binary.LittleEndian.Uint64(s[n:])
		low := x &^ high
		others := ^((low + (0x80-'a')*each) &^ (low + (0x7f-'z')*each)) | x
		if others &= high; others != 0 {
			return n + bits.TrailingZeros64(others)/8
		}
	}
	for n < len(s) && s[n]-'a' <= 'z'-'a' {
		n++
	}
	return n
}

// next reads one character, which may be escaped, and how many bytes it takes.
func next(s []byte) (rune, int) {
	if s[0] != '\\' || len(s) < 2 {
		return utf8.DecodeRune(s)
	}
	switch s[1] {
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't', 'b', 'f':
		return '\t', 2
	case 'u':
		return unicodeEscape(s)
	}
	return rune(s[1]), 2
}

func unicodeEscape(s []byte) (rune, int) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(s[6:]); ok {
			return utf16.DecodeRune(r, low), 12
		}
	}
	return r, 6
}

// hex4 reads \uXXXX.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || binary.BigEndian.Uint16(s) != '\\'<<8|'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}
