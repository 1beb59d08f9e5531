package cli

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNearestNamesAreOffered(t *testing.T) {
	known := []string{"alice", "Bob", "caroline", "openai/gpt-5-mini", "openai/gpt-5"}
	for name, want := range map[string][]string{
		"alicia": {"alice"},
		"bob":    {"Bob"},
		"gpt-5":  {"openai/gpt-5-mini", "openai/gpt-5"},
		"zoe":    nil,
		"":       nil,
	} {
		if got := nearest(name, known); !slices.Equal(got, want) {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	word := rapid.StringMatching(`[a-cé]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if (distance(a, b) == 0) != (a == b) || distance(a, b) != distance(b, a) || distance(a, c) > distance(a, b)+distance(b, c) {
			t.Fatal("not a metric")
		}
	})
}
