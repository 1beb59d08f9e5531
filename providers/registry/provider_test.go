package registry

import (
	"errors"
	"reflect"
	"testing"

	_ "modernc.org/sqlite"

	"perdiem/providers"
)

func TestAProviderComesBackAsItWasStored(t *testing.T) {
	r := open(t)
	added, err := r.AddProvider(t.Context(), providers.Provider{
		Name: "team-1", Vendor: "anthropic", BaseURL: "https://api.anthropic.com/", Dialects: []providers.Dialect{providers.OpenAI, providers.Anthropic},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Provider{
		Name: "team-1", Vendor: "anthropic", BaseURL: "https://api.anthropic.com/v1",
		Dialects: []providers.Dialect{providers.OpenAI, providers.Anthropic}, CreatedAt: noon,
	}
	all, err := r.Providers(t.Context())
	if err != nil || !reflect.DeepEqual(all, []providers.Provider{want}) || !reflect.DeepEqual(added, want) {
		t.Errorf("got %+v, %v\nadded %+v\nwant %+v", all, err, added, want)
	}
}

func TestEverySpellingOfABaseURLJoinsToTheSameEndpoint(t *testing.T) {
	for raw, want := range map[string]string{
		"https://api.openai.com":                                   "https://api.openai.com/v1",
		"https://api.openai.com/":                                  "https://api.openai.com/v1",
		"https://api.openai.com/v1":                                "https://api.openai.com/v1",
		"https://api.openai.com/v1/":                               "https://api.openai.com/v1",
		"https://api.openai.com//v1//":                             "https://api.openai.com/v1",
		"https://api.openai.com/v1/chat/completions":               "https://api.openai.com/v1",
		"https://api.openai.com/v1/chat/completions/":              "https://api.openai.com/v1",
		"https://api.openai.com/v1/v1":                             "https://api.openai.com/v1",
		"https://api.openai.com/v1/v1/responses":                   "https://api.openai.com/v1",
		"https://api.openai.com/v1/models":                         "https://api.openai.com/v1",
		"https://api.openai.com/v1/embeddings":                     "https://api.openai.com/v1",
		"https://a.services.ai.azure.com/models":                   "https://a.services.ai.azure.com/models",
		"http://localhost:11434":                                   "http://localhost:11434/v1",
		"http://[::1]:1234/":                                       "http://[::1]:1234/v1",
		"https://api.groq.com/openai/v1":                           "https://api.groq.com/openai/v1",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "https://generativelanguage.googleapis.com/v1beta/openai",
		"https://api.z.ai/api/coding/paas/v4":                      "https://api.z.ai/api/coding/paas/v4",
	} {
		if got, err := NormalizeBaseURL(raw, providers.OpenAI); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", raw, got, err, want)
		}
	}
	if got, err := NormalizeBaseURL(" https://api.openai.com/v1\n", providers.OpenAI); err != nil || got != "https://api.openai.com/v1" {
		t.Errorf("blanks of a paste: got %q, %v", got, err)
	}
	for dialect, c := range map[providers.Dialect]struct {
		want string
		raw  []string
	}{
		providers.Anthropic: {"https://a.example/x/v1", []string{"https://a.example/x", "https://a.example/x/", "https://a.example/x/v1", "https://a.example/x/v1/messages", "https://a.example/x/v1/v1"}},
		providers.Gemini:    {"https://a.example/x", []string{"https://a.example/x", "https://a.example/x/v1beta", "https://a.example/x/v1/", "https://a.example/x/v1beta/models", "https://a.example/x/v1beta/models/gemini-3:generateContent"}},
		providers.Responses: {"https://a.example/v1", []string{"https://a.example", "https://a.example/v1", "https://a.example/v1/responses"}},
	} {
		for _, raw := range c.raw {
			if got, err := NormalizeBaseURL(raw, dialect); err != nil || got != c.want {
				t.Errorf("%s, %q: got %q, %v", dialect, raw, got, err)
			}
		}
	}
}

func TestEachDialectHasItsBaseURL(t *testing.T) {
	r := open(t)
	for _, p := range []providers.Provider{
		{Name: "gemini", Vendor: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai/"},
		{Name: "all", BaseURL: "http://localhost:8000/v1", Dialects: []providers.Dialect{providers.OpenAI, providers.Responses, providers.Anthropic, providers.Gemini}},
		{Name: "two", BaseURL: "http://a.example", Dialects: []providers.Dialect{providers.Anthropic, providers.OpenAI}, Bases: map[providers.Dialect]string{providers.OpenAI: "http://b.example"}},
	} {
		if _, err := r.AddProvider(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := r.AddModel(t.Context(), providers.Model{ID: p.Name + "/m"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]map[providers.Dialect]string{
		"gemini": {providers.OpenAI: "https://generativelanguage.googleapis.com/v1beta/openai", providers.Gemini: "https://generativelanguage.googleapis.com", providers.Anthropic: ""},
		"all":    {providers.OpenAI: "http://localhost:8000/v1", providers.Responses: "http://localhost:8000/v1", providers.Anthropic: "http://localhost:8000/v1", providers.Gemini: "http://localhost:8000"},
		"two":    {providers.Anthropic: "http://a.example/v1", providers.OpenAI: "http://b.example/v1", providers.Gemini: ""},
	} {
		target, err := r.Resolve(t.Context(), name+"/m")
		if err != nil {
			t.Fatal(err)
		}
		for d, base := range want {
			if got, ok := target.Provider.Base(d); got != base || ok != (base != "") {
				t.Errorf("%s, %s: got %q, %v; want %q", name, d, got, ok, base)
			}
		}
	}
	_, err := r.AddProvider(t.Context(), providers.Provider{Name: "bad", BaseURL: "http://a.example", Dialects: []providers.Dialect{providers.OpenAI}, Bases: map[providers.Dialect]string{providers.OpenAI: "x"}})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("a base URL that is none: got %v", err)
	}
}

func TestRemovingAProviderTakesAllThatIsItsOwn(t *testing.T) {
	r := withProvider(t, "a", "b")
	for _, p := range []string{"a", "b"} {
		if _, err := r.AddKey(t.Context(), p, "", providers.Keychain); err != nil {
			t.Fatal(err)
		}
		if _, err := r.AddModel(t.Context(), providers.Model{ID: p + "/m", Aliases: []string{p + "-alias"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.RemoveProvider(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	keys, err := r.Keys(t.Context(), "")
	models, err2 := r.Models(t.Context())
	if err != nil || err2 != nil || len(keys) != 1 || len(models) != 1 || models[0].ID != "b/m" {
		t.Errorf("left: %+v %+v, %v %v", keys, models, err, err2)
	}
	// The names are free again.
	if _, err := r.AddModel(t.Context(), providers.Model{ID: "b/n", Aliases: []string{"a-alias", "a/m"}}); err != nil {
		t.Error(err)
	}
}

func TestNoTwoProvidersShareAKeyVariable(t *testing.T) {
	r := open(t)
	if _, err := r.AddProvider(t.Context(), providers.Provider{Name: "team-a", BaseURL: "http://127.0.0.1:1/v1"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"team.a", "TEAM_A"} {
		if _, err := r.AddProvider(t.Context(), providers.Provider{Name: name, BaseURL: "http://127.0.0.1:2/v1"}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
