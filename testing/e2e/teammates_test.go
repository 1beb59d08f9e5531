package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// room is what a teammate has left of a day in these tests, in tokens.
const room = 1000

// A reply that is asked for must fit the allowance, in whatever words: either the request is refused
// and the provider not called, or what it is asked for is within the room.
func TestNoWordsGetMoreThanTheAllowance(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	h.NoRate()
	limit := int64(room)
	for name, c := range map[string]struct{ path, more string }{
		"no cap":                       {"", ""},
		"a cap above it":               {"", `,"max_tokens":100000`},
		"two caps":                     {"", `,"max_tokens":10,"max_completion_tokens":100000`},
		"the same cap twice":           {"", `,"max_tokens":10,"max_tokens":100000`},
		"a cap twice, once escaped":    {"", `,"max_tokens":10,"max\u005ftokens":100000`},
		"a cap twice, by case":         {"", `,"max_tokens":10,"Max_Tokens":100000`},
		"a cap by another case":        {"", `,"Max_Tokens":100000`},
		"a negative cap":               {"", `,"max_tokens":-1`},
		"no tokens":                    {"", `,"max_tokens":0`},
		"a cap in words":               {"", `,"max_tokens":"100000"`},
		"an absurd cap":                {"", `,"max_tokens":1e300`},
		"a cap just above a word":      {"", `,"max_tokens":18446744073709551626`},
		"a cap of null":                {"", `,"max_tokens":null`},
		"many replies":                 {"", `,"n":100`},
		"absurdly many replies":        {"", `,"n":4611686018427387905,"max_tokens":4`},
		"no replies":                   {"", `,"n":0`},
		"fewer than none":              {"", `,"n":-5`},
		"replies twice":                {"", `,"n":1,"n":50`},
		"many of which one is told":    {"/v1/completions", `,"prompt":"Hi","n":1,"best_of":100`},
		"many prompts":                 {"/v1/completions", `,"prompt":["` + strings.Repeat(`Hi","`, 400) + `Hi"]`},
		"a message's cap above it":     {messages, `,"max_tokens":100000`},
		"thoughts above it":            {messages, `,"max_tokens":100000,"thinking":{"type":"enabled","budget_tokens":90000}`},
		"thoughts twice":               {messages, `,"max_tokens":100,"thinking":{"type":"disabled"},"thinking":{"type":"enabled","budget_tokens":90000}`},
		"a response's cap above it":    {respond, `,"max_output_tokens":100000`},
		"a response's cap twice":       {respond, `,"max_output_tokens":10,"max_output_tokens":100000`},
		"Gemini's cap above it":        {gemini, `,"generationConfig":{"maxOutputTokens":100000}`},
		"Gemini's cap twice":           {gemini, `,"generationConfig":{"maxOutputTokens":10,"maxOutputTokens":100000}`},
		"Gemini's configuration twice": {gemini, `,"generationConfig":{"maxOutputTokens":10},"generationConfig":{}`},
		"in Gemini's other spelling":   {gemini, `,"generation_config":{"max_output_tokens":100000}`},
		"in both of its spellings":     {gemini, `,"generationConfig":{"maxOutputTokens":10},"generation_config":{"max_output_tokens":100000}`},
		"Gemini's many candidates":     {gemini, `,"generationConfig":{"candidateCount":8}`},
	} {
		t.Run(name, func(t *testing.T) {
			p, pass := h.Person(name)
			h.Allow(p, "fake/m", nil, &limit)
			before := len(h.Upstream.Requests())
			path := c.path
			if path == "" {
				path = "/v1/chat/completions"
			}
			send(t, h, http.MethodPost, path, fault{path: c.path, body: c.more}.asks(), bearer(pass))
			h.AtRest()
			for _, r := range h.Upstream.Requests()[before:] {
				if most := mostOf(r.Body); most == 0 || most > room {
					t.Errorf("the provider is asked for up to %d tokens: %.300s", most, r.Body)
				}
			}
		})
	}
	if len(h.Upstream.Requests()) == 0 {
		t.Error("all were refused, so that this shows little")
	}
}

// mostOf is how many tokens a body lets a provider say, at most, whichever of two fields of a name it
// takes, and in whatever case; 0 if it sets no bound.
func mostOf(body []byte) int64 {
	var most, prompts int64
	replies := int64(1)
	var walk func(object gjson.Result)
	walk = func(object gjson.Result) {
		object.ForEach(func(key, value gjson.Result) bool {
			switch strings.ReplaceAll(strings.ToLower(key.String()), "_", "") {
			case "maxtokens", "maxcompletiontokens", "maxoutputtokens":
				most = max(most, value.Int())
			case "n", "bestof", "candidatecount":
				replies = max(replies, value.Int())
			case "prompt":
				prompts = int64(len(value.Array()))
			case "generationconfig":
				walk(value)
			}
			return true
		})
	}
	walk(gjson.ParseBytes(body))
	return most * replies * max(prompts, 1)
}

