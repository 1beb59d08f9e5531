package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// The wires that a provider may speak alone, by the names of their recordings.
var spoken = map[string]providers.Dialect{"openai-chat": providers.OpenAI, "anthropic": providers.Anthropic, "gemini": providers.Gemini}

var callersWires = []string{"openai-chat", "openai-responses", "anthropic", "gemini"}

// eachTranslation runs do for every provider of one dialect and callers of every other.
func eachTranslation(t *testing.T, do func(t *testing.T, provider providers.Dialect, providersWire, callersWire string)) {
	for wire, dialect := range spoken {
		for _, caller := range callersWires {
			if caller != wire {
				t.Run(caller+" to "+wire, func(t *testing.T) { do(t, dialect, wire, caller) })
			}
		}
	}
}

// Recordings whose meaning is not looked at, only what they cost.
var noMeaning = map[string]string{
	"mistral-transcription":                 "it is no chat",
	"anthropic-spliced-message-start":       "two replies are spliced into one",
	"anthropic-programmatic-tool-calling.1": "its calls were made and answered at the provider",
}

// Recordings whose calls came in pieces by the path, as they read when put together.
var callsInPieces = map[string][]string{
	"google-stream-tool-call-arguments": {`getWeather {"location":"Boston"}`, `getWeather {"location":"San Francisco"}`},
	"google-stream-tool-call-array-arguments-missing-terminal-function-call": {
		`writeItems {"operations":[{"action":"add","description":"Fresh red apple","itemid":"apple_001","price":0.5},` +
			`{"action":"add","description":"Ripe yellow banana","itemid":"banana_001","price":0.3}]}`,
	},
}

// Every recording says the same to callers of the other dialects, and is booked at its known figures.
func TestRecordingsSayTheSameInEveryDialect(t *testing.T) {
	eachTranslation(t, func(t *testing.T, dialect providers.Dialect, providersWire, callersWire string) {
		t.Parallel()
		h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{dialect}})
		h.NoRate()
		p, pass := h.Person("alice")
		h.Allow(p, meter.AnyModel, nil, nil)
		for _, r := range fakeprovider.Recordings(t, providersWire) {
			h.Model(r.Model)
			before := h.Booked()
			asked := r
			asked.Wire = callersWire
			answer := h.Ask(pass, "fake/"+r.Model, questionOf(asked))
			h.AtRest()
			after := h.Booked()
			if in, out := after.InputTokens-before.InputTokens, after.OutputTokens-before.OutputTokens; in != r.Input || out != r.Output {
				t.Errorf("%s: booked %d + %d, want %d + %d", r.File, in, out, r.Input, r.Output)
			}
			if noMeaning[r.Model] != "" {
				continue
			}
			want, got := meaningOf(providersWire, r.Stream, r.Body), meaningOf(callersWire, r.Stream, answer.Body)
			if bytes.Count(r.Body, []byte(`"message_stop"`)) <= 1 { // else the figures are those of the last of several replies
				want.Input, want.Output = r.Input, r.Output
			}
			if calls := callsInPieces[r.Model]; calls != nil {
				want.Calls, want.Reason = calls, "tool_calls"
			}
			if answer.Status != http.StatusOK || !got.equal(want) {
				t.Errorf("%s: status %d\ngot  %s\nwant %s", r.File, answer.Status, got.words(), want.words())
			}
		}
	})
}

// questionIn asks a made-up model in a dialect.
func questionIn(wire string, stream bool) harness.Question {
	q := questionOf(fakeprovider.Recording{Model: "m", Wire: wire, Stream: stream})
	if wire == "openai-chat" {
		q.Usage = false
	}
	return q
}

