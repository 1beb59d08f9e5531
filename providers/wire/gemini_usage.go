package wire

import "github.com/tidwall/gjson"

// geminiUsage gathers Google's figures, which are running totals: of each the last one counts. Zeros are left out of its
// JSON, so that a missing figure says little.
type geminiUsage struct {
	prompt, tools, cached, candidates, thoughts, sum figureSeen
}

// take reads one usageMetadata, and tells whether it was one: it is left out whole if it holds a figure that cannot be true.
func (u *geminiUsage) take(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	next, good := *u, true
	for name, to := range map[string]*figureSeen{
		"promptTokenCount": &next.prompt, "toolUsePromptTokenCount": &next.tools, "cachedContentTokenCount": &next.cached,
		"candidatesTokenCount": &next.candidates, "thoughtsTokenCount": &next.thoughts, "totalTokenCount": &next.sum,
	} {
		if v := v.Get(name); !absent(v) {
			n, ok := figure(v)
			good = good && ok
			*to = figureSeen{n, true}
		}
	}
	if good {
		*u = next
	}
	return good
}

func (u *geminiUsage) input() int64 { return u.prompt.n + u.tools.n }

// total is the usage to book. Where a part of the output is not told apart, the total holds it. Before the end, a total
// that tells no output only means that none was counted yet.
func (u *geminiUsage) total(finished bool) (Usage, bool) {
	told := u.candidates.seen || u.thoughts.seen
	if !told && (!u.sum.seen || !finished) {
		return Usage{}, false
	}
	input, output := u.input(), u.candidates.n+u.thoughts.n
	if !u.candidates.seen || !u.thoughts.seen {
		output = max(output, u.sum.n-input)
	}
	return Usage{Input: input, CachedInput: min(u.cached.n, input), Output: output}, input > 0 && input <= MaxTokens && output <= MaxTokens
}