// One model has one allowance, whatever it is called.
func TestAnAliasHasNoAllowanceOfItsOwn(t *testing.T) {
	h := harness.Start(t, harness.Options{})
	h.NoRate()
	if _, err := h.Providers.AddModel(t.Context(), providers.Model{Provider: harness.Provider, Upstream: "m", Aliases: []string{"fast", "gpt-x"}}); err != nil {
		t.Fatal(err)
	}
	p, pass := h.Person("Ada")
	two := int64(2)
	h.Allow(p, "fake/m", &two, nil)
	statuses := map[string]int{}
	for _, name := range []string{"fake/m", "fast", "gpt-x", "fake/m"} {
		a := h.Ask(pass, name, harness.Question{})
		statuses[http.StatusText(a.Status)]++
	}
	if statuses["OK"] != 2 || statuses["Too Many Requests"] != 2 {
		t.Errorf("by its names: %v", statuses)
	}
	for _, name := range []string{"FAKE/M", "Fast", " fake/m", "fake/m ", "fake//m", "./fake/m", "m", "openai/m", "fake/m\u200b", "fake\\/m", "fаke/m"} {
		if a := h.Ask(pass, name, harness.Question{}); a.Status != http.StatusNotFound {
			t.Errorf("%q: status %d", name, a.Status)
		}
		a := send(t, h, http.MethodPost, "/v1beta/models/"+strings.NewReplacer(" ", "%20", "\\", "%5c").Replace(name)+":generateContent", `{"contents":[]}`, bearer(pass))
		if a.Status == http.StatusOK {
			t.Errorf("%q in the path: status %d", name, a.Status)
		}
	}
	h.AtRest()
	if got := len(h.Upstream.Requests()); got != 2 {
		t.Errorf("%d reached the provider", got)
	}
}

// What providers do later, elsewhere or in bulk is not metered, and so not served.
func TestWorkThatGoesOnElsewhereIsNotServed(t *testing.T) {
	h, pass := readyHouse(t, harness.Options{})
	for _, path := range []string{
		"POST /v1/batches", "GET /v1/batches/b", "POST /v1/files", "GET /v1/files/f/content", "POST /v1/messages/batches", "POST /v1/fine_tuning/jobs", "POST /v1/threads",
		"POST /v1/threads/runs", "POST /v1/assistants", "POST /v1/conversations", "GET /v1/conversations/c/items", "POST /v1/responses/r/cancel", "POST /v1/vector_stores",
		"GET /v1/chat/completions/c", "GET /v1/chat/completions", "POST /v1/realtime/sessions", "POST /v1/containers", "POST /v1/evals", "POST /v1/videos",
		"POST /v1beta/models/fake/m:batchGenerateContent", "POST /v1beta/cachedContents", "POST /v1beta/files", "POST /upload/v1beta/files", "POST /v1beta/models/fake/m:predictLongRunning",
		"GET /v1/organization/usage", "GET /v1/organization/admin_api_keys", "DELETE /v1/models/fake/m", "PUT /v1/chat/completions",
	} {
		method, path, _ := strings.Cut(path, " ")
		if a := send(t, h, method, path, asked["/v1/chat/completions"], bearer(pass)); a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: status %d %s", method, path, a.Status, a.Body)
		}
	}
	for _, more := range []string{`,"background":true`, `,"background":1`, `,"background":"true"`, `,"background":false,"background":true`, `,"Background":true`, `,"conversation":"c"`, `,"conversation":{"id":"c"}`} {
		if a := send(t, h, http.MethodPost, respond, fault{path: respond, body: more}.asks(), bearer(pass)); a.Status != http.StatusBadRequest {
			t.Errorf("%s: status %d %s", more, a.Status, a.Body)
		}
	}
	if got := h.Upstream.Requests(); len(got) != 0 {
		t.Errorf("%d reached the provider: %+v", len(got), got[0])
	}
}

