package gateway_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/registry"
	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// target is a gateway of real books and gates, before a provider that is a function, so that a fuzzer
// gets at it often.
type target struct {
	*gateway.Gateway
	meter  *meter.Meter
	person meter.Person
	pass   string
	reply  func(*http.Request) *http.Response
	got    int // calls that reached the provider
}

func (g *target) RoundTrip(r *http.Request) (*http.Response, error) {
	g.got++
	return g.reply(r), nil
}

func newTarget(f *testing.F) *target {
	f.Helper()
	g := &target{meter: meter.New(newStore(f), meter.Options{})}
	g.open()
	g.person, g.pass = newPerson(f, g.meter, meter.Limits{Tokens: n(1 << 50)})
	if err := g.meter.SetRate(f.Context(), meter.Rate{Holder: meter.Holder{Kind: meter.ForEveryone}}); err != nil {
		f.Fatal(err)
	}
	return g
}

// open makes the gateway afresh, which has learned nothing of its provider.
func (g *target) open() {
	g.Gateway = gateway.New(gateway.Options{
		Meter: g.meter, Credentials: &keyring{keys: []gateway.Credential{{Secret: fakeprovider.Key}}}, Client: &http.Client{Transport: g},
		Catalogue: fixedModel{registry.Target{
			Provider: providers.Provider{Name: "fake", BaseURL: "http://provider.example/v1", Dialects: []providers.Dialect{providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini}},
			Model:    providers.Model{ID: model, Provider: "fake", Upstream: "m"},
		}},
		Limits: gateway.Limits{Deadline: 10 * time.Second, AfterDone: 10 * time.Millisecond},
	})
}

// serve answers one request, and judges what no request may do.
func (g *target) serve(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	before := harness.Standing(t, g.meter, g.person, model)
	got := g.got
	g.open()
	w := httptest.NewRecorder()
	func() {
		defer func() {
			p := recover()
			if err, _ := p.(error); p != nil && !errors.Is(err, http.ErrAbortHandler) { // which cuts the connection, on purpose
				t.Fatalf("panic: %v", p)
			}
		}()
		g.ServeHTTP(deadlines{w}, r)
	}()
	after := harness.Standing(t, g.meter, g.person, model)
	switch {
	case after.HeldRequests != 0 || after.HeldTokens != 0:
		t.Errorf("left held: %+v", after)
	case after.UsedRequests < before.UsedRequests || after.UsedTokens < before.UsedTokens:
		t.Errorf("the figures fell from %+v to %+v", before, after)
	case after.UsedRequests > before.UsedRequests && g.got == got:
		t.Errorf("charged though the provider was not called: %+v", after)
	}
	said := w.Body.String()
	for _, values := range w.Header() {
		said += strings.Join(values, " ")
	}
	if strings.Contains(said, fakeprovider.Key) {
		t.Error("the provider's key came back")
	}
	return w
}

// answered is a provider's reply.
func answered(status int, kind, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1}
}

// addresses are where models are asked, each with a body that is in order.
var addresses = []struct{ path, body, reply string }{
	{"/v1/chat/completions", `{"model":"fake/m","stream":false,"max_tokens":9,"n":2,"messages":[{"role":"user","content":"Hi"}]}`, `{"choices":[{"message":{"content":"one"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`},
	{"/v1/completions", `{"model":"fake/m","best_of":3,"prompt":["a","b"]}`, `{"choices":[{"text":"one","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`},
	{"/v1/embeddings", `{"model":"fake/m","input":"Hi"}`, `{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":9,"total_tokens":9}}`},
	{"/v1/responses", `{"model":"fake/m","input":"Hi","background":false,"max_output_tokens":16}`, `{"id":"r","object":"response","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":5}}`},
	{"/v1/messages", `{"model":"fake/m","max_tokens":9,"thinking":{"type":"enabled","budget_tokens":2048},"messages":[{"role":"user","content":"Hi"}]}`, `{"type":"message","content":[{"type":"text","text":"one"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`},
	{"/v1/messages/count_tokens", `{"model":"fake/m","messages":[]}`, `{"input_tokens":9}`},
	{"/v1beta/models/fake/m:generateContent", `{"contents":[{"parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":9,"candidateCount":1}}`, `{"candidates":[{"content":{"parts":[{"text":"one"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5}}`},
	{"/v1beta/models/fake/m:streamGenerateContent?alt=sse", `{"contents":[]}`, `{"candidates":[]}`},
	{"/v1/images/generations", `{"model":"fake/m","prompt":"a cat","n":1}`, `{"data":[{"b64_json":""}]}`},
}

