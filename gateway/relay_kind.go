package gateway

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
)

// replyKind is how a reply is relayed.
type replyKind int

const (
	asWhole replyKind = iota
	asEvents
	asBytes
	asGathered
)

// kindSaid is the kind of a reply whose header alone tells it.
func (c *call) kindSaid(resp *http.Response) (kind replyKind, ok bool) {
	said := mediaType(resp.Header)
	switch {
	case c.ask.facts.ByRequest && said != eventType && said != "application/json" && said != "text/html":
		return asBytes, true
	case !c.facts.Stream && said != eventType:
		return asWhole, true
	}
	return 0, false
}

// kindSeen is the kind of a reply where a stream is due, by what it says it is and by how it begins, which it
// waits for: some providers put an error's body under the type of a stream, some forget that type. The type in
// its header is then put right.
func (c *call) kindSeen(resp *http.Response) replyKind {
	said := mediaType(resp.Header)
	body := bufio.NewReaderSize(resp.Body, 512) // for the beginning; what reads on goes past it
	resp.Body = struct {
		io.Reader
		io.Closer
	}{body, resp.Body}
	switch head := firstWord(body); {
	case said == eventType && bytes.ContainsAny(head[:min(len(head), 1)], "{[<"):
		resp.Header.Set("Content-Type", "application/json")
		return asWhole
	case said == eventType && !c.facts.Stream && !c.ask.facts.ByRequest: // a sound may be asked for as events in other words
		return asGathered
	case said == eventType, isField(head):
		return asEvents
	default:
		return asWhole
	}
}

const eventType = "text/event-stream"

// isField tells whether an event stream may begin like this.
func isField(head []byte) bool {
	name, _, ok := bytes.Cut(head, []byte(":"))
	switch string(name) {
	case "", "data", "event", "id", "retry":
		return ok
	}
	return false
}

// longestField is the length of "retry:", the longest of what a line of an event stream begins with.
const longestField = 6

// firstWord waits for the first bytes of a body that are no blanks, nor a byte order mark, and leaves
// them there. It is empty where none come.
func firstWord(body *bufio.Reader) []byte {
	for n := 1; ; n++ {
		head, err := body.Peek(max(n, min(body.Buffered(), body.Size())))
		for len(head) > 0 && strings.IndexByte("\xef\xbb\xbf \t\r\n", head[0]) >= 0 {
			head = head[1:]
		}
		if err != nil || len(head) >= longestField || bytes.ContainsAny(head, ":{[<") {
			return head
		}
	}
}
