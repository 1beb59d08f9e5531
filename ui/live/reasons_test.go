package live

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"perdiem/meter"
)

// The owner reads in the log why a call was refused, whatever the reason: each that the gateway or the meter names.
func TestEveryReasonHasWords(t *testing.T) {
	named := regexp.MustCompile(`\bReason += "([A-Z_]+)"`)
	seen := 0
	for _, folder := range []string{"gateway", "meter"} {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range named.FindAllSubmatch(source, -1) {
				seen++
				if reason := meter.Reason(found[1]); Reason(reason) == string(reason) {
					t.Errorf("%s has none", reason)
				}
			}
		}
	}
	if seen < len(reasons) {
		t.Errorf("%d reasons were found, and there are words for %d", seen, len(reasons))
	}
}
