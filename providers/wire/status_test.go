package wire

import (
	"strings"
	"testing"
)

// What a status is called is the same in a body, which the gateway writes with these words, and in the event that ends a
// stream.
func TestStatusesHaveTheVendorsWords(t *testing.T) {
	for status, want := range map[int]struct{ anthropic, gemini string }{
		0:   {"api_error", "INTERNAL"},
		400: {"invalid_request_error", "INVALID_ARGUMENT"},
		401: {"authentication_error", "UNAUTHENTICATED"},
		402: {"billing_error", "RESOURCE_EXHAUSTED"},
		403: {"permission_error", "PERMISSION_DENIED"},
		404: {"not_found_error", "NOT_FOUND"},
		405: {"invalid_request_error", "INVALID_ARGUMENT"},
		409: {"invalid_request_error", "ABORTED"},
		413: {"request_too_large", "INVALID_ARGUMENT"},
		422: {"invalid_request_error", "INVALID_ARGUMENT"},
		429: {"rate_limit_error", "RESOURCE_EXHAUSTED"},
		500: {"api_error", "INTERNAL"},
		502: {"api_error", "UNAVAILABLE"},
		503: {"overloaded_error", "UNAVAILABLE"},
		504: {"timeout_error", "DEADLINE_EXCEEDED"},
		529: {"overloaded_error", "UNAVAILABLE"},
	} {
		if got := AnthropicErrorType(status); got != want.anthropic {
			t.Errorf("%d is %q to Anthropic's clients, want %q", status, got, want.anthropic)
		}
		if got := GeminiStatus(status); got != want.gemini {
			t.Errorf("%d is %q to Google's clients, want %q", status, got, want.gemini)
		}
		f := Failure{Message: "No.", Status: status}
		if got := string(Messages.ErrorEvent(f)); !strings.Contains(got, `"`+want.anthropic+`"`) {
			t.Errorf("the event of %d: %s", status, got)
		}
	}
}
