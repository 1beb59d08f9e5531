package translate

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"perdiem/providers"
)

var update = flag.Bool("update", false, "write docs/dialects.md anew")

const (
	chats   = providers.OpenAI
	asks    = providers.Responses
	writes  = providers.Anthropic
	googles = providers.Gemini
)

var columns = []struct {
	caller, provider providers.Dialect
}{
	{chats, writes}, {chats, googles}, {asks, chats}, {asks, writes}, {asks, googles}, {writes, chats}, {writes, googles}, {googles, chats}, {googles, writes},
}

// fate is what becomes of a feature on its way: carried, left out, or refused by its name.
func (f feature) fate(t *testing.T, caller, provider providers.Dialect) string {
	t.Helper()
	body, says := f.said[caller]
	if !says {
		return ""
	}
	translation, ok := Between(caller, provider)
	if !ok {
		t.Fatalf("no translation from %s to %s", caller, provider)
	}
	said, err := translation.Request([]byte(body), Options{Model: "m", Reply: 40_000, CapField: "max_completion_tokens", Reasons: true})
	if err != nil {
		return "refused"
	}
	before, after := &reading{}, &reading{}
	q, back := dialects[caller].read(before, []byte(body)), dialects[provider].read(after, said.Body)
	if before.err != nil || after.err != nil {
		t.Fatalf("%s, %s to %s: what was written cannot be read: %v\n%s", f.name, caller, provider, after.err, said.Body)
	}
	want, got := f.seen(q), f.seen(back)
	carried := want != nil && reflect.DeepEqual(want, got)
	switch {
	case carried && len(said.Left) == 0:
		return "carried"
	case len(said.Left) > 0:
		return "left out"
	}
	t.Errorf("%s, %s to %s: dropped silently, or changed: %v became %v\n%s", f.name, caller, provider, want, got, said.Body)
	return "dropped"
}

// Nothing is dropped silently: a feature is carried, or left out and told, or refused. docs/dialects.md says which.
func TestFeaturesAcrossDialects(t *testing.T) {
	titles := map[providers.Dialect]string{chats: "chat", asks: "Responses", writes: "Anthropic", googles: "Gemini"}
	var page bytes.Buffer
	page.WriteString(dialectsIntro)
	head, rule := "| what is said |", "|---|"
	for _, c := range columns {
		head += " " + titles[c.caller] + " → " + titles[c.provider] + " |"
		rule += "---|"
	}
	fmt.Fprintf(&page, "%s\n%s\n", head, rule)
	for _, f := range features {
		fmt.Fprintf(&page, "| %s |", f.name)
		for _, c := range columns {
			fmt.Fprintf(&page, " %s |", f.fate(t, c.caller, c.provider))
		}
		page.WriteByte('\n')
	}
	path := filepath.Join("..", "..", "docs", "dialects.md")
	if *update {
		if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	there, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(there, page.Bytes()) {
		t.Errorf("docs/dialects.md is out of date (%v): go test ./providers/translate -run FeaturesAcross -update", err)
	}
}

const dialectsIntro = `# Any tool on any model

A tool speaks the dialect of one vendor; a model's provider may speak another. Perdiem then says the request in the
provider's dialect, and the reply in the tool's, event by event. Where both speak the same, nothing is translated and
not a byte is changed that need not be.

- The figures are the provider's own, read before anything is translated: an allowance is spent as on any other call.
- What the provider cannot be told is **refused** by the field's name, with status 400; or, where leaving it out does not
  change what the answer means, **left out** and named in the answer's header ` + "`x-perdiem-notice`" + `. Nothing is dropped
  silently. An empty place in the table says that the tool's dialect has no words for it.
- Thoughts come along where both dialects show them. What a vendor signs them with goes back to that vendor alone.
  Where a conversation comes back to a model of the tool's own dialect, the thoughts of others stay behind.
- Tools that run at one vendor (web search, code execution) have no counterpart at another: they are not offered to the model,
  and a request that insists on one is refused.
- Images are sent along as they are. An address of an image goes along where the provider fetches addresses.
- Replies are not stored for other vendors' models: ` + "`previous_response_id`" + ` is refused, so send the whole conversation, as Codex does.
- Counting tokens costs nothing, and is answered by Perdiem's own count where the provider cannot be asked in that dialect.
- Embeddings, images, sounds and the old completions are not translated: ` + "`DIALECT_NOT_SERVED`" + `.

This table is made from the tests (` + "`go test ./providers/translate -run FeaturesAcross -update`" + `).

`
