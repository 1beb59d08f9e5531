package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"perdiem/testing/fakeprovider"
)

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
		c := dial(t, h)
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
