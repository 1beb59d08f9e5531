package gateway_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"perdiem/meter"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// JSON nested by the million overflows the stack of a parser that recurses, and ends the process.
func TestADeeplyNestedReplyEndsNothingButItsCall(t *testing.T) {
	h, _, pass := house(t)
	deep := strings.Repeat("[", 8<<20)
	stream := askWith(`,"stream":true`)
	for name, c := range map[string]struct{ kind, reply, body string }{
		"whole":                {"application/json", deep, ask(model)},
		"whole, for a stream":  {"application/json", deep, stream},
		"an event":             {"text/event-stream", "data: " + deep + "\n\n", stream},
		"an event without end": {"text/event-stream", "data: " + deep, stream},
	} {
		h.Upstream.Next(fakeprovider.Body(200, c.kind, c.reply).Always())
		a := exchange{header: bearer(pass), body: c.body}.do(t, h)
		if a.Status == 200 && !strings.Contains(string(a.Body), `"error"`) {
			t.Errorf("%s: %d, %d bytes without an error", name, a.Status, len(a.Body))
		}
	}
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	h.AtRest()
}

func TestTheProvidersKeyNeverComesBack(t *testing.T) {
	h, _, pass := house(t)
	escaped := ""
	for _, r := range fakeprovider.Key {
		escaped += fmt.Sprintf(`\u%04x`, r)
	}
	quoted := strings.NewReplacer("&", `\u0026`, "/", `\/`).Replace(fakeprovider.Key)
	inURL, inPage := url.QueryEscape(fakeprovider.Key), html.EscapeString(fakeprovider.Key)
	inBase64 := base64.RawStdEncoding.EncodeToString([]byte(fakeprovider.Key))
	json := "application/json"
	stream := askWith(`,"stream":true`)
	for name, reply := range map[string]fakeprovider.Reply{
		"in an error":              fakeprovider.Error(400, "x", "bad key "+fakeprovider.Key),
		"in an error, escaped":     fakeprovider.Body(400, json, `{"error":{"message":"bad key `+escaped+`"}}`),
		"in an error, quoted":      fakeprovider.Body(400, json, `{"error":{"message":"bad key `+quoted+`"}}`),
		"in an error's address":    fakeprovider.Error(404, "x", "nothing at https://vendor.example/v1?key="+inURL),
		"in an error as a text":    fakeprovider.Body(400, json, `{"error":"bad key `+fakeprovider.Key+`"}`),
		"in an error, in base64":   fakeprovider.Error(400, "x", "Authorization: Basic "+inBase64+"=="),
		"in a reply":               fakeprovider.Body(200, json, `{"id":"x","message":"key `+fakeprovider.Key+`","choices":[]}`),
		"in a reply, escaped":      fakeprovider.Body(200, json, `{"id":"x","message":"key `+escaped+`","choices":[]}`),
		"in a page":                fakeprovider.Body(401, "text/html", "<p>"+fakeprovider.Key+"</p>"),
		"in a page, escaped":       fakeprovider.Body(401, "text/html", "<p>"+inPage+"</p>"),
		"in a header":              withHeader("X-Echo", "Bearer "+fakeprovider.Key),
		"in a header, escaped":     withHeader("X-Echo", "https://vendor.example/v1?key="+inURL),
		"in the id of the request": withHeader("X-Request-Id", inURL),
		"in an event":              fakeprovider.Body(200, "text/event-stream", `data: {"choices":[{"index":0,"delta":{"content":"`+fakeprovider.Key+`"}}]}`+"\n\ndata: [DONE]\n\n"),
		"in an event's error":      fakeprovider.Body(200, "text/event-stream", `data: {"error":{"message":"bad key `+quoted+` at ?key=`+inURL+`"}}`+"\n\n"),
	} {
		for _, body := range []string{ask(model), stream} {
			h.Upstream.Next(reply.Always())
			a := exchange{header: bearer(pass), body: body}.do(t, h)
			all := strings.ToLower(string(a.Body) + fmt.Sprint(a.Header))
			for _, spelled := range []string{fakeprovider.Key, escaped, quoted, inURL, inPage, inBase64} {
				if strings.Contains(all, strings.ToLower(spelled)) {
					t.Errorf("%s: %s", name, all)
				}
			}
			keys, err := h.Providers.Keys(t.Context(), harness.Provider)
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Providers.EnableKey(t.Context(), keys[0].ID); err != nil { // the 401 took it out of use
				t.Fatal(err)
			}
		}
	}
}

