package translate

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// unsigned is what Google takes for the proof of a call that none of its models made; models since Gemini 3 refuse a turn
// whose first call has no proof. https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
const unsigned = "skip_thought_signature_validator"

// geminiContents are turns being written. Those of one side that follow each other become one, but for results, which
// Google wants in a turn of their own right behind their calls.
type geminiContents struct {
	w     *writing
	turns []geminiContent
	last  Role                    // whose the last turn is
	calls map[string]geminiCalled // by id
}

// geminiCalled is what was called, and its place among all calls.
type geminiCalled struct {
	name  string
	place int
}

func writeGeminiContents(w *writing, q *Request, o Options, body *geminiRequest) {
	c := &geminiContents{w: w, calls: map[string]geminiCalled{}}
	messages := q.Messages
	for len(messages) > 0 && messages[0].Role == System {
		body.System = &geminiContent{Parts: append(systemParts(body.System), c.parts(messages[0].Parts)...)}
		messages = messages[1:]
	}
	for len(messages) > 0 {
		n := 1
		switch m := messages[0]; m.Role {
		case ToolRole:
			for n < len(messages) && messages[n].Role == ToolRole {
				n++
			}
			c.add(ToolRole, c.results(messages[:n]))
		case Assistant:
			c.add(Assistant, c.parts(m.Parts))
		default: // the system's words in the middle of a conversation keep their place
			c.add(User, c.parts(m.Parts))
		}
		messages = messages[n:]
	}
	if len(c.turns) == 0 && len(systemParts(body.System)) > 0 { // Google wants something that it is asked
		c.add(User, body.System.Parts)
		body.System = nil
	}
	if body.System != nil && len(body.System.Parts) == 0 {
		body.System = nil
	}
	if len(c.turns) == 0 {
		w.refuse("messages", "there is nothing that the user says")
	}
	if !olderGemini(o.Model) {
		markUnsigned(c.turns)
	}
	body.Contents = c.turns
}

func systemParts(c *geminiContent) []geminiPart {
	if c == nil {
		return nil
	}
	return c.Parts
}

func (c *geminiContents) add(role Role, parts []geminiPart) {
	switch n := len(c.turns); {
	case len(parts) == 0:
	case n == 0 && role == Assistant:
		c.add(User, []geminiPart{geminiText(opening)})
		c.add(Assistant, parts)
	case n > 0 && c.last == role:
		c.turns[n-1].Parts = append(c.turns[n-1].Parts, parts...)
	default:
		name := "user"
		if role == Assistant {
			name = "model"
		}
		c.turns, c.last = append(c.turns, geminiContent{name, parts}), role
	}
}

// markUnsigned gives the first call of each turn a proof, where it has none.
func markUnsigned(turns []geminiContent) {
	for _, turn := range turns {
		first := slices.IndexFunc(turn.Parts, func(p geminiPart) bool { return p.Call != nil })
		if first >= 0 && turn.Parts[first].Signature == "" {
			turn.Parts[first].Signature = unsigned
		}
	}
}

func (c *geminiContents) parts(parts []Part) (said []geminiPart) {
	for _, p := range parts {
		switch p.Kind {
		case Text, Refusal:
			if p.Text != "" {
				said = append(said, geminiText(p.Text))
			}
		case Image, File, Audio:
			said = append(said, c.media(p))
		case Call:
			c.calls[p.ID] = geminiCalled{p.Name, len(c.calls)}
			said = append(said, geminiPart{Call: &geminiCall{p.ID, p.Name, asObject(p.Arguments)}, Signature: googleProof(p)})
		case Thought:
			if proof := googleProof(p); proof != "" {
				part := geminiText(p.Text)
				part.Thought, part.Signature = p.Text != "", proof
				said = append(said, part)
			}
		case Result: // only in messages of their own
		}
	}
	return said
}

func googleProof(p Part) string {
	if p.Proof.Vendor == ByGoogle {
		return p.Proof.Token
	}
	return ""
}

// results writes what tools gave, in the order of their calls, and images and files of theirs behind them.
func (c *geminiContents) results(messages []Message) []geminiPart {
	type result struct {
		part  geminiPart
		place int
	}
	var results []result
	var media []geminiPart
	for _, m := range messages {
		for _, p := range m.Parts {
			call := c.calls[p.ID]
			var texts []string
			for _, part := range p.Content {
				if part.Kind == Text || part.Kind == Refusal {
					texts = append(texts, part.Text)
				} else {
					media = append(media, c.media(part))
				}
			}
			response := &geminiResponse{p.ID, call.name, outputOf(strings.Join(texts, "\n"), p.Failed)}
			results = append(results, result{geminiPart{Response: response}, call.place})
		}
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.place, b.place) })
	said := make([]geminiPart, 0, len(results)+len(media))
	for _, r := range results {
		said = append(said, r.part)
	}
	return append(said, media...)
}

// outputOf says a result under the names that Google has for what a function gives, and for its failure.
func outputOf(text string, failed bool) json.RawMessage {
	name := "output"
	if failed {
		name = "error"
	}
	said, _ := marshal(map[string]string{name: text}) // strings always marshal
	return said
}

// media writes an image, a sound or a file. Google takes public addresses in place of data.
// https://ai.google.dev/gemini-api/docs/file-input-methods
func (c *geminiContents) media(p Part) geminiPart {
	if p.Detail == "low" || p.Detail == "high" {
		c.w.leave("detail")
	}
	if p.Name != "" && p.Kind == File {
		c.w.leave("filename")
	}
	switch {
	case p.Data != "":
		return geminiPart{Inline: &geminiBlob{p.MIME, p.Data}}
	case p.URL != "":
		return geminiPart{File: &geminiFile{cmp.Or(p.MIME, mimeOf(p)), p.URL}}
	}
	c.w.refuse("messages", "a file is given by a name that only its own vendor knows")
	return geminiPart{}
}

// mimeOf is the kind of a file by the end of its address, as Google wants to be told one.
func mimeOf(p Part) string {
	address, _, _ := strings.Cut(p.URL, "?")
	switch strings.ToLower(path.Ext(address)) {
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".pdf":
		return "application/pdf"
	}
	if p.Kind == Image {
		return "image/jpeg"
	}
	return "application/pdf"
}
