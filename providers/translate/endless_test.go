package translate

import (
	"fmt"
	"strings"
	"testing"

	"perdiem/providers"
)

// A provider that calls tools without an end keeps the processor no longer than it takes to read what it sends: each piece
// is told, and what waits is looked through, a bounded number of times.
func TestCallsWithoutAnEndEndTheReply(t *testing.T) {
	const many = 20_000
	chatDelta := func(call string) string {
		return `{"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}`
	}
	for name, c := range map[string]struct {
		provider providers.Dialect
		event    func(i int) string
	}{
		"none is ever whole": {providers.OpenAI, func(i int) string {
			return chatDelta(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{"}}`, i, i))
		}},
		"each is whole": {providers.OpenAI, func(i int) string {
			return chatDelta(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}`, i, i))
		}},
		"pieces wait for the first": {providers.OpenAI, func(i int) string {
			if i < 2 {
				return chatDelta(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{"}}`, i, i))
			}
			return chatDelta(strings.TrimSuffix(strings.Repeat(`{"index":1,"function":{"arguments":"1"}},`, 8), ","))
		}},
		"Anthropic's": {providers.Anthropic, func(i int) string {
			return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"c%d","name":"f","input":{}}}`, i, i)
		}},
		"Google's": {providers.Gemini, func(int) string {
			return `{"candidates":[{"index":0,"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}`
		}},
	} {
		for _, caller := range []providers.Dialect{providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini} {
			if caller == c.provider {
				continue
			}
			t.Run(name+" for "+string(caller), func(t *testing.T) {
				translation, ok := Between(caller, c.provider)
				if !ok {
					t.Fatal("there is no translation")
				}
				r := Said{translation: translation, request: &Request{}}.NewReply(ReplyOptions{ID: "x"})
				for i := range many {
					r.Event([]byte(c.event(i)))
				}
				r.Close()
				if r.Failure() == nil {
					t.Error("it has no end")
				}
			})
		}
	}
}
