package translate

import (
	"github.com/tidwall/gjson"

	"perdiem/providers/wire"
)

// messagesFigures gathers Anthropic's figures as they are metered: of each the last value counts that is not zero, as
// message_delta repeats those of message_start, some servers as zeros; where a reply took several passes, their sum.
type messagesFigures struct {
	last, all messagesFigure
}

type messagesFigure struct{ input, created, read, output, thinking int64 }

// take reads a usage object. One with a figure that cannot be true is left out. Until a reply ends, its output is a
// placeholder.
func (f *messagesFigures) take(v gjson.Result, ended bool) {
	last, all := f.last, messagesFigure{}
	good := last.take(v)
	if !ended {
		last.output = 0
	}
	v.Get("iterations").ForEach(func(_, v gjson.Result) bool {
		var one messagesFigure
		good = good && one.take(v)
		all.input += one.input
		all.created += one.created
		all.read += one.read
		all.output += one.output
		return good && all.input+all.created+all.read+all.output <= wire.MaxTokens
	})
	if !good {
		return
	}
	f.last = last
	if all != (messagesFigure{}) {
		f.all = all
	}
}

func (f *messagesFigure) take(v gjson.Result) (good bool) {
	good = true
	for _, field := range []struct {
		name string
		to   *int64
	}{
		{"input_tokens", &f.input},
		{"cache_creation_input_tokens", &f.created},
		{"cache_read_input_tokens", &f.read},
		{"output_tokens", &f.output},
		{"output_tokens_details.thinking_tokens", &f.thinking},
	} {
		switch n := v.Get(field.name).Int(); {
		case n < 0 || n > wire.MaxTokens:
			good = false
		case n > 0:
			*field.to = n
		}
	}
	return good
}

// usage is what was reported; false where nothing was.
func (f *messagesFigures) usage() (Usage, bool) {
	sum := f.last
	if f.all != (messagesFigure{}) {
		sum = f.all
		sum.thinking = f.last.thinking
	}
	return Usage{Input: sum.input + sum.created + sum.read, CacheRead: sum.read, CacheWrite: sum.created, Output: sum.output, Reasoning: sum.thinking},
		sum != (messagesFigure{})
}
