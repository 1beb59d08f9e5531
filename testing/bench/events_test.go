package bench

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/testing/harness"
)

// streams answers every call with a stream of so many events, which are made once and cost nothing.
type streams struct{ body []byte }

func streamOf(begin, event, end string, events int) streams {
	return streams{[]byte(begin + strings.Repeat(event, events) + end)}
}

func (s streams) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(s.body)),
	}, nil
}

// BenchmarkRelayedEvent is what one event more of a stream costs, in time and in allocations of the whole process: the
// difference between long streams and short ones.
func BenchmarkRelayedEvent(b *testing.B) {
	const short, long = 100, 2_100
	for _, c := range []struct{ name, path, body, begin, event, end string }{
		{
			"chat", "/v1/chat/completions", `{"model":"fake/m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, "",
			`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n",
			`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}` + "\n\ndata: [DONE]\n\n",
		},
		{
			"responses", "/v1/responses", `{"model":"fake/m","stream":true,"input":"Hi"}`,
			`data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}` + "\n\n",
			`data: {"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":" word","sequence_number":4}` + "\n\n",
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","usage":{"input_tokens":9,"output_tokens":5}}}` + "\n\n",
		},
		{
			"messages", "/v1/messages", `{"model":"fake/m","stream":true,"max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}`,
			`data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"output_tokens":1}}}` + "\n\n",
			"event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}` + "\n\n",
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		},
		{
			"gemini", "/v1beta/models/fake/m:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"Hi"}]}]}`, "",
			`data: {"candidates":[{"content":{"parts":[{"text":" word"}],"role":"model"},"index":0}],"modelVersion":"m"}` + "\n\n",
			`data: {"candidates":[{"content":{"parts":[{"text":" word"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"totalTokenCount":14}}` + "\n\n",
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			ask := func(events int) func() {
				h := harness.Start(b, harness.Options{Models: []string{"m"}, Upstream: &http.Client{Transport: streamOf(c.begin, c.event, c.end, events)}})
				h.NoRate()
				p, pass := h.Person("Ada")
				h.Allow(p, meter.AnyModel, nil, nil)
				return func() {
					if a := h.Ask(pass, "fake/m", harness.Question{Path: c.path, Body: c.body}); a.Status != 200 || a.Err != nil {
						b.Fatalf("status %d, %v: %s", a.Status, a.Err, a.Body)
					}
				}
			}
			few, many := ask(short), ask(long)
			allocated := func(ask func(), n int) uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range n {
					ask()
				}
				runtime.ReadMemStats(&after)
				return after.Mallocs - before.Mallocs
			}
			few()
			many()
			const rounds = 5
			more := float64(allocated(many, rounds)) - float64(allocated(few, rounds))
			for b.Loop() {
				many()
			}
			b.ReportMetric(more/rounds/(long-short), "allocs/event")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/long, "ns/event")
			b.ReportMetric(0, "ns/op")
		})
	}
}