// What a provider does wrong, its caller is told in their own dialect, and it is booked as untranslated.
func TestTranslatedEndings(t *testing.T) {
	asked := map[string]fakeprovider.Request{}
	for wire := range spoken {
		asked[wire] = fakeprovider.Request{Wire: wire, Model: "m", Stream: true, IncludeUsage: true, Path: "/"}
	}
	for _, c := range []struct {
		name   string
		stream bool
		reply  func(wire string) fakeprovider.Answer
		status int
		shows  map[string]string // by the caller's wire
		end    string
	}{
		{"whole", false, func(string) fakeprovider.Answer { return fakeprovider.Chat{}.Answer }, 200, map[string]string{
			"openai-chat": `"finish_reason":"stop"`, "openai-responses": `"status":"completed"`, "anthropic": `"stop_reason":"end_turn"`, "gemini": `"finishReason":"STOP"`}, "settle reported"},
		{"stream", true, func(string) fakeprovider.Answer { return fakeprovider.Chat{}.Answer }, 200, map[string]string{
			"openai-chat": "data: [DONE]", "openai-responses": "event: response.completed", "anthropic": "event: message_stop", "gemini": `"finishReason":"STOP"`}, "settle reported"},
		{"one body for a stream", true, func(string) fakeprovider.Answer { return fakeprovider.Chat{OneBody: true}.Answer }, 200, map[string]string{
			"openai-chat": "data: [DONE]", "openai-responses": "event: response.completed", "anthropic": "event: message_stop", "gemini": `"finishReason":"STOP"`}, "settle reported"},
		{"cut in a stream", true, func(wire string) fakeprovider.Answer {
			whole := fakeprovider.Chat{}.Answer(asked[wire])
			return whole.ResetAt(len(whole.Bytes()) / 2).Always()
		}, 200, map[string]string{
			"openai-chat": `data: {"error":{`, "openai-responses": "event: response.failed", "anthropic": "event: error", "gemini": `data: {"error":{"code":5`}, "settle counted"},
		{"refused by the provider", true, func(string) fakeprovider.Answer {
			return fakeprovider.Error(429, "rate_limit_exceeded", "slow down", "Retry-After", "30").Always()
		}, 429, map[string]string{
			"openai-chat": "slow down", "openai-responses": "slow down", "anthropic": `"type":"rate_limit_error","message":"slow down"`, "gemini": `"status":"RESOURCE_EXHAUSTED"`}, "release "},
		{"not a reply", false, func(string) fakeprovider.Answer { return fakeprovider.HTML(200).Always() }, 502, map[string]string{
			"openai-chat": "not a reply", "openai-responses": "not a reply", "anthropic": "not a reply", "gemini": "not a reply"}, "release "},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachTranslation(t, func(t *testing.T, dialect providers.Dialect, providersWire, callersWire string) {
				h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{dialect}, Models: []string{"m"}})
				p, pass := h.Person("alice")
				h.Allow(p, "fake/m", nil, nil)
				h.Upstream.On("m", c.reply(providersWire))
				answer := h.Ask(pass, "fake/m", questionIn(callersWire, c.stream))
				answer.WantStatus(t, c.status)
				if !bytes.Contains(answer.Body, []byte(c.shows[callersWire])) {
					t.Errorf("the answer lacks %s:\n%s", c.shows[callersWire], answer.Body)
				}
				ids := map[string]bool{} // OpenAI's SDK minds a response that changes its own
				for _, id := range regexp.MustCompile(`"response":\{"id":"[^"]*"`).FindAllString(string(answer.Body), -1) {
					ids[id] = true
				}
				if len(ids) > 1 {
					t.Errorf("the response has several ids: %v", ids)
				}
				if c.status == 429 && answer.Header.Get("Retry-After") != "30" {
					t.Error("the provider's Retry-After is lost")
				}
				h.AtRest()
				ends := harness.Ends(t, h.Data)
				if len(ends) != 1 || ends[0].Verb+" "+ends[0].Provenance != c.end {
					t.Errorf("the ledger says %+v, want %q", ends, c.end)
				}
			})
		})
	}
}

// A model that could not end its reply is no fault of the caller's.
func TestTranslatedRepliesThatWentWrong(t *testing.T) {
	replies := map[string]string{
		"openai-chat": `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"error"}]}`,
		"gemini":      `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}],"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`,
	}
	eachTranslation(t, func(t *testing.T, dialect providers.Dialect, providersWire, callersWire string) {
		if replies[providersWire] == "" {
			return // its vendor has no word for it
		}
		h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{dialect}, Models: []string{"m"}})
		p, pass := h.Person("alice")
		h.Allow(p, "fake/m", nil, nil)
		h.Upstream.On("m", fakeprovider.JSON(http.StatusOK, json.RawMessage(replies[providersWire])).Always())
		answer := h.Ask(pass, "fake/m", questionIn(callersWire, false))
		answer.WantStatus(t, http.StatusBadGateway)
		if !bytes.Contains(answer.Body, []byte("end")) {
			t.Errorf("it does not say what went wrong: %s", answer.Body)
		}
		h.AtRest()
	})
}

// A reply that ignores its cap is cut where it outgrows its hold, with the finish of the caller's dialect.
func TestTranslatedStreamPastItsHoldIsCut(t *testing.T) {
	finish := map[string]string{
		"openai-chat": `"finish_reason":"length"`, "openai-responses": "event: response.incomplete", "anthropic": `"stop_reason":"max_tokens"`, "gemini": `"finishReason":"MAX_TOKENS"`,
	}
	eachTranslation(t, func(t *testing.T, dialect providers.Dialect, _, callersWire string) {
		h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{dialect}, Models: []string{"m"}})
		p, pass := h.Person("alice")
		limit := int64(1_000)
		h.Allow(p, "fake/m", nil, &limit)
		h.Upstream.On("m", fakeprovider.Chat{Words: 5_000, IgnoreMax: true}.Answer)
		answer := h.Ask(pass, "fake/m", questionIn(callersWire, true))
		answer.WantStatus(t, http.StatusOK)
		if answer.Err != nil || !strings.Contains(string(answer.Body), finish[callersWire]) {
			t.Errorf("no clean finish: %v …%s", answer.Err, answer.Body[max(0, len(answer.Body)-400):])
		}
		h.AtRest()
	})
}

