package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"perdiem/testing/fakeprovider"
	"perdiem/testing/harness"
)

// Some providers leave the connection open behind the end of a stream. Who reads to its end need not wait for them.
func TestAStreamIsOverWithItsEndEvent(t *testing.T) {
	h, _, pass := house(t)
	reply := fakeprovider.Chat{}.Answer(fakeprovider.Request{Model: "m", Stream: true, IncludeUsage: true})
	h.Upstream.Next(reply.HangAt(len(reply.Bytes())).Always())
	ctx, leave := context.WithTimeout(t.Context(), 5*time.Second) // half of what a stream that has no end event may stay open
	defer leave()
	answer := h.AskUntil(ctx, pass, model, harness.Question{Stream: true})
	if answer.Err != nil || !strings.HasSuffix(string(answer.Body), "data: [DONE]\n\n") {
		t.Errorf("came %q, and then %v", answer.Body, answer.Err)
	}
	h.Upstream.AwaitEnded(1)
	h.AtRest()
}

// Events that came together may go out together, but whole, in order, and not with those that have yet to come.
func TestEventsThatCameTogetherWaitForNoneThatDidNot(t *testing.T) {
	event := func(text string) string {
		return fmt.Sprintf("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
	}
	var came strings.Builder
	for i := range 200 {
		came.WriteString(event(fmt.Sprint("word ", i)))
		if i%50 == 7 {
			came.WriteString(event(strings.Repeat("long ", 30_000))) // more than goes out in one piece
			came.WriteString(": a comment\n\n")
		}
	}
	half := event("later")[:20]
	body := strings.TrimSuffix(ask(model), "}") + `,"stream":true}`
	for _, version := range []string{"1.0", "1.1"} {
		h, _, pass := house(t)
		h.Upstream.Next(fakeprovider.Reply{
			Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Chunks: []fakeprovider.Chunk{{Data: []byte(came.String() + half)}},
		}.HangAt(came.Len() + len(half)).Always())
		c := h.Dial()
		if _, err := fmt.Fprintf(c, "POST /v1/chat/completions HTTP/%s\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			version, pass, len(body), body); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, came.Len())
		if n, err := io.ReadFull(res.Body, got); err != nil || string(got) != came.String() {
			t.Errorf("HTTP/%s: %d of %d bytes came, or others: %v", version, n, came.Len(), err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		h.Upstream.AwaitEnded(1)
	}
}
