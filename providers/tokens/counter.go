// Package tokens says how many tokens a text or a chat request has, without asking its provider.
//
// There are two answers. Estimate and Counter are cheap: one pass over the characters, by class and run length,
// calibrated on OpenAI's o200k_base so that they hardly ever fall below the true count. Count is exact for OpenAI's
// vocabularies, and costs ten times as much time.
package tokens

import "unicode/utf8"

// class is what a character is to a byte-pair vocabulary: runs of one class become tokens together.
type class uint8

const (
	none class = iota
	space
	newline
	lower
	upper
	digit
	punct
	other // beyond ASCII: each character has its own price
)

// Prices are in sixteenths of a token. The calibration test beside this file says how well they fit.
const (
	token = 16

	wordTail   = 7  // letters of a word that its first token covers
	letterMore = 6  // each letter behind them
	longWord   = 16 // letters after which a word is no word of a language: an id, a compound
	longMore   = 9  // each letter behind them
	upperMore  = 8  // each capital behind the first of a run: such words are rarely in the vocabulary whole
	digits     = 3  // digits that one token holds
	punctMore  = 8  // each other mark behind the first of a run
	quoteMore  = 5  // each mark beside a quotation mark: the vocabulary knows those of JSON and of code
	sameMore   = 2  // each mark that repeats the one before: rules and frames
	spaceMore  = 1  // each blank: the first one is part of the word behind it
	indent     = 12 // the second blank of a run

	mixed      = 4  // changes between small letters, capitals and digits after which a run is base64 or a hash, not a name
	mixedBegin = 15 // each further change
	mixedMore  = 8  // each letter between them
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c == '\n' || c == '\r':
			t[c] = newline
		case c <= ' ' || c == 0x7f:
			t[c] = space
		case c >= 'a' && c <= 'z':
			t[c] = lower
		case c >= 'A' && c <= 'Z':
			t[c] = upper
		case c >= '0' && c <= '9':
			t[c] = digit
		default:
			t[c] = punct
		}
	}
	return t
}()

// Counter estimates the tokens of a text that comes in pieces, such as the deltas of a stream: a word cut in two counts
// once. It keeps no text. The zero value is ready; it is not safe for concurrent use.
type Counter struct {
	bytes int64
	cost  int64 // in sixteenths of a token
	last  class // of the last character
	prev  rune  // the last character
	run   int64 // characters of the current run
	turns int64 // changes of class within letters and digits that nothing parts
}

// Bytes is how many bytes of text were added.
func (c *Counter) Bytes() int64 { return c.bytes }

// Tokens is the estimate for what was added so far, rounded up.
func (c *Counter) Tokens() int64 { return (c.cost + token - 1) / token }

// Break ends the current word: what is added next belongs to another text.
func (c *Counter) Break() { c.last, c.run, c.turns = none, 0, 0 }

// Add takes in the next piece of the text.
func (c *Counter) Add(text string) {
	c.bytes += int64(len(text))
	for _, r := range text {
		c.rune(r)
	}
}

func (c *Counter) rune(r rune) {
	var kind class
	if r < utf8.RuneSelf {
		kind = ascii[r]
	} else {
		cost, inWord := price(r)
		c.cost += cost
		if !inWord {
			c.last, c.run, c.turns = other, 0, 0
			return
		}
		kind = lower
	}
	if kind == lower && c.last == upper {
		c.last = lower // a capital and the small letters behind it are one run
	}
	if kind != c.last {
		c.begin(kind, r)
		c.prev = r
		return
	}
	c.run++
	switch kind {
	case lower, upper:
		c.cost += c.letter(kind)
	case digit:
		if c.run%digits == 1 {
			c.cost += token
		}
	case punct:
		switch {
		case r == c.prev:
			c.cost += sameMore
		case r == '"' || c.prev == '"':
			c.cost += quoteMore
		default:
			c.cost += punctMore
		}
	case space, newline:
		if c.run == 2 {
			c.cost += indent
		}
		c.cost += spaceMore
	}
	c.prev = r
}

// small takes in small letters at once, as most of a text is: the same as rune for each of them.
func (c *Counter) small(letters []byte) {
	if len(letters) == 0 {
		return
	}
	if c.last != lower && c.last != upper {
		c.rune(rune(letters[0]))
		letters = letters[1:]
	}
	n := int64(len(letters))
	if n == 0 {
		return
	}
	if c.turns > mixed {
		c.cost += n * mixedMore
	} else {
		c.cost += tail(c.run+n) - tail(c.run)
	}
	c.last, c.run, c.prev = lower, c.run+n, rune(letters[n-1])
}

// word takes in a blank that follows anything but a blank, and the small letters behind it, at once: the same as rune for
// each of them.
func (c *Counter) word(letters []byte) {
	n := int64(len(letters))
	c.cost += spaceMore + token
	if n > wordTail {
		c.cost += tail(n)
	}
	c.last, c.run, c.turns, c.prev = lower, n, 0, rune(letters[n-1])
}

// tail is what a word of so many letters costs beside its first token.
func tail(run int64) int64 {
	return letterMore*max(min(run, longWord)-wordTail, 0) + longMore*max(run-longWord, 0)
}

// letter is what a letter costs that is not the first of its run.
func (c *Counter) letter(kind class) int64 {
	switch {
	case c.turns > mixed:
		return mixedMore
	case kind == upper:
		return upperMore
	case c.run > longWord:
		return longMore
	case c.run > wordTail:
		return letterMore
	}
	return 0
}

// begin starts a run. A blank between two words is part of the second word's token.
func (c *Counter) begin(kind class, r rune) {
	wordly := kind == lower || kind == upper || kind == digit
	switch {
	case wordly && (c.last == lower || c.last == upper || c.last == digit):
		c.turns++
	case kind == punct && (r == '/' || r == '+' || r == '-' || r == '_'): // the marks of base64
	case !wordly:
		c.turns = 0
	}
	switch {
	case kind == space:
		c.cost += spaceMore
	case wordly && c.turns > mixed:
		c.cost += mixedBegin
	case kind == digit && c.last == space: // a number does not take in the blank before it
		c.cost += 2*token - spaceMore
	default:
		c.cost += token
	}
	c.last, c.run = kind, 1
}