// A refusal at zero is in the caller's dialect, and nothing reaches the provider.
func TestTranslatedCallsAreRefusedAlike(t *testing.T) {
	eachTranslation(t, func(t *testing.T, dialect providers.Dialect, _, callersWire string) {
		h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{dialect}, Models: []string{"m"}})
		p, pass := h.Person("alice")
		one := int64(1)
		h.Allow(p, "fake/m", &one, nil)
		h.Ask(pass, "fake/m", questionIn(callersWire, false)).WantStatus(t, http.StatusOK)
		answer := h.Ask(pass, "fake/m", questionIn(callersWire, true))
		answer.WantStatus(t, http.StatusTooManyRequests)
		if !bytes.Contains(answer.Body, []byte("out of today's requests (1 of 1)")) {
			t.Errorf("the answer says %s", answer.Body)
		}
		if n := len(h.Upstream.Requests()); n != 1 {
			t.Errorf("%d requests reached the provider", n)
		}
	})
}

// Counting tokens costs nothing, and is answered here where the provider does not speak the dialect.
func TestTokensAreCountedHereWhereTheProviderCannot(t *testing.T) {
	h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{providers.OpenAI}, Models: []string{"m"}})
	p, pass := h.Person("alice")
	h.Allow(p, "fake/m", nil, nil)
	for path, c := range map[string]struct{ body, counted string }{
		"/v1/messages/count_tokens":         {`{"model":"fake/m","messages":[{"role":"user","content":"Say a few words."}]}`, "input_tokens"},
		"/v1beta/models/fake/m:countTokens": {`{"contents":[{"role":"user","parts":[{"text":"Say a few words."}]}]}`, "totalTokens"},
	} {
		answer := h.Ask(pass, "fake/m", harness.Question{Path: path, Body: c.body})
		answer.WantStatus(t, http.StatusOK)
		if n := gjson.GetBytes(answer.Body, c.counted).Int(); n < 5 || n > 30 { // of five words and what is around them
			t.Errorf("%s answers %s", path, answer.Body)
		}
	}
	if booked := h.Booked(); len(h.Upstream.Requests()) != 0 || booked.Requests != 0 {
		t.Errorf("booked %+v", booked)
	}
}

// A conversation that a translated model had a part in goes on at its own vendor, who would refuse others' thoughts.
func TestTranslatedThoughtsAreNotToldToANativeProvider(t *testing.T) {
	thinks := fakeprovider.JSON(http.StatusOK, json.RawMessage(`{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":`+
		`{"role":"assistant","reasoning_content":"hm","content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}}`))
	ask := func(speaks providers.Dialect, path, body string) (answer harness.Answer, told []byte) {
		h := harness.Start(t, harness.Options{Speaks: []providers.Dialect{speaks}, Models: []string{"m"}})
		p, pass := h.Person("alice")
		h.Allow(p, "fake/m", nil, nil)
		if speaks == providers.OpenAI {
			h.Upstream.On("m", thinks.Always())
		}
		answer = h.Ask(pass, "fake/m", harness.Question{Path: path, Body: body})
		answer.WantStatus(t, http.StatusOK)
		return answer, h.Upstream.Requests()[0].Body
	}
	for _, c := range []struct {
		dialect          providers.Dialect
		path, asks, said string
		goesOn           func(reply string) string
	}{
		{providers.Anthropic, "/v1/messages", `{"model":"fake/m","max_tokens":99,"messages":[{"role":"user","content":"Is it?"}]}`, "content", func(reply string) string {
			return `{"model":"fake/m","max_tokens":99,"messages":[{"role":"user","content":"Is it?"},{"role":"assistant","content":` + reply + `},{"role":"user","content":"Why?"}]}`
		}},
		{providers.Responses, "/v1/responses", `{"model":"fake/m","include":["reasoning.encrypted_content"],"input":"Is it?"}`, "output", func(reply string) string {
			return `{"model":"fake/m","input":[{"role":"user","content":"Is it?"},` + strings.Trim(reply, "[]") + `,{"role":"user","content":"Why?"}]}`
		}},
	} {
		answer, _ := ask(providers.OpenAI, c.path, c.asks)
		reply := gjson.GetBytes(answer.Body, c.said).Raw
		if !strings.Contains(reply, "hm") {
			t.Fatalf("%s: the thought was not told: %s", c.dialect, answer.Body)
		}
		if _, told := ask(c.dialect, c.path, c.goesOn(reply)); bytes.Contains(told, []byte("hm")) || !bytes.Contains(told, []byte("Yes.")) {
			t.Errorf("%s: the provider is told %s", c.dialect, told)
		}
	}
}
