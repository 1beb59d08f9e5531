package gateway_test

import (
	"testing"

	"perdiem/gateway"
	"perdiem/ui/live"
)

// The owner reads in the log why a call was refused.
func TestEveryReasonHasWordsForTheOwner(t *testing.T) {
	for reason := range gateway.Answers {
		if live.Reason(reason) == string(reason) {
			t.Errorf("%s has none", reason)
		}
	}
}
