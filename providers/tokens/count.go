package tokens

import (
	"strings"
	"sync"

	"github.com/tidwall/gjson"
	"github.com/tiktoken-go/tokenizer"
)

// marginPercent is added to exact counts: vendors other than OpenAI have vocabularies of their own, and what a vendor
// writes around tools and messages is not published.
const marginPercent = 20

// exactBytes bounds how much text of one request is counted exactly, at some 15 MB a second; what is beyond is estimated.
const exactBytes = 1 << 20

// The vocabularies are embedded; each takes some 7 MB and 10 ms once it is used.
var (
	o200k  = sync.OnceValue(func() tokenizer.Codec { return load(tokenizer.O200kBase) })
	cl100k = sync.OnceValue(func() tokenizer.Codec { return load(tokenizer.Cl100kBase) })
)

func load(name tokenizer.Encoding) tokenizer.Codec {
	codec, err := tokenizer.Get(name)
	if err != nil {
		panic("tokens: an embedded vocabulary is missing: " + err.Error())
	}
	return codec
}

// Count counts the text of a chat request's JSON body with the vocabulary of its model, and adds what Estimate adds for
// structure, images and files, and a margin. It takes any bytes.
func Count(body []byte, model string) int64 {
	codec := vocabulary(model)
	var exact int64
	var beyond Counter
	left := exactBytes
	fixed := walk(body, func(escaped []byte) {
		if len(escaped) > left {
			beyond.Break()
			beyond.addEscaped(escaped)
			return
		}
		left -= len(escaped)
		exact += count(codec, unescape(escaped))
	})
	text := exact + beyond.Tokens()
	return fixed + text + (text*marginPercent+99)/100
}

// CountText counts one text exactly, without a margin.
func CountText(text, model string) int64 { return count(vocabulary(model), text) }

func count(codec tokenizer.Codec, text string) int64 {
	n, err := codec.Count(text)
	if err != nil { // only where the text cannot be split, which the estimate does not mind
		var c Counter
		c.Add(text)
		return c.Tokens()
	}
	return int64(n)
}

func unescape(escaped []byte) string {
	if !strings.Contains(string(escaped), `\`) {
		return string(escaped)
	}
	return gjson.Parse(`"` + string(escaped) + `"`).String()
}

// vocabulary is the one that OpenAI's model uses: cl100k_base up to GPT-4 Turbo, o200k_base since. For models of others
// o200k_base is the nearest.
func vocabulary(model string) tokenizer.Codec {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if name == "gpt-4" || strings.HasPrefix(name, "gpt-4-") || strings.HasPrefix(name, "gpt-3.5") {
		return cl100k()
	}
	return o200k()
}
