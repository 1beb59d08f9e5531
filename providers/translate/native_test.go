package translate

import (
	"bytes"
	"testing"

	"perdiem/providers"
	"perdiem/providers/wire"
)

func TestNativeProvidersAreToldTheThoughtsOfTheirOwnAlone(t *testing.T) {
	google, anthropic := Proof{ByGoogle, "c2ln"}, Proof{ByAnthropic, "c2ln"}
	const own = `"EqQBCkYIBxgC"`
	for name, c := range map[string]struct {
		dialect          providers.Dialect
		model, said, got string
	}{
		"their own": {providers.Anthropic, "m",
			`{"messages": [{"role":"assistant","content":[ {"type":"thinking","thinking":"a","signature":` + own + `}]}]}`,
			`{"messages": [{"role":"assistant","content":[ {"type":"thinking","thinking":"a","signature":` + own + `}]}]}`},
		"Anthropic's": {providers.Anthropic, "m",
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"` + google.mark(ByAnthropic) + `"},{"type":"thinking","thinking":"b","signature":` + own + `},{"type":"text","text":"c"}]},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"d","signature":"` + Proof{}.mark(ByAnthropic) + `"}]},{"role":"user","content":[]}],"max_tokens":9}`,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"b","signature":` + own + `},{"type":"text","text":"c"}]},{"role":"user","content":[]}],"max_tokens":9}`},
		"OpenAI's": {providers.Responses, "m",
			`{"input":[{"type":"reasoning","summary":[],"encrypted_content":"` + anthropic.mark(ByOpenAI) + `"},{"type":"reasoning","summary":[],"encrypted_content":` + own + `},{"role":"user","content":"a"},{"type":"reasoning","encrypted_content":"` + Proof{}.mark(ByOpenAI) + `"}]}`,
			`{"input":[{"type":"reasoning","summary":[],"encrypted_content":` + own + `},{"role":"user","content":"a"}]}`},
		"Google's": {providers.Gemini, "gemini-3-pro",
			`{"contents":[{"role":"model","parts":[{"text":"a","thought_signature":"` + anthropic.mark(ByGoogle) + `"},{"functionCall":{"name":"f"},"thoughtSignature":"` + sealThoughts([]Part{{Text: "a", Proof: anthropic}}) + `"},{"functionCall":{"name":"f"},"thoughtSignature":` + own + `}]}]}`,
			`{"contents":[{"role":"model","parts":[{"text":"a","thought_signature":"` + unsigned + `"},{"functionCall":{"name":"f"},"thoughtSignature":"` + unsigned + `"},{"functionCall":{"name":"f"},"thoughtSignature":` + own + `}]}]}`},
		"Google's, older": {providers.Gemini, "gemini-2.5-pro",
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"` + anthropic.mark(ByGoogle) + `"}]}]}`,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]}]}`},
		"words that look like one": {providers.OpenAI, "m", `{"messages":[{"content":"Y2hhdDo="}]}`, `{"messages":[{"content":"Y2hhdDo="}]}`},
	} {
		if got := string(Native(c.dialect, c.model, []byte(c.said))); got != c.got {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.got)
		}
	}
}

// What a translated reply told of thoughts is known for that, whoever thought them.
func TestNativeFindsEveryThoughtThatWasTranslated(t *testing.T) {
	for _, proof := range []Proof{{}, {ByChat, chatThinking}, {ByGoogle, "s"}, {HiddenByAnthropic, "x"}, {ByOpenAI, "o"}, {ByAnthropic, "a"}} {
		list := []Piece{{Kind: Begin}, {Kind: Thinks, Text: "hm"}, {Kind: Proves, Proof: proof}, {Kind: Says, Text: "a"}, {Kind: Finish, Reason: Stopped}, {Kind: End}}
		for caller, own := range map[providers.Dialect]Vendor{providers.Anthropic: ByAnthropic, providers.Responses: ByOpenAI} {
			if proof.Vendor == own {
				continue
			}
			q := &Request{Asked: []byte(`{"include":["` + includeProofs + `"]}`)}
			for how, reply := range map[string][]byte{
				"whole": whole(t, dialects[caller].encoder(q, ReplyOptions{}), list), "as a stream": told(dialects[caller].encoder(q, ReplyOptions{}), list),
			} {
				if !hasSeal(reply) {
					t.Errorf("%q's proof, told to %s %s: %s", proof.Vendor, caller, how, reply)
				}
			}
		}
	}
}

// FuzzNative tries foreign bodies: what is left of one is one still, and there is nothing more to take out of it.
func FuzzNative(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"` + noProof + `"},{"type":"text","text":"b"}]}]}`))
	f.Add([]byte(`{"model":"m","input":[{"type":"reasoning","summary":[],"encrypted_content":"` + noProof + `"},{"role":"user","content":"a"}]}`))
	f.Add([]byte(`{"contents":[{"parts":[{"text":"a","thoughtSignature":"` + noProof + `"}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for d, w := range map[providers.Dialect]wire.Wire{providers.Anthropic: wire.Messages, providers.Responses: wire.Responses, providers.Gemini: wire.Generate(false).Wire()} {
			if _, err := w.Inspect(body); err != nil {
				continue
			}
			left := Native(d, "m", body)
			if !wire.Valid(left) || !bytes.Equal(Native(d, "m", left), left) {
				t.Errorf("%s: %s became %s", d, body, left)
			}
		}
	})
}
