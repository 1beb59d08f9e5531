package wire

import "github.com/tidwall/gjson"

// chatUsage gathers what was reported; of each figure the last one counts, as totals run.
type chatUsage struct {
	input, cached, output, sum figureSeen
}

type figureSeen struct {
	n    int64
	seen bool
}

// take reads one usage object. One that holds a figure that cannot be true is left out whole.
func (u *chatUsage) take(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	next, good := *u, true
	read := func(to *figureSeen, v gjson.Result) {
		if absent(v) {
			return
		}
		n, ok := figure(v)
		good = good && ok
		*to = figureSeen{n, true}
	}
	read(&next.input, v.Get("prompt_tokens"))
	read(&next.output, v.Get("completion_tokens"))
	read(&next.sum, v.Get("total_tokens"))
	if good {
		*u = next
		u.takeCached(v)
	}
}

// takeCached reads the cached part of the prompt, in OpenAI's, DeepSeek's or Moonshot's words. An odd one is left out.
func (u *chatUsage) takeCached(v gjson.Result) {
	for _, path := range []string{"prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"} {
		if n, ok := figure(v.Get(path)); ok {
			u.cached = figureSeen{n, true}
			return
		}
	}
}

// total is the usage to book. A provider that counts reasoning beside the completion (xAI) shows it in its total alone.
// All zeros is what servers write that do not count.
func (u *chatUsage) total() (Usage, bool) {
	if !u.input.seen || !u.output.seen && !u.sum.seen {
		return Usage{}, false
	}
	total := Usage{Input: u.input.n, Output: max(u.output.n, u.sum.n-u.input.n)}
	if total.Input == 0 && total.Output == 0 {
		return Usage{}, false
	}
	total.CachedInput = min(u.cached.n, total.Input)
	return total, true
}
