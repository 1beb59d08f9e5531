package translate

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// Anthropic, and some servers of chat completions, refuse a call in the history without the thoughts before it. Google's
// own clients keep the signatures of calls, but drop thoughts, as Google does without them; and who did not ask for thoughts
// is told none. So a call's signature brings along the thoughts before it, where they have a proof.

// sealedThought is a thought in a signature.
type sealedThought struct {
	Text   string `json:"text,omitempty"`
	Vendor Vendor `json:"vendor"`
	Token  string `json:"token"`
}

// thoughtsMark begins such a signature, in base64 as a whole.
const thoughtsMark = "thoughts:"

// sealThoughts is the signature of a call behind thoughts; "" where they have no proof.
func sealThoughts(thoughts []Part) string {
	var sealed []sealedThought
	for _, t := range thoughts {
		if t.Proof.Token != "" {
			sealed = append(sealed, sealedThought{t.Text, t.Proof.Vendor, t.Proof.Token})
		}
	}
	if sealed == nil {
		return ""
	}
	b, _ := marshal(sealed) // strings always marshal
	return base64.StdEncoding.EncodeToString(append([]byte(thoughtsMark), b...))
}

// unsealThoughts reads the thoughts in a signature; none in any other.
func unsealThoughts(signature string) (thoughts []Part) {
	plain, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return nil
	}
	list, ok := strings.CutPrefix(string(plain), thoughtsMark)
	var sealed []sealedThought
	if !ok || json.Unmarshal([]byte(list), &sealed) != nil {
		return nil
	}
	for _, t := range sealed {
		thoughts = append(thoughts, Part{Kind: Thought, Text: t.Text, Proof: Proof{t.Vendor, t.Token}})
	}
	return thoughts
}

// bringBack puts thoughts where they were: before all that was said since the call before. Those that the caller has kept
// are there already.
func bringBack(parts, thoughts []Part) []Part {
	start := len(parts)
	for start > 0 && parts[start-1].Kind != Call {
		start--
	}
	kept := func(t Part) bool {
		return slices.ContainsFunc(parts[start:], func(p Part) bool { return p.Kind == Thought && p.Proof == t.Proof })
	}
	return slices.Insert(parts, start, slices.DeleteFunc(thoughts, kept)...)
}