// withHeader is a reply with one header more.
func withHeader(name, value string) fakeprovider.Reply {
	reply := fakeprovider.Body(200, "application/json", "{}")
	reply.Header.Set(name, value)
	return reply
}

func TestAKeyForRetriesStaysHere(t *testing.T) {
	h, _, pass := house(t)
	header := keyed(pass, "k")
	for _, name := range []string{"X-Idempotency-Key", "Openai-Organization", "Openai-Project", "Range", "If-None-Match", "X-Auth-Token", "X-Amz-Security-Token"} {
		header[name] = []string{"CANARY"}
	}
	exchange{header: header}.do(t, h).WantStatus(t, 200)
	got := h.Upstream.Requests()[0].Header
	for name, values := range got {
		if name == "Idempotency-Key" || strings.Contains(strings.Join(values, " "), "CANARY") {
			t.Errorf("%s: %v went upstream", name, values)
		}
	}
}

// Google leaves usage out of a reply, wraps it, or reads the request as another type, where an address or a header says so.
func TestNobodyChangesTheFormOfGooglesReplies(t *testing.T) {
	const generate, stream, chat = "/v1beta/models/" + model + ":generateContent", "/v1beta/models/" + model + ":streamGenerateContent", "/v1/chat/completions"
	bodies := map[string]string{generate: `{"contents":[]}`, stream: `{"contents":[]}`, chat: ask(model)}
	for _, c := range []struct{ name, path, query, header, sent string }{
		{name: "a stream", path: stream, query: "alt=sse", sent: "alt=sse"},
		{name: "a stream in other words", path: stream, query: "$alt=SSE", sent: "alt=sse"},
		{name: "two forms", path: stream, query: "alt=sse&$alt=media", sent: "alt=sse"},
		{name: "another form", path: generate, query: "alt=proto"},
		{name: "a mask", path: generate, query: "fields=candidates"},
		{name: "a mask of a stream", path: stream, query: "alt=sse&%24fields=candidates", sent: "alt=sse"},
		{name: "a mask in a header", path: generate, header: "X-Goog-Fieldmask"},
		{name: "a script", path: generate, query: "callback=f&$callback=f"},
		{name: "another type of the request", path: generate, query: "$ct=application/x-protobuf"},
		{name: "where Google speaks as OpenAI", path: chat, query: "Fields=choices&x=1", header: "X-Goog-Fieldmask", sent: "x=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _, pass := house(t)
			header := bearer(pass)
			if c.header != "" {
				header[c.header] = []string{"candidates"}
			}
			exchange{path: c.path + "?" + c.query, header: header, body: bodies[c.path]}.do(t, h).WantStatus(t, 200)
			if got := h.Upstream.Requests()[0]; got.Query != c.sent || got.Header.Get(c.header) != "" {
				t.Errorf("upstream got ?%s and %v", got.Query, got.Header)
			}
		})
	}
}

func TestARefusalDoesNotCountAgainstTheRate(t *testing.T) {
	h, p, pass := house(t)
	h.Allow(p, model, n(1), nil)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	for range 2 * meter.DefaultRate {
		wantReason(t, exchange{header: bearer(pass)}.do(t, h), 429, meter.DailyRequestLimit)
	}
}

func TestAnEmptyFinishIsNoEnd(t *testing.T) {
	h, _, pass := house(t)
	event := func(content string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + content + `"},"finish_reason":""}]}` + "\n\n"
	}
	h.Upstream.Next(fakeprovider.Body(200, "text/event-stream", event("one ")+event("two")).Always())
	a := exchange{header: bearer(pass), body: askWith(`,"stream":true`)}.do(t, h)
	if !strings.HasSuffix(strings.TrimSpace(string(a.Body)), "}}") || !strings.Contains(string(a.Body), `data: {"error":{`) {
		t.Errorf("a stream that broke off looks whole: %s", a.Body)
	}
	h.AtRest()
}

func TestUsageOfARemovedModelStaysInSight(t *testing.T) {
	h, _, pass := house(t)
	exchange{header: bearer(pass)}.do(t, h).WantStatus(t, 200)
	if err := h.Providers.RemoveModel(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	a := exchange{method: http.MethodGet, path: "/v1/usage", header: bearer(pass)}.do(t, h)
	if !strings.Contains(string(a.Body), `"modelId":"fake/m","usedRequests":1`) {
		t.Errorf("usage is %s", a.Body)
	}
}