func TestAnothersAnswersAndResponsesStayTheirs(t *testing.T) {
	h, ada := readyHouse(t, harness.Options{})
	p, bo := h.Person("Bo")
	h.Allow(p, "fake/m", nil, nil)
	body := asked[respond]
	keyed := func(pass string) http.Header {
		head := bearer(pass)
		head.Set("Idempotency-Key", "the same")
		return head
	}
	first := send(t, h, http.MethodPost, respond, body, keyed(ada))
	first.WantStatus(t, 200)
	second := send(t, h, http.MethodPost, respond, body, keyed(bo))
	second.WantStatus(t, 200)
	if second.Header.Get("Idempotent-Replayed") != "" || len(h.Upstream.Requests()) != 2 {
		t.Error("Bo got Ada's answer")
	}
	id := gjson.GetBytes(first.Body, "id").String()
	for name, c := range map[string]struct{ method, path, body string }{
		"read":                   {"GET", respond + "/" + id, ""},
		"read its input":         {"GET", respond + "/" + id + "/input_items", ""},
		"delete":                 {"DELETE", respond + "/" + id, ""},
		"by a way round":         {"GET", respond + "/x/../" + id, ""},
		"by an escaped way":      {"GET", respond + "/%2e%2e%2fresponses%2f" + id, ""},
		"go on with":             {"POST", respond, fault{path: respond, body: `,"previous_response_id":"` + id + `"`}.asks()},
		"go on with, as a list":  {"POST", respond, fault{path: respond, body: `,"previous_response_id":["` + id + `"]`}.asks()},
		"go on with, said twice": {"POST", respond, fault{path: respond, body: `,"previous_response_id":null,"previous_response_id":"` + id + `"`}.asks()},
	} {
		before := len(h.Upstream.Requests())
		if a := send(t, h, c.method, c.path, c.body, bearer(bo)); a.Status != http.StatusNotFound && a.Status != http.StatusBadRequest || len(h.Upstream.Requests()) != before {
			t.Errorf("%s: status %d %s", name, a.Status, a.Body)
		}
	}
	never := send(t, h, http.MethodGet, respond+"/resp_never", "", bearer(bo))
	theirs := send(t, h, http.MethodGet, respond+"/"+id, "", bearer(bo))
	same := func(a harness.Answer, id string) string {
		return strings.ReplaceAll(gjson.GetBytes(a.Body, "error").Raw, id, "ID")
	}
	if never.Status != theirs.Status || same(never, "resp_never") != same(theirs, id) {
		t.Errorf("what is another's shows: %s, %s", never.Body, theirs.Body)
	}
}

// The provider adds what it kept to the prompt; only its usage tells. What runs at once can go over by
// that, once; then the day is over, and every token is booked.
func TestAHugeContextAtTheProviderIsBookedAndEndsTheDay(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	h.NoRate()
	p, pass := h.Person("Ada")
	const huge, more, atOnce = 100_000, 500, 5 // above what was held, both
	limit := int64(20_000)
	h.Allow(p, "fake/m", nil, &limit)
	gate := fakeprovider.NewGate()
	h.Upstream.On("m", func(fakeprovider.Request) fakeprovider.Reply {
		return whole(`{"id":"r","object":"response","status":"completed","output":[],"usage":{"input_tokens":100000,"output_tokens":500}}`).HoldAt(fakeprovider.BeforeHeader, gate)
	})
	ask := harness.Question{Path: respond, Body: fault{path: respond, body: `,"max_output_tokens":16`}.asks()}
	var running sync.WaitGroup
	for range atOnce {
		running.Go(func() { h.Ask(pass, "", ask) })
	}
	gate.Await(t, atOnce)
	gate.Open()
	running.Wait()
	h.AtRest()
	if got := h.Booked(); got.Tokens != atOnce*(huge+more) || got.Requests != atOnce {
		t.Errorf("booked %+v", got)
	}
	if no := h.Ask(pass, "", ask); no.Status != http.StatusTooManyRequests || no.Refusal(t).Reason != string(meter.DailyTokenLimit) {
		t.Errorf("status %d %s", no.Status, no.Body)
	}
}

// Who begins before midnight pays with the day that was; the new one is whole, and counts once.
func TestMidnightGivesNobodyTwoDays(t *testing.T) {
	h := harness.Start(t, harness.Options{Models: []string{"m"}})
	h.NoRate()
	p, pass := h.Person("Ada")
	one := int64(1)
	h.Allow(p, "fake/m", &one, nil)
	midnight := harness.Noon.Truncate(24 * time.Hour).Add(24 * time.Hour)
	h.Clock.Set(midnight.Add(-10 * time.Second))
	gate := fakeprovider.NewGate()
	h.Upstream.Next(fakeprovider.Chat{}.Held(fakeprovider.BeforeHeader, gate))
	late := h.Begin(pass, "fake/m", harness.Question{})
	gate.Await(t, 1)
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusTooManyRequests)
	h.Clock.Set(midnight.Add(10 * time.Second))
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusOK)
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusTooManyRequests)
	gate.Open()
	late().WantStatus(t, http.StatusOK)
	h.Ask(pass, "fake/m", harness.Question{}).WantStatus(t, http.StatusTooManyRequests)
	h.AtRest()
	for _, day := range []time.Time{midnight.Add(-time.Hour), midnight} {
		if got, err := h.Meter.Totals(t.Context(), meter.Day(day)); err != nil || got.Requests != 1 {
			t.Errorf("%v: %+v, %v", day, got, err)
		}
	}
}
