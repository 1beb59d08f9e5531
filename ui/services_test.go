package ui

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"perdiem/providers"
)

// A provider is asked in its own dialect, and a key is tested though the list is public.
func TestEveryProviderIsAskedInItsOwnWay(t *testing.T) {
	const right = "sk-right"
	for name, c := range map[string]struct {
		dialect              providers.Dialect
		header, prefix, list string
		public               bool
	}{
		"OpenAI":        {providers.OpenAI, "Authorization", "Bearer ", "/v1/models", false},
		"a public list": {providers.OpenAI, "Authorization", "Bearer ", "/v1/models", true},
		"Anthropic":     {providers.Anthropic, "X-Api-Key", "", "/v1/models", false},
		"Gemini":        {providers.Gemini, "X-Goog-Api-Key", "", "/v1beta/models", false},
	} {
		t.Run(name, func(t *testing.T) {
			vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				known, listing := r.Header.Get(c.header) == c.prefix+right, r.Method == http.MethodGet && r.URL.Path == c.list
				switch {
				case !known && (!listing || !c.public):
					w.WriteHeader(http.StatusUnauthorized)
				case listing && c.dialect == providers.Gemini:
					_, _ = w.Write([]byte(`{"models":[{"name":"models/m"}]}`))
				case listing:
					_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(vendor.Close)
			p := providers.Provider{Name: "p", BaseURL: vendor.URL, Dialects: []providers.Dialect{c.dialect}}
			if got, err := (world{}).List(t.Context(), p, right); err != nil || len(got) != 1 || got[0].ID != "p/m" {
				t.Errorf("got %+v, %v", got, err)
			}
			if _, err := (world{}).List(t.Context(), p, "sk-wrong"); err == nil {
				t.Error("a wrong key passes")
			}
		})
	}
}
