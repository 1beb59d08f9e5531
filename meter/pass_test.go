package meter

import (
	"testing"
	"time"
)

func TestOfAPassInATextOnlyItsPublicCharactersAreLeft(t *testing.T) {
	_, secret := newPass("", time.Now(), nil)
	public := secret[:len(passPrefix)+passIDLength+1]
	for name, c := range map[string]struct{ text, want string }{
		"a pass":        {secret, public + "…"},
		"in a text":     {"tool/" + secret + ", " + secret + "!", "tool/" + public + "…, " + public + "…!"},
		"cut short":     {"model " + secret[:20] + "…", "model " + public + "……"},
		"none":          {"pdm_ and openai/gpt-5-mini", "pdm_ and openai/gpt-5-mini"},
		"its public id": {public, public},
	} {
		if got := WithoutPasses(c.text); got != c.want {
			t.Errorf("%s: %d characters are left of %d, want %d", name, len(got), len(c.text), len(c.want))
		}
	}
}
