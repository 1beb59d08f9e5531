package check

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"perdiem/providers"
	"perdiem/providers/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-CANARY/1+2"

// answering is a provider that answers GET /v1/models with a status and a body, and knows nothing else.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	return serving(t, mux.ServeHTTP)
}

func serving(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// at is a provider at an address, and openAIAt where it is asked.
func at(baseURL string) providers.Provider { return providers.Provider{BaseURL: baseURL} }

func openAIAt(baseURL string) place { return placeOf(at(baseURL)) }

func TestModelsAreListedInEveryVendorsShape(t *testing.T) {
	for name, body := range map[string]string{
		"OpenAI":            `{"object":"list","data":[{"id":"b","object":"model","created":1,"owned_by":"x"},{"id":"a"}]}`,
		"a bare array":      `[{"id":"b","created":"yesterday"},{"id":"a"}]`,
		"odd fields":        `{"data":[{"id":"b","created":1.5,"permission":"none","owned_by":null},{"id":"a"},{"id":"a"},{"id":7},{}]}`,
		"Anthropic":         `{"data":[{"type":"model","id":"b","display_name":"B","created_at":"2026-01-01T00:00:00Z"},{"id":"a"}],"has_more":false}`,
		"a byte of a blank": " \n" + `{"data":[{"id":"b"},{"id":"a"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := list(t.Context(), openAIAt(answering(t, 200, body)), secret, limit)
			if err != nil || !reflect.DeepEqual(got, []string{"a", "b"}) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestTheKeyIsSentAsABearerTokenAndTheSlashDoesNotMatter(t *testing.T) {
	for key, want := range map[string]string{secret: "Bearer " + secret, "": "Bearer none"} {
		var got string
		base := serving(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Get("Authorization") + " " + r.URL.Path
			_, _ = w.Write([]byte(`{"data":[]}`))
		})
		if _, err := list(t.Context(), openAIAt(base+"/"), key, limit); err != nil || got != want+" /v1/models" {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestAnswersBecomeWords(t *testing.T) {
	said := `{"error":{"message":"Incorrect API key provided: ` + secret + `","type":"x"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
		key    bool
	}{
		"a wrong key":          {401, said, "does not accept this key", true},
		"a wrong key, no JSON": {401, "no", "does not accept this key", true},
		"no permission":        {403, said, "permissions", true},
		"a wrong address":      {404, "<html>", "no OpenAI-compatible API", false},
		"too many":             {429, said, "out of credit", false},
		"a bad request":        {400, said, "refused the request (it answered 400). It says: Incorrect API key provided: [key]", false},
		"trouble":              {503, said, "in trouble (it answered 503)", false},
		"an error string":      {500, `{"error":"` + secret + `"}`, "in trouble", false},
		"a redirect":           {302, "", "sends on to another", false},
		"HTML":                 {200, "<html>hello</html>", "not like an OpenAI-compatible API", false},
		"other JSON":           {200, `{"hello":"world"}`, "not like an OpenAI-compatible API", false},
		"nothing":              {200, "", "not like an OpenAI-compatible API", false},
		"a list without end":   {200, `{"data":[` + strings.Repeat(" ", maxList) + `]}`, "far too long", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := Key(t.Context(), at(answering(t, c.status, c.body)), secret)
			var p *Problem
			if !errors.As(err, &p) || !strings.Contains(p.Message, c.want) || p.KeyRefused() != c.key {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

// A vendor that lists its models to anyone still looks at the key of a request.
func TestAKeyIsTestedThoughTheListIsPublic(t *testing.T) {
	provider := httptest.NewServer(sim.New(sim.Options{Secret: secret}))
	t.Cleanup(provider.Close)
	public := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data":[{"id":"a"}]}`))
			return
		}
		var q openai.ChatCompletionRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != noModel {
			t.Errorf("asked for %q, %v", q.Model, err)
		}
		if r.Header.Get("Authorization") != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	for name, base := range map[string]string{"public list": public, "simulated": provider.URL + "/v1"} {
		if err := Key(t.Context(), at(base), secret); err != nil {
			t.Errorf("%s: the right key: %v", name, err)
		}
		var p *Problem
		if err := Key(t.Context(), at(base), "sk-wrong"); !errors.As(err, &p) || !p.KeyRefused() {
			t.Errorf("%s: a wrong key: %v", name, err)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	asked := false
	other := serving(t, func(http.ResponseWriter, *http.Request) { asked = true })
	base := serving(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/models", http.StatusTemporaryRedirect)
	})
	if err := Key(t.Context(), at(base), secret); err == nil || asked {
		t.Errorf("got %v; the other address was asked: %v", err, asked)
	}
}

func TestUnreachedProvidersBecomeWords(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tlsServer.Close)
	hangup := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	for name, c := range map[string]struct{ base, want string }{
		"nothing listens":      {"http://" + closed.Addr().String() + "/v1", "Nothing answers"},
		"an unknown authority": {tlsServer.URL + "/v1", "certificate"},
		"http behind https":    {strings.Replace(answering(t, 200, "{}"), "http://", "https://", 1), "does not speak https"},
		"hung up":              {hangup, "broke off"},
		"no address":           {"::", "not a web address"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Key(t.Context(), at(c.base), secret)
			var p *Problem
			if !errors.As(err, &p) || !strings.Contains(p.Message, c.want) || p.Status != 0 || strings.Contains(p.Message, "CANARY") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestAProviderThatHangsIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	base := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	start := time.Now()
	_, err := list(t.Context(), openAIAt(base), secret, 100*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "did not answer") || time.Since(start) > 10*time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Key(gone, at(base), secret); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: got %v", err)
	}
}

func TestImportAddsWhatTheCatalogueKnows(t *testing.T) {
	base := answering(t, 200, `{"data":[{"id":"gpt-5.6-luna"},{"id":"brand-new"}]}`)
	got, err := Import(t.Context(), providers.Provider{Name: "work", Vendor: "openai", BaseURL: base}, secret)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if m := got[0]; m.ID != "work/brand-new" || m.Price != nil || m.Upstream != "brand-new" {
		t.Errorf("unknown: %+v", m)
	}
	if m := got[1]; m.ID != "work/gpt-5.6-luna" || m.Price == nil || m.Price.Input != 1_000_000 || m.Context == 0 || m.Title != "GPT-5.6 Luna" {
		t.Errorf("known: %+v", m)
	}
}

// A provider that speaks its own dialect alone is asked in it.
func TestOtherDialectsAreAskedInTheirOwnWay(t *testing.T) {
	for name, c := range map[string]struct {
		dialect           providers.Dialect
		header, path, say string
	}{
		"Anthropic": {providers.Anthropic, "X-Api-Key", "/v1/models?limit=1000", `{"data":[{"type":"model","id":"claude-x"}]}`},
		"Gemini":    {providers.Gemini, "X-Goog-Api-Key", "/v1/v1beta/models?pageSize=1000", `{"models":[{"name":"models/gemini-x"}]}`},
		"Responses": {providers.Responses, "Authorization", "/v1/models", `{"data":[{"id":"gpt-x"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			base := serving(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RequestURI() != c.path {
					t.Errorf("asked for %s", r.URL.RequestURI())
				}
				if strings.TrimPrefix(r.Header.Get(c.header), "Bearer ") != secret || c.header != "Authorization" && r.Header.Get("Authorization") != "" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				_, _ = w.Write([]byte(c.say))
			})
			p := providers.Provider{Name: "p", BaseURL: base, Dialects: []providers.Dialect{c.dialect}}
			got, err := Import(t.Context(), p, secret)
			if err != nil || len(got) != 1 || !strings.HasSuffix(got[0].Upstream, "-x") || strings.Contains(got[0].Upstream, "models/") {
				t.Errorf("got %+v, %v", got, err)
			}
			var problem *Problem
			if err := Key(t.Context(), p, "sk-wrong"); c.dialect != providers.Responses && (!errors.As(err, &problem) || !problem.KeyRefused()) {
				t.Errorf("a wrong key: got %v", err)
			}
		})
	}
}

// Asking a name server would leave this machine, so the resolver's error is made here.
func TestAHostThatDoesNotExistIsNamed(t *testing.T) {
	err := &url.Error{Op: "Get", URL: "https://api.example.invalid/v1/models", Err: &net.DNSError{Err: "no such host", Name: "api.example.invalid", IsNotFound: true}}
	if p := problem(err, "https://api.example.invalid/v1", secret); !strings.Contains(p.Message, "no machine named api.example.invalid") {
		t.Errorf("got %v", p)
	}
}
