package wire

import "github.com/tidwall/gjson"

// usageWords are the names that a wire gives its figures.
type usageWords struct {
	input, output, sum string
	cached             []string // where the cached part of the input may stand
}

// The words of OpenAI's APIs: chat completions and what is as old, responses and what is newer.
var (
	chatWords = usageWords{"prompt_tokens", "completion_tokens", "total_tokens",
		[]string{"prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"}} // OpenAI's, DeepSeek's, Moonshot's
	responsesWords = usageWords{"input_tokens", "output_tokens", "total_tokens",
		[]string{"input_tokens_details.cached_tokens", "input_token_details.cached_tokens"}}
)

// reported gathers what was reported; of each figure the last one counts, as totals run.
type reported struct {
	input, cached, output, sum figureSeen
}

type figureSeen struct {
	n    int64
	seen bool
}

// take reads one usage object, and tells whether it was one: it is left out whole if it holds a figure that cannot be
// true, or none but zeros, which is what servers write that do not count.
func (u *reported) take(v gjson.Result, words usageWords) bool {
	if !v.IsObject() {
		return false
	}
	next, good, some := *u, true, false
	read := func(to *figureSeen, name string) {
		v := v.Get(name)
		if absent(v) {
			return
		}
		n, ok := figure(v)
		good, some = good && ok, some || n > 0
		*to = figureSeen{n, true}
	}
	read(&next.input, words.input)
	read(&next.output, words.output)
	read(&next.sum, words.sum)
	if !good || !some {
		return false
	}
	*u = next
	for _, path := range words.cached { // an odd one is left out
		if n, ok := figure(v.Get(path)); ok {
			u.cached = figureSeen{n, true}
			break
		}
	}
	return true
}

// total is the usage to book. A provider that counts reasoning beside the completion (xAI) shows it in its total alone, and
// one that leaves the input out (Voyage) shows that there, too.
func (u *reported) total() (Usage, bool) {
	input := u.input.n
	if !u.input.seen && u.output.seen {
		input = u.sum.n - u.output.n
	}
	if input <= 0 && !u.input.seen || !u.output.seen && !u.sum.seen {
		return Usage{}, false
	}
	total := Usage{Input: input, Output: max(u.output.n, u.sum.n-input)}
	total.CachedInput = min(u.cached.n, total.Input)
	return total, true
}

// prompt is the input alone, which some providers tell before the output is known.
func (u *reported) prompt() (int64, bool) { return u.input.n, u.input.n > 0 }
