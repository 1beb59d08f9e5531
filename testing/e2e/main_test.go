package e2e

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"perdiem/testing/harness"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		harness.RemoveBuilt()
		os.Exit(status)
	}))
}
