package tokens

import (
	"testing"

	"pgregory.net/rapid"
)

// Letters that are taken in together count like those that are taken in one by one.
func TestLettersCountTheSameTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-cA-C0-3 .,/+_"\n-]{0,60}|[a-z]{0,40}|([A-Z][a-z]{1,20}){0,6}|[a-zA-Z0-9+/]{0,80}`).Draw(t, "text")
		var one, together Counter
		one.Add(text)
		together.addEscaped([]byte(text))
		if one != together {
			t.Fatalf("%q: %+v one by one, %+v together", text, one, together)
		}
	})
}
