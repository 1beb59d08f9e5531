package e2e

import (
	"strings"
	"testing"

	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// said is what an SDK made of an answer: a text, a call to a tool, or the error that it shows its user.
type said struct {
	Text, Finish string
	Tool, Args   string
	Tokens       int64
	Error        *sdkError
}

// sdkError is an error as an SDK shows it; what it has no field for is empty.
type sdkError struct {
	Status              int
	Message, Type, Code string
}

// sdk asks the way its users do, with nothing set but address and key. Every one can "complete",
// "stream" and call a "tool".
type sdk struct {
	ask     func(t *testing.T, base, pass, model, how string) said
	finish  string   // its word for a reply that came to its end
	refused sdkError // what it makes of a daily refusal, besides the message
	badPass sdkError // and of a pass that is none
	tries   int64    // how often it asks, refused
}

var (
	spent   = sdkError{429, "", "insufficient_quota", "insufficient_quota"}
	invalid = sdkError{401, "", "invalid_request_error", "invalid_api_key"}
)

// The AI SDK minds no header: it tries a 429 three times, and tells the last refusal without its status.
var sdks = map[string]sdk{
	"go-openai":        {askGoOpenAI, "stop", spent, invalid, 1},
	"openai-go":        {askOpenAIGo, "stop", spent, invalid, 1},
	"anthropic-sdk-go": {askAnthropicGo, "end_turn", sdkError{429, "", "rate_limit_error", ""}, sdkError{401, "", "authentication_error", ""}, 1},
	"openai":           {askNode("openai.mjs", ""), "stop", spent, invalid, 1},
	"openai responses": {askNode("openai.mjs", "responses-"), "completed", sdkError{429, "", "usage_limit_reached", "insufficient_quota"}, invalid, 1},
	"anthropic":        {askNode("anthropic.mjs", ""), "end_turn", sdkError{429, "", "rate_limit_error", ""}, sdkError{401, "", "authentication_error", ""}, 1},
	"google":           {askNode("google.mjs", ""), "STOP", sdkError{429, "", "", ""}, sdkError{401, "", "", ""}, 1},
	"ai openai":        {askNode("ai.mjs", "openai-"), "stop", sdkError{}, sdkError{401, "", "", ""}, 3},
	"ai anthropic":     {askNode("ai.mjs", "anthropic-"), "stop", sdkError{}, sdkError{401, "", "", ""}, 3},
	"ai google":        {askNode("ai.mjs", "google-"), "stop", sdkError{}, sdkError{401, "", "", ""}, 3},
}

// withEachSDK gives each SDK a house of its own, with one teammate.
func withEachSDK(t *testing.T, requests *int64, do func(t *testing.T, h *harness.House, pass string, s sdk), speaks ...providers.Dialect) {
	for name, s := range sdks {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some wait before they try again
			h := harness.Start(t, harness.Options{Models: []string{"m"}, Speaks: speaks})
			p, pass := h.Person("alice")
			h.Allow(p, "fake/m", requests, nil)
			do(t, h, pass, s)
		})
	}
}

// withEachSDKAndProvider is withEachSDK for a provider that speaks every dialect, and for those that
// speak one alone.
func withEachSDKAndProvider(t *testing.T, do func(t *testing.T, h *harness.House, pass string, s sdk)) {
	t.Run("all", func(t *testing.T) { withEachSDK(t, nil, do) })
	for _, d := range []providers.Dialect{providers.OpenAI, providers.Anthropic, providers.Gemini} {
		t.Run(string(d), func(t *testing.T) { withEachSDK(t, nil, do, d) })
	}
}

func TestSDKsCompleteStreamAndCallTools(t *testing.T) {
	withEachSDKAndProvider(t, func(t *testing.T, h *harness.House, pass string, s sdk) {
		h.Upstream.On("m", fakeprovider.Chat{Tool: "look_up", Arguments: []byte(`{"word":"perdiem"}`)}.Answer)
		for _, how := range []string{"complete", "stream"} {
			got := s.ask(t, h.URL, pass, "fake/m", how)
			if got.Error != nil || strings.TrimSpace(got.Text) != "word word word word word" || got.Finish != s.finish {
				t.Errorf("%s: %+v %+v", how, got, got.Error)
			}
		}
		got := s.ask(t, h.URL, pass, "fake/m", "tool")
		if got.Error != nil || got.Tool != "look_up" || got.Args != `{"word":"perdiem"}` {
			t.Errorf("tool: %+v %+v", got, got.Error)
		}
		h.AtRest()
		if booked := h.Booked(); booked.Requests != 3 || booked.Tokens != 3*14 || len(harness.Ends(t, h.Data)) != 3 {
			t.Errorf("booked %+v", booked)
		}
	})
}

