package connect

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhatIsNoGatewayIsTakenForNone(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"a page":                   {http.StatusOK, "<html>hello</html>"},
		"another program's answer": {http.StatusNotFound, `{"message":"Not Found"}`},
		"nothing":                  {http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			t.Cleanup(server.Close)
			g := Gateway{Base: server.URL + "/v1", client: server.Client()}
			_, models := g.Models(t.Context(), "pdm_x")
			_, _, join := g.Join(t.Context(), "code", "laptop")
			for what, err := range map[string]error{"models": models, "join": join} {
				if err == nil || !strings.Contains(err.Error(), "what answers at "+g.Base+" is no gateway") || !strings.Contains(err.Error(), "its owner told you") {
					t.Errorf("%s: got %v", what, err)
				}
			}
		})
	}
}
