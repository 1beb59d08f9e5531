package wire

import (
	"github.com/tidwall/gjson"

	"perdiem/providers/tokens"
)

// delivered counts the output that passed.
type delivered struct {
	count tokens.Counter
	last  source // what the last counted text belonged to
	fixed int64  // tokens of what is no text
	told  int64  // bytes when usage was last reported
}

// vouches tells whether a reported usage may stand for what was delivered. One that more output came after, such as the
// placeholder in a first event, may only where it covers that output, too; none may deny it.
func (d *delivered) vouches(u Usage) bool {
	if d.told < d.bytes() {
		return u.Output >= d.tokens()
	}
	return u.Output > 0 || d.bytes() == 0
}

// tell notes that usage was reported, if it was.
func (d *delivered) tell(reported bool) {
	if reported {
		d.told = d.bytes()
	}
}

// pictureTokens is what an image in a reply counts where its provider does not say. Google's image models name this figure.
// https://ai.google.dev/gemini-api/docs/image-generation
const pictureTokens = 1290

// addPictures counts the images in a list.
func (d *delivered) addPictures(list gjson.Result) {
	if list.IsArray() {
		d.fixed += pictureTokens * int64(len(list.Array()))
	}
}

// source names one run of text: texts of different replies or fields never join to one word.
type source struct {
	index int64
	field string
}

// add counts a text, or a piece of one.
func (d *delivered) add(index int64, field, text string) {
	if text == "" {
		return
	}
	if at := (source{index, field}); at != d.last {
		d.count.Break()
		d.last = at
	}
	d.count.Add(text)
}

// addString counts what v holds if it is a string, and tells whether there was any.
func (d *delivered) addString(index int64, field string, v gjson.Result) bool {
	if v.Type != gjson.String || v.Str == "" {
		return false
	}
	d.add(index, field, v.Str)
	return true
}

// addJSON counts a value as the JSON text that the model wrote, without blanks; nothing for an empty object.
func (d *delivered) addJSON(index int64, field string, v gjson.Result) {
	if v.Exists() && !absent(v) && v.Raw != "{}" {
		d.add(index, field, v.Get("@ugly").Raw)
	}
}

// bytes grows with all that is delivered.
func (d *delivered) bytes() int64  { return d.count.Bytes() + d.fixed }
func (d *delivered) tokens() int64 { return d.count.Tokens() + d.fixed }
