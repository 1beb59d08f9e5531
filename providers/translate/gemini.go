package translate

import (
	"encoding/json"
	"strings"
)

// gemini is Google's generateContent, in the version v1beta. https://ai.google.dev/api/generate-content
var gemini = dialect{
	read:    readGemini,
	write:   writeGemini,
	decoder: func() decoder { return &geminiDecoder{} },
	encoder: func(q *Request, o ReplyOptions) encoder { return &geminiEncoder{request: q, id: o.ID} },
}

// geminiContent is one turn, and geminiPart one part of it, in requests and replies.
type geminiContent struct {
	Role  string       `json:"role,omitempty"` // user, model; none for the system's
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text      *string         `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Inline    *geminiBlob     `json:"inlineData,omitempty"`
	File      *geminiFile     `json:"fileData,omitempty"`
	Call      *geminiCall     `json:"functionCall,omitempty"`
	Response  *geminiResponse `json:"functionResponse,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
}

type geminiBlob struct {
	MIME string `json:"mimeType"`
	Data string `json:"data"`
}

type geminiFile struct {
	MIME string `json:"mimeType,omitempty"`
	URI  string `json:"fileUri"`
}

type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

func geminiText(text string) geminiPart { return geminiPart{Text: &text} }

// camel is a field's name in camel case, as Google also takes it with underscores.
func camel(name string) string {
	head, rest, ok := strings.Cut(name, "_")
	if !ok || head == "" {
		return name
	}
	var b strings.Builder
	b.WriteString(head)
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
