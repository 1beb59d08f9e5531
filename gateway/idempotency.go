package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"perdiem/meter"
)

// maxKey bounds an idempotency key, in bytes.
const maxKey = 255

// idempotencyKey is the caller's key for this request. Guests have none: a key belongs to a person.
func (c *call) idempotencyKey() string {
	if c.person.ID == "" {
		return ""
	}
	return c.r.Header.Get("Idempotency-Key")
}

// parameterHash tells one request from another under the same key.
func (c *call) parameterHash() string {
	h := sha256.New()
	h.Write([]byte(c.r.URL.Path + "?" + c.r.URL.Query().Get("alt") + "\n"))
	h.Write(c.body)
	if c.form != nil {
		if _, err := io.Copy(h, c.form.Open(c.facts.Model)); err != nil {
			return c.id // no other request has this hash: its retry is refused rather than answered wrongly
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// kept gathers the answer to a request that has a key, for its retry. Once it is too long to keep,
// only that is known of it.
type kept struct {
	answer meter.Answer
	whole  bool // the answer came to its end
}

func (k *kept) add(b []byte) {
	if k != nil && len(k.answer.Body) <= meter.MaxAnswer {
		k.answer.Body = append(k.answer.Body, b...)
	}
}

// end notes that the answer is whole, unless the provider failed in it.
func (k *kept) end(e *ending, status int, contentType string) {
	if k != nil && !e.failed {
		k.answer.Status, k.answer.ContentType, k.whole = status, contentType, true
	}
}

// toKeep is the answer to settle with: nil for half an answer, and for a request without a key.
func (k *kept) toKeep() *meter.Answer {
	if k == nil || !k.whole {
		return nil
	}
	return &k.answer
}

// replay answers a retry with what was answered before.
func (c *call) replay(a meter.Answer) {
	h := c.w.Header()
	h.Set("Content-Type", a.ContentType)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	h.Set("Idempotent-Replayed", "true")
	c.writeWhole(a.Status, a.Body)
}

// readsOn tells whether the provider's reply is read to its end though the caller left: what is not
// a stream is billed whatever we do, and what has a key must be whole for its retry.
func (c *call) readsOn() bool { return !c.facts.Stream || c.kept != nil }
