package bench

import (
	"testing"

	"perdiem/providers"
	"perdiem/providers/translate"
)

// A word of a reply in each dialect that providers are translated from, the reply begun.
var wordEvents = []struct {
	dialect    providers.Dialect
	begin, say string
}{
	{
		providers.OpenAI,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}`,
	},
	{
		providers.Anthropic,
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}`,
	},
	{
		providers.Gemini,
		`{"candidates":[{"content":{"parts":[{"text":"A"}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}`,
		`{"candidates":[{"content":{"parts":[{"text":" word"}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}`,
	},
}

var requests = map[providers.Dialect]string{
	providers.OpenAI:    `{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`,
	providers.Responses: `{"model":"m","stream":true,"input":"Hi"}`,
	providers.Anthropic: `{"model":"m","stream":true,"max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}`,
	providers.Gemini:    `{"contents":[{"parts":[{"text":"Hi"}]}]}`,
}

// BenchmarkTranslatedEvent is what a translated stream costs more than one that is passed on, an event.
func BenchmarkTranslatedEvent(b *testing.B) {
	for _, from := range wordEvents {
		for caller, request := range requests {
			t, ok := translate.Between(caller, from.dialect)
			if !ok {
				continue
			}
			b.Run(string(from.dialect)+" to "+string(caller), func(b *testing.B) {
				said, err := t.Request([]byte(request), translate.Options{Model: "m", Stream: true, Reply: 100})
				if err != nil {
					b.Fatal(err)
				}
				reply := said.NewReply(translate.ReplyOptions{ID: "req_1", Now: 1})
				reply.Event([]byte(from.begin))
				event := []byte(from.say)
				b.ReportAllocs()
				for b.Loop() {
					if len(reply.Event(event)) == 0 {
						b.Fatal("nothing was said")
					}
				}
			})
		}
	}
}
