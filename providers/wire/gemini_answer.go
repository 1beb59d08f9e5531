package wire

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"
)

var errNoContent = errors.New("the provider's answer has no candidates")

// ErrorEvent is a bare data line, as all of Google's events: its own clients drop or crash on others.
func (gemini) ErrorEvent(f Failure) []byte {
	type object struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
	}
	code := f.Status
	if code == 0 {
		code = http.StatusInternalServerError
	}
	return event(struct {
		Error object `json:"error"`
	}{object{code, f.Message, GeminiStatus(code)}})
}

// GeminiStatus is Google's word for an HTTP status, in bodies and events alike.
// https://cloud.google.com/apis/design/errors#handling_errors
func GeminiStatus(status int) string {
	switch status {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 409:
		return "ABORTED"
	case 402, 429:
		return "RESOURCE_EXHAUSTED"
	case 502, 503, 529:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	if status >= 400 && status < 500 {
		return "INVALID_ARGUMENT"
	}
	return "INTERNAL"
}

// geminiChunk is one event that we write ourselves.
type geminiChunk struct {
	Candidates []geminiCandidate `json:"candidates"`
	Usage      *geminiUsageBody  `json:"usageMetadata,omitempty"`
	Version    string            `json:"modelVersion,omitempty"`
	ID         string            `json:"responseId,omitempty"`
}

type geminiCandidate struct {
	Content json.RawMessage `json:"content"`
	Finish  string          `json:"finishReason"`
	Index   int64           `json:"index"`
}

// geminiUsageBody is usage in the wire's words.
type geminiUsageBody struct {
	Prompt     int64 `json:"promptTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Total      int64 `json:"totalTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount,omitempty"`
}

func (r *geminiReader) LengthFinish(usage *Usage) []byte {
	chunk := geminiChunk{Version: r.version, ID: r.id, Candidates: []geminiCandidate{}}
	for index := range max(r.replies, 1) {
		if !r.candidates[index] {
			content := json.RawMessage(`{"role":"model","parts":[{"text":""}]}`)
			chunk.Candidates = append(chunk.Candidates, geminiCandidate{content, "MAX_TOKENS", index})
		}
	}
	if usage != nil {
		chunk.Usage = &geminiUsageBody{usage.Input, usage.Output, usage.Input + usage.Output, usage.CachedInput}
	}
	return event(chunk)
}

// AsStream sends the body as one event, or each object of an array as one. Usage is a part of every stream of this wire.
func (gemini) AsStream(body []byte, _ bool) ([]byte, error) {
	parts := geminiParts(body)
	var out []byte
	for i, part := range parts {
		one, err := geminiEvent(part, i == len(parts)-1)
		if err != nil {
			return nil, err
		}
		out = append(out, event(one)...)
	}
	if out == nil {
		return nil, errNoContent
	}
	return out, nil
}

// geminiEvent is an object of a whole body, each candidate with a finish if it is the last one.
func geminiEvent(part gjson.Result, last bool) (json.RawMessage, error) {
	candidates := part.Get("candidates")
	blocked := part.Get("promptFeedback.blockReason").Str != ""
	if !absent(part.Get("error")) || !candidates.IsArray() && !blocked {
		return nil, errNoContent
	}
	list := candidates.Array()
	if len(list) == 0 && !blocked {
		return nil, errNoContent
	}
	var edits []rawEdit
	for i, c := range list {
		if !c.IsObject() {
			return nil, errNoContent
		}
		if last && c.Get("finishReason").Str == "" {
			edits = append(edits, rawEdit{"candidates." + strconv.Itoa(i) + ".finishReason", `"STOP"`})
		}
	}
	return setRaw(part.Raw, edits...)
}
