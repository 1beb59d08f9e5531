package ui

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("LANG", "en_US.UTF-8") // Fyne complains loudly of the locale C
	goleak.VerifyTestMain(m)
}
