package wire

import "github.com/tidwall/gjson"

// messagesUsage gathers Anthropic's figures. Of each the last value counts that is neither null nor zero: message_delta
// repeats those of message_start, some servers as zeros.
type messagesUsage struct {
	tokens messagesTokens
	all    messagesTokens // the sum over iterations, where they are given: the plain figures are then the last one's
	final  bool           // the output was told; until then message_start has a placeholder for it
}

type messagesTokens struct{ input, created, read, output int64 }

func (t messagesTokens) usage() (Usage, bool) {
	u := Usage{Input: t.input + t.created + t.read, CachedInput: t.read, WrittenInput: t.created, Output: t.output}
	return u, u.Input > 0 && u.Input <= MaxTokens && u.Output <= MaxTokens
}

// take reads one usage object, and tells whether it told the output; one that holds a figure that cannot be true is left
// out whole. final tells that its output is no placeholder.
func (m *messagesUsage) take(v gjson.Result, final bool) bool {
	if !v.IsObject() {
		return false
	}
	next := m.tokens
	told, good := next.take(v, final)
	all, iterationsGood := sumIterations(v.Get("iterations"))
	if !good || !iterationsGood {
		return false
	}
	m.tokens = next
	m.final = m.final || final && told
	if all != (messagesTokens{}) {
		m.all = all
	}
	return told || m.all != (messagesTokens{})
}

// take reads the figures of one object, and tells whether the output was among them, and whether all can be true.
func (t *messagesTokens) take(v gjson.Result, output bool) (told, good bool) {
	good = true
	read := func(to *int64, name string) bool {
		v := v.Get(name)
		if absent(v) {
			return false
		}
		n, ok := figure(v)
		good = good && ok
		if n > 0 {
			*to = n
		}
		return ok
	}
	read(&t.input, "input_tokens")
	if !read(&t.created, "cache_creation_input_tokens") {
		var minutes, hour int64
		read(&minutes, "cache_creation.ephemeral_5m_input_tokens")
		read(&hour, "cache_creation.ephemeral_1h_input_tokens")
		t.created = max(t.created, minutes+hour)
	}
	read(&t.read, "cache_read_input_tokens")
	if output {
		told = read(&t.output, "output_tokens")
	}
	return told, good
}

// sumIterations adds up what the passes of one reply took: compaction, an advisor, the message itself.
func sumIterations(list gjson.Result) (sum messagesTokens, good bool) {
	good = true
	if !list.IsArray() {
		return sum, true
	}
	list.ForEach(func(_, v gjson.Result) bool {
		var one messagesTokens
		_, ok := one.take(v, true)
		good = good && ok
		sum.input += one.input
		sum.created += one.created
		sum.read += one.read
		sum.output += one.output
		return good && sum.input+sum.created+sum.read <= MaxTokens && sum.output <= MaxTokens
	})
	return sum, good
}

func (m *messagesUsage) total() (Usage, bool) {
	if m.all != (messagesTokens{}) {
		return m.all.usage()
	}
	u, ok := m.tokens.usage()
	return u, ok && m.final
}

func (m *messagesUsage) prompt() (int64, bool) {
	u, ok := m.tokens.usage()
	return u.Input, ok
}
