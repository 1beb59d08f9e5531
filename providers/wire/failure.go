package wire

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// FailureOf reads the error that a provider tells in words, in whichever dialect, where its status is not known: Status is
// the one that the error names, or what its type means. What says nothing of a fault of the provider's is one of the
// request, so that nobody asks for it again and again.
func FailureOf(text []byte) Failure {
	f := Failure{Message: "The provider answered with an error.", Type: "server_error", Code: "provider_failed", Status: http.StatusBadGateway}
	b, ok := Readable(text)
	if !ok {
		return f
	}
	root := gjson.ParseBytes(b)
	if root.IsArray() { // Google's streams without alt=sse
		root = root.Get("0")
	}
	for _, path := range []string{"error.message", "error", "message", "detail"} {
		if v := root.Get(path); v.Type == gjson.String && v.Str != "" {
			f.Message = v.Str
			break
		}
	}
	if f.Status = statusOf(root); !root.Get("error").Exists() && (root.Get("candidates").Exists() || root.Get("choices").Exists()) {
		f.Status = http.StatusBadGateway // a reply, though one that says nothing
	}
	if f.Status == http.StatusBadRequest {
		f.Type = "invalid_request_error"
	}
	return f
}

func statusOf(root gjson.Result) int {
	var words []string
	for _, path := range []string{"error.code", "error.status", "error.type", "code", "status", "type"} {
		v := root.Get(path)
		if n, ok := figure(v); ok && n >= http.StatusBadRequest && n < 600 {
			return int(n)
		}
		words = append(words, strings.ToLower(v.Str))
	}
	says := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(strings.Join(words, " "), part) {
				return true
			}
		}
		return false
	}
	switch {
	case says("rate_limit", "quota", "exhausted"):
		return http.StatusTooManyRequests
	case says("server", "api_error", "internal", "overloaded", "unavailable", "timeout", "deadline"):
		return http.StatusBadGateway
	default:
		return http.StatusBadRequest
	}
}
