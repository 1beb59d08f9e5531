// Package security checks that docs/security.md names tests that there are.
package security

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	named    = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)(?:/([a-z]+))?`")
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

func TestEveryPromiseNamesATestThatExists(t *testing.T) {
	root := filepath.Join("..", "..")
	exist := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(source, -1) {
			exist[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises := named.FindAllStringSubmatch(string(text), -1)
	if len(promises) == 0 {
		t.Fatal("docs/security.md names no test")
	}
	for _, found := range promises {
		if !exist[found[1]] {
			t.Errorf("docs/security.md names %s, which no test is", found[1])
		}
		if script := found[2]; script != "" {
			if _, err := os.Stat(filepath.Join(root, "ui", "cli", "testdata", "script", script+".txtar")); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("docs/security.md names the script %s, which is not there", script)
			}
		}
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "| ") && line != "| promise | shown by |" && !named.MatchString(line) {
			t.Errorf("a promise without a test: %s", line)
		}
	}
}
