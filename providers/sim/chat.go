package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"perdiem/providers/tokens"
)

// maxBody bounds a request, in bytes.
const maxBody = 32 << 20

// request is what of a chat completion's request matters here.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Stream  bool `json:"stream"`
	Options struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens     *int `json:"max_tokens"`
	MaxCompletion *int `json:"max_completion_tokens"`
	N             *int `json:"n"`
}

// reply is one answer in the pieces that it is sent in, each of which is a token.
type reply struct {
	tokens []string
	finish string // stop, or length if it was cut
}

// completion is all that one request is answered with.
type completion struct {
	id      string
	model   Model
	created int64
	prompt  int64
	replies []reply
}

func (o Options) chat(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		fail(w, http.StatusBadRequest, "invalid_json", "The body is not the JSON of a chat completion.")
		return
	}
	model, ok := find(q.Model)
	if !ok {
		fail(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("There is no model %q here.", q.Model))
		return
	}
	if len(q.Messages) == 0 {
		fail(w, http.StatusBadRequest, "invalid_request", "There are no messages.")
		return
	}
	limit, n := q.limit(), 1
	if q.N != nil {
		n = *q.N
	}
	if limit < 1 || n < 1 || n > 16 {
		fail(w, http.StatusBadRequest, "invalid_request", "The reply's limit must be at least 1, and n from 1 to 16.")
		return
	}
	c := q.complete(model, limit, n)
	c.created = o.Now().Unix()
	if c.prompt > model.context {
		fail(w, http.StatusBadRequest, "context_length_exceeded", fmt.Sprintf("This model reads %d tokens; the messages have %d.", model.context, c.prompt))
		return
	}
	pace := o.Delay * time.Duration(model.pace)
	if q.Stream {
		c.stream(r.Context(), w, pace, q.Options.IncludeUsage)
		return
	}
	if pause(r.Context(), pace*time.Duration(len(c.replies[0].tokens))) {
		answer(w, http.StatusOK, c.whole())
	}
}

// limit is how many tokens a reply may have.
func (q request) limit() int {
	limit := 1 << 30
	for _, field := range []*int{q.MaxTokens, q.MaxCompletion} {
		if field != nil {
			limit = min(limit, *field)
		}
	}
	return limit
}

func (q request) complete(model Model, limit, n int) completion {
	hash := sha256.New()
	c := completion{model: model, prompt: 3}
	asked := ""
	for _, m := range q.Messages {
		text := textOf(m.Content)
		c.prompt += 3 + tokens.CountText(m.Role, model.ID) + tokens.CountText(text, model.ID)
		fmt.Fprintf(hash, "%s\x00%s\x00", m.Role, text)
		if m.Role == "user" {
			asked = text
		}
	}
	sum := hash.Sum(nil)
	c.id = "simcmpl-" + hex.EncodeToString(sum[:12])
	seed := binary.BigEndian.Uint64(sum)
	for i := range n {
		all, finish := pieces(write(model, asked, seed+uint64(i))), "stop"
		if len(all) > limit {
			all, finish = all[:limit], "length"
		}
		c.replies = append(c.replies, reply{all, finish})
	}
	return c
}

// textOf reads a message's content, a string or a list of parts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (c completion) usage() map[string]any {
	output := int64(0)
	for _, r := range c.replies {
		output += int64(len(r.tokens))
	}
	return map[string]any{"prompt_tokens": c.prompt, "completion_tokens": output, "total_tokens": c.prompt + output}
}

func (c completion) whole() map[string]any {
	choices := make([]any, 0, len(c.replies))
	for i, r := range c.replies {
		message := map[string]any{"role": "assistant", "content": strings.Join(r.tokens, "")}
		choices = append(choices, map[string]any{"index": i, "message": message, "finish_reason": r.finish})
	}
	return c.object("chat.completion", choices, c.usage())
}

func (c completion) object(kind string, choices []any, usage any) map[string]any {
	object := map[string]any{"id": c.id, "object": kind, "created": c.created, "model": c.model.ID, "choices": choices}
	if usage != nil {
		object["usage"] = usage
	}
	return object
}

// pause waits, and tells whether the caller is still there.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
