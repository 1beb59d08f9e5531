package tokens

import "unicode/utf8"

// script is a range of characters that cost about the same, in sixteenths of a token each, in o200k_base.
type script struct {
	last  rune  // the range ends here, inclusive; it begins behind the one before
	price int64 // negative for letters of ordinary words: the price on top of the word's
}

// scripts are in order of code points. The figures are means of running text, rounded up; scripts that the vocabulary
// knows well cost a quarter token a letter, those it does not know up to a token a byte.
var scripts = []script{
	{0x00bf, 20},  // signs of Latin-1
	{0x00ff, -10}, // Latin with accents, west
	{0x02af, -30}, // Latin with accents, east
	{0x036f, 12},  // combining marks
	{0x03ff, 8},   // Greek
	{0x052f, 6},   // Cyrillic
	{0x058f, 7},   // Armenian
	{0x05ff, 8},   // Hebrew
	{0x077f, 6},   // Arabic
	{0x08ff, 24},
	{0x0dff, 7},  // Devanagari to Sinhala
	{0x0e7f, 8},  // Thai
	{0x0eff, 16}, // Lao
	{0x0fff, 28}, // Tibetan
	{0x109f, 14}, // Myanmar
	{0x10ff, 7},  // Georgian
	{0x11ff, 24}, // Hangul in pieces
	{0x139f, 36}, // Ethiopic
	{0x177f, 40},
	{0x17ff, 12}, // Khmer
	{0x1dff, 40},
	{0x1eff, -6}, // Vietnamese
	{0x1fff, 20}, // Greek with old accents
	{0x206f, 16}, // dashes, quotation marks, joiners
	{0x218f, 24}, // superscripts, letters with a meaning
	{0x22ff, 26}, // arrows and mathematics
	{0x24ff, 32},
	{0x259f, 14}, // boxes
	{0x27bf, 26}, // signs and dingbats
	{0x2fff, 40},
	{0x303f, 14}, // CJK punctuation
	{0x30ff, 14}, // kana
	{0x33ff, 32},
	{0x4dbf, 48}, // rare Han
	{0x9fff, 14}, // Han
	{0xabff, 44},
	{0xd7af, 14}, // Hangul
	{0xfaff, 44},
	{0xfe0f, 16}, // variation selectors
	{0xfeff, 40},
	{0xffef, 18},  // full-width forms
	{0xffff, 48},  // also what stands for bytes that are no character
	{0x1f0ff, 56}, // old scripts, mathematical letters
	{0x1f1ff, 36}, // flags
	{0x1f6ff, 28}, // emoji
	{0x1faff, 34}, // later emoji
	{utf8.MaxRune, 60},
}

// price is what one character beyond ASCII costs, and whether it is a letter inside ordinary words, whose price comes
// on top of the word's.
func price(r rune) (cost int64, inWord bool) {
	lo, hi := 0, len(scripts)-1
	for lo < hi {
		if mid := (lo + hi) / 2; scripts[mid].last < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if p := scripts[lo].price; p < 0 {
		return -p, true
	}
	return scripts[lo].price, false
}
