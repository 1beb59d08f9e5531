package fakeprovider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Ending is how a reply came to its end.
type Ending string

// The endings. Left: the caller went away first. Hung: the server was stopped first.
const (
	Whole Ending = "whole"
	Cut   Ending = "cut"
	Reset Ending = "reset"
	Left  Ending = "left"
	Hung  Ending = "hung"
)

// Reply is a status, a header, and a body in chunks that are sent one by one, with a fault perhaps.
// Its methods return changed copies.
type Reply struct {
	Status int
	Header http.Header
	Chunks []Chunk
	// Input is what the prompt counts, in tokens, once the first byte of the body was sent.
	Input int64

	at       int    // a fault's place, in bytes of the body; -1 is before the header
	fault    Ending // at that place; "" for none
	gate     *Gate
	gateAt   int
	endless  func(i int) Chunk // goes on after Chunks until the caller leaves
	compress bool

	ended                       Ending
	carriedInput, carriedOutput int64
}

// Chunk is sent and flushed at once.
type Chunk struct {
	Data []byte
	// Tokens of output that the chunk carries.
	Tokens int64
}

// Always answers every request alike.
func (r Reply) Always() Answer { return func(Request) Reply { return r } }

// BeforeHeader is the place before anything at all was sent.
const BeforeHeader = -1

// CutAt ends the body cleanly after n bytes, as a proxy does that lost its upstream.
func (r Reply) CutAt(n int) Reply { return r.faultAt(n, Cut) }

// ResetAt breaks the connection (TCP RST) after n bytes.
func (r Reply) ResetAt(n int) Reply { return r.faultAt(n, Reset) }

// HangAt falls silent after n bytes until the caller leaves.
func (r Reply) HangAt(n int) Reply { return r.faultAt(n, Hung) }

func (r Reply) faultAt(n int, fault Ending) Reply {
	r.fault, r.at = fault, n
	return r
}

// HoldAt waits at the gate after n bytes.
func (r Reply) HoldAt(n int, gate *Gate) Reply {
	r.gate, r.gateAt = gate, n
	return r
}

// Gzip compresses the body, as a vendor does for a caller that takes it. Places then count bytes of
// what was compressed.
func (r Reply) Gzip() Reply {
	r.compress = true
	return r
}

// After is the place where n tokens of output have been sent; the end, if there are fewer.
func (r Reply) After(n int64) int {
	place := 0
	for _, c := range r.Chunks {
		place, n = place+len(c.Data), n-c.Tokens
		if c.Tokens > 0 && n <= 0 {
			break
		}
	}
	return place
}

// Bytes is the whole body.
func (r Reply) Bytes() []byte {
	var all []byte
	for _, c := range r.Chunks {
		all = append(all, c.Data...)
	}
	return all
}

// Body is a reply of one chunk.
func Body(status int, contentType, body string) Reply {
	return Reply{Status: status, Header: http.Header{"Content-Type": {contentType}}, Chunks: []Chunk{{Data: []byte(body)}}}
}

// JSON is a reply of one value.
func JSON(status int, value any) Reply {
	body, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("fake provider: a reply that is no JSON: %v", err)) // a test's own mistake
	}
	return Body(status, "application/json", string(body))
}

// HTML is the page of a proxy or a captive portal, under whatever status.
func HTML(status int) Reply {
	return Body(status, "text/html; charset=utf-8", "<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>")
}

// Error is a vendor's refusal in OpenAI's shape, with header fields in pairs.
func Error(status int, code, message string, header ...string) Reply {
	r := JSON(status, map[string]any{"error": map[string]any{"message": message, "type": code, "code": code, "param": nil}})
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// EchoKey is the 401 whose message repeats the key that it was given, as OpenAI's does.
func EchoKey(authorization string) Reply {
	return Error(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+strings.TrimPrefix(authorization, "Bearer ")+".")
}

// Redirect sends the caller elsewhere.
func Redirect(to string) Reply {
	r := Body(http.StatusTemporaryRedirect, "text/plain", "")
	r.Header.Set("Location", to)
	return r
}

// stream makes the header of an event stream.
func stream(chunks []Chunk, input int64) Reply {
	return Reply{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}, "Cache-Control": {"no-cache"}},
		Chunks: chunks,
		Input:  input,
	}
}

// event wraps a JSON value as one event.
func event(value any, tokens int64) Chunk {
	var b bytes.Buffer
	b.WriteString("data: ")
	enc := json.NewEncoder(&b) // ends in a newline
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(fmt.Sprintf("fake provider: an event that is no JSON: %v", err)) // a test's own mistake
	}
	b.WriteByte('\n')
	return Chunk{Data: b.Bytes(), Tokens: tokens}
}
