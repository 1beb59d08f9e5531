package translate

import (
	"testing"

	"pgregory.net/rapid"
)

// inPieces unwraps arguments cut into pieces at the places given.
func inPieces(arguments string, cuts func(n int) int) (said string) {
	var f freeText
	for rest := arguments; rest != ""; {
		n := cuts(len(rest))
		said += f.add(rest[:n])
		rest = rest[n:]
	}
	return said + f.end()
}

func TestFreeTextComesBackHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a"\\{}:,\n\t😀é ]{0,20}`)).Draw(t, "text")
		// A model writes what characters it likes as escapes.
		arguments := wrapFree(text)
		if rapid.Bool().Draw(t, "escaped") {
			arguments = asciiJSON(arguments)
		}
		if rapid.Bool().Draw(t, "blanks") {
			arguments = " {\n \"input\" : " + arguments[len(`{"input":`):] + "\n"
		}
		if got := unwrapFree(arguments); got != text {
			t.Fatalf("%s whole: got %q, want %q", arguments, got, text)
		}
		cuts := func(n int) int { return rapid.IntRange(1, n).Draw(t, "cut") }
		if got := inPieces(arguments, cuts); got != text {
			t.Fatalf("%s in pieces: got %q, want %q", arguments, got, text)
		}
	})
}

// asciiJSON writes what is beyond ASCII as escapes, in pairs where it takes two.
func asciiJSON(s string) string {
	const hex = "0123456789ABCDEF"
	escape := func(u uint16) string {
		return `\u` + string([]byte{hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15]})
	}
	var out string
	for _, r := range s {
		switch {
		case r < 0x80:
			out += string(r)
		case r < 0x10000:
			out += escape(uint16(r))
		default:
			r -= 0x10000
			out += escape(uint16(0xD800+r>>10)) + escape(uint16(0xDC00+r&0x3FF))
		}
	}
	return out
}

func TestFreeTextThatIsNotAsAskedForIsSaidAsItIs(t *testing.T) {
	for arguments, want := range map[string]string{
		"*** Begin Patch":                "*** Begin Patch",
		`{"patch":"x"}`:                  `{"patch":"x"}`,
		`{"note":1,"input":"x"}`:         "x",
		`{"input":7}`:                    `{"input":7}`,
		`{"input":"x","other":"y"}`:      "x",
		`{"inp`:                          `{"inp`,
		`{"input":"cut off in the mid`:   "cut off in the mid",
		`{"input":"a half pair \ud83d"}`: "a half pair \uFFFD",
		"":                               "",
	} {
		if got := inPieces(arguments, func(int) int { return 1 }); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}

func FuzzFreeText(f *testing.F) {
	f.Add(`{"input":"a\u00e9\ud83d\ude00\n"}`, 3)
	f.Add(`{"input":"\ud83d\"}`, 1)
	f.Fuzz(func(t *testing.T, arguments string, size int) {
		cuts := func(n int) int { return min(n, max(size, 1)) }
		if got, want := inPieces(arguments, cuts), inPieces(arguments, func(n int) int { return n }); got != want {
			t.Fatalf("%q in pieces of %d: got %q, want %q", arguments, size, got, want)
		}
	})
}