// The bytes of a whole request, as anybody in the network may send them.
func FuzzRequest(f *testing.F) {
	g := newTarget(f)
	request := func(path, head, body string) []byte {
		return []byte("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer PASS\r\n" + head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	}
	for _, a := range addresses {
		f.Add(request(a.path, "Content-Type: application/json\r\n", a.body))
		f.Add(request(a.path, "Content-Encoding: gzip\r\nIdempotency-Key: k\r\nOrigin: null\r\n", strings.Replace(a.body, "{", `{"stream":true,`, 1)))
	}
	form := "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nfake/m\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"
	f.Add(request("/v1/audio/transcriptions", "Content-Type: multipart/form-data; boundary=b\r\n", form))
	for _, line := range []string{"GET /v1/models", "GET /v1/usage?key=PASS", "DELETE /v1/responses/r", "OPTIONS *", "GET //v1/v1/./models/fake%2Fm", "GET http://evil.example/healthz"} {
		f.Add([]byte(line + " HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: PASS\r\n\r\n"))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.ReplaceAll(raw, []byte("PASS"), []byte(g.pass))
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return // the server refuses it before any gate
		}
		r.RemoteAddr = "192.0.2.1:4000"
		g.reply = func(up *http.Request) *http.Response {
			body := ""
			if up.Body != nil {
				all, err := io.ReadAll(up.Body)
				if err != nil {
					t.Errorf("the provider cannot read the body: %v", err)
				}
				body = string(all)
			}
			head := up.URL.String()
			for _, values := range up.Header {
				head += " " + strings.Join(values, " ")
			}
			if strings.Contains(head, g.pass) {
				t.Errorf("the pass goes upstream: %s", head)
			}
			if !strings.Contains(head, fakeprovider.Key) || up.URL.Host != "provider.example" {
				t.Errorf("a call of another kind goes upstream: %s", head)
			}
			if strings.HasPrefix(body, "{") && !gjson.Valid(body) { // a form begins otherwise
				t.Errorf("what is no JSON goes upstream: %q", body)
			}
			for _, a := range addresses {
				if strings.HasSuffix(a.path, up.URL.Path) {
					return answered(200, "application/json", a.reply)
				}
			}
			return answered(200, "application/json", addresses[0].reply)
		}
		if w := g.serve(t, r); w.Code < 200 || w.Code > 599 {
			t.Errorf("status %d", w.Code)
		}
	})
}

// The bytes of a reply, as a provider that was taken over may send them.
func FuzzReply(f *testing.F) {
	g := newTarget(f)
	for i, a := range addresses {
		f.Add(uint8(i), false, 200, "application/json", []byte(a.reply))
		f.Add(uint8(i), true, 200, "text/event-stream", []byte("data: "+a.reply+"\n\ndata: [DONE]\n\n"))
		f.Add(uint8(i), true, 200, "application/json", []byte(a.reply))
	}
	f.Add(uint8(4), true, 200, "text/event-stream", []byte("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":-7}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"))
	f.Add(uint8(3), true, 200, "text/event-stream", []byte("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\nevent: response.incomplete\ndata: {\"type\":\"response.incomplete\",\"response\":{\"id\":\"r\",\"usage\":{\"input_tokens\":1e18,\"output_tokens\":\"5\"}}}\n\n"))
	f.Add(uint8(0), true, 200, "text/event-stream", []byte(": hello\n\nid: 1\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\nerror: {\"message\":\"no\"}\n\n"))
	f.Add(uint8(0), false, 401, "text/html", []byte("<p>bad key "+fakeprovider.Key+"</p>"))
	f.Add(uint8(0), false, 302, "", []byte{})
	f.Fuzz(func(t *testing.T, at uint8, stream bool, status int, kind string, reply []byte) {
		if status < 200 || status > 599 {
			return // the client's library gives no other
		}
		a := addresses[int(at)%len(addresses)]
		body := a.body
		if stream {
			body = strings.Replace(strings.Replace(body, `"stream":false,`, "", 1), "{", `{"stream":true,`, 1)
		}
		g.reply = func(up *http.Request) *http.Response {
			res := answered(status, kind, string(reply))
			res.Request = up
			return res
		}
		r := httptest.NewRequest(http.MethodPost, "http://localhost"+a.path, strings.NewReader(body))
		r.Header.Set("X-Api-Key", g.pass)
		w := g.serve(t, r)
		if !stream && w.Code == http.StatusOK && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && status == http.StatusOK && !gjson.ValidBytes(w.Body.Bytes()) && gjson.ValidBytes(reply) {
			t.Errorf("JSON that was whole is not any more: %q", w.Body)
		}
	})
}