// Counting tokens costs nothing, and embeddings only their prompt.
func TestSDKsCountAndEmbed(t *testing.T) {
	for _, c := range []struct {
		name, how string
		costs     int64
	}{{"anthropic", "count", 0}, {"google", "count", 0}, {"anthropic-sdk-go", "count", 0}, {"openai", "embed", 9}} {
		t.Run(c.name, func(t *testing.T) {
			h := harness.Start(t, harness.Options{Models: []string{"m"}})
			p, pass := h.Person("alice")
			h.Allow(p, "fake/m", nil, nil)
			got := sdks[c.name].ask(t, h.URL, pass, "fake/m", c.how)
			if got.Error != nil || got.Tokens != 9 || c.how == "embed" && got.Text != "0.5 -0.5" {
				t.Errorf("%+v %+v", got, got.Error)
			}
			h.AtRest()
			if booked := h.Booked(); booked.Tokens != c.costs {
				t.Errorf("booked %+v", booked)
			}
		})
	}
}

// A refusal must end the SDK's call at once, with all that it says: no retry behind its user's back.
func TestSDKsShowARefusalAndAskOnce(t *testing.T) {
	one := int64(1)
	withEachSDK(t, &one, func(t *testing.T, h *harness.House, pass string, s sdk) {
		if got := s.ask(t, h.URL, pass, "fake/m", "complete"); got.Text == "" {
			t.Fatalf("there was room for one: %+v %+v", got, got.Error)
		}
		for i, how := range []string{"complete", "stream"} {
			wantError(t, h, s.ask(t, h.URL, pass, "fake/m", how), s.refused, "out of today's requests", "1 of 1", "resets at 00:00 UTC, in 12 h")
			if n := h.Booked().Refusals; n != int64(i+1)*s.tries {
				t.Errorf("%s: %d requests refused in all, want %d", how, n, int64(i+1)*s.tries)
			}
		}
		if n := len(h.Upstream.Requests()); n != 1 {
			t.Errorf("%d requests reached the provider, want 1", n)
		}
	})
}

func TestSDKsTakeABadPassForFinal(t *testing.T) {
	withEachSDK(t, nil, func(t *testing.T, h *harness.House, _ string, s sdk) {
		wantError(t, h, s.ask(t, h.URL, "pdm_abcdefgh_nobodys", "fake/m", "complete"), s.badPass, "pass")
		if n := h.Booked().Refusals; n != 1 || len(h.Upstream.Requests()) != 0 {
			t.Errorf("%d requests were refused, %d reached the provider", n, len(h.Upstream.Requests()))
		}
	})
}

func wantError(t *testing.T, h *harness.House, got said, want sdkError, parts ...string) {
	t.Helper()
	if got.Error == nil {
		t.Fatalf("no error: %+v", got)
	}
	for _, part := range parts {
		if !strings.Contains(got.Error.Message, part) {
			t.Errorf("the message lacks %q: %s", part, got.Error.Message)
		}
	}
	if want.Message = got.Error.Message; *got.Error != want {
		t.Errorf("got %+v, want %+v", *got.Error, want)
	}
	h.AtRest()
}

// An SDK whose stream breaks off must say so, after the words that came; and those are booked once.
func TestSDKsTellThatAStreamBrokeOff(t *testing.T) {
	withEachSDKAndProvider(t, func(t *testing.T, h *harness.House, pass string, s sdk) {
		h.Upstream.On("m", brokenOff)
		got := s.ask(t, h.URL, pass, "fake/m", "stream")
		if got.Error == nil || !strings.Contains(got.Error.Message, "broke off") {
			t.Errorf("the SDK shows %+v %+v", got, got.Error)
		}
		if !strings.HasPrefix(strings.TrimSpace(got.Text), "word") {
			t.Errorf("the words before the break are lost: %q", got.Text)
		}
		h.AtRest()
		ends := harness.Ends(t, h.Data)
		if len(h.Upstream.Requests()) != 1 || len(ends) != 1 || ends[0].Verb != "settle" || ends[0].Provenance != "counted" {
			t.Fatalf("%d requests; the ledger says %+v", len(h.Upstream.Requests()), ends)
		}
		wantCounted(t, ends[0].Output, 5)
	})
}

// brokenOff says its words, and then the connection is lost. One that wants no stream is answered.
func brokenOff(r fakeprovider.Request) fakeprovider.Reply {
	reply := fakeprovider.Chat{NoFinish: true}.Answer(r)
	if !r.Stream {
		return reply
	}
	return reply.ResetAt(len(reply.Bytes()))
}
