package gateway

import (
	"fmt"
	"net/http"
)

// Insecure answers whoever speaks HTTP where the port speaks HTTPS. A tool that was set up with the
// wrong address is told the right one, in its own dialect; it is never sent there, since its pass has
// gone over the wire in the clear by then, and its owner should know. A browser that comes for the
// page is. What is at public, which is no secret and tells how to trust the port, is there, and so is
// whether the gateway is well.
func Insecure(public string, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+public, page)
	mux.HandleFunc("GET /healthz", answerHealth)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+"/", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", newRequestID())
		w.Header().Set("X-Should-Retry", "false")
		r.URL.Path = canonicalPath(r.URL.Path)
		host := shorten(r.Host)
		tell(w, voiceOf(r), told{
			answer:  answer{http.StatusBadRequest, "invalid_request_error", "https_required", false},
			message: fmt.Sprintf("This gateway speaks HTTPS: its address is https://%s/v1, with an s after http. Your tool must also trust the gateway's certificate; https://%s/ tells how.", host, host),
		})
	})
	return mux
}
