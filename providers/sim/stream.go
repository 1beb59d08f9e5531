package sim

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// stream sends the replies token by token, all of them at the same pace, until the caller leaves.
func (c completion) stream(ctx context.Context, w http.ResponseWriter, pace time.Duration, usage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(choices []any, usage any) bool {
		data, err := json.Marshal(c.object("chat.completion.chunk", choices, usage))
		if err == nil {
			_, err = w.Write(append(append([]byte("data: "), data...), "\n\n"...))
		}
		return err == nil && flush.Flush() == nil
	}
	for i := range c.replies {
		if !send(choice(i, map[string]any{"role": "assistant", "content": ""}, nil), nil) {
			return
		}
	}
	for at := 0; ; at++ {
		more := false
		for i, r := range c.replies {
			switch {
			case at < len(r.tokens):
				more = true
				if !send(choice(i, map[string]any{"content": r.tokens[at]}, nil), nil) {
					return
				}
			case at == len(r.tokens):
				if !send(choice(i, map[string]any{}, r.finish), nil) {
					return
				}
			}
		}
		if !more {
			break
		}
		if !pause(ctx, pace) {
			return
		}
	}
	if usage && !send([]any{}, c.usage()) {
		return
	}
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}

func choice(index int, delta map[string]any, finish any) []any {
	return []any{map[string]any{"index": index, "delta": delta, "finish_reason": finish}}
}
