package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"perdiem/providers/form"
	"perdiem/providers/wire"
)

// How large a request may be before its caller is known, in bytes: a guest's, and that of who claims to
// have a pass. Beyond it, only a good pass is worth the memory.
const (
	strangerBody = 1 << 20
	claimantBody = 64 << 10
)

func (c *call) readBody() error {
	most := c.g.Limits.Body
	if c.r.ContentLength > most {
		return c.tooLarge(most)
	}
	body, err := c.decoded(c.patientBody(most), most)
	if err != nil {
		return c.unread(err, most)
	}
	defer body.Close()
	if c.forms && mediaType(c.r.Header) == "multipart/form-data" {
		return c.readForm(body, most)
	}
	for _, unknown := range []int64{claimantBody, strangerBody} {
		if err := c.claim(unknown); err != nil {
			return err
		}
		var err error
		c.body, err = readOn(c.body, io.LimitReader(body, unknown-int64(len(c.body))), min(unknown, c.r.ContentLength))
		if err != nil || int64(len(c.body)) < unknown {
			return c.unread(err, most)
		}
		if len(passesIn(c.r)) > 0 {
			break
		}
	}
	if err := c.knownEarly(c.no(BodyTooLarge, fmt.Sprintf("Without a pass, a request may have %d MB.", strangerBody>>20))); err != nil {
		return err
	}
	c.body, err = readOn(c.body, large{c, body}, c.r.ContentLength)
	return c.unread(err, most)
}

// large reads on in a large request whose caller is known. All of them together have only so much memory: a few bytes,
// compressed, may be many.
type large struct {
	c    *call
	from io.Reader
}

func (l large) Read(b []byte) (int, error) {
	n, err := l.from.Read(b)
	l.c.large += int64(n)
	if l.c.g.large.Add(int64(n)) > l.c.g.Limits.Large {
		return n, l.c.noMemory("Too many large requests are being served.")
	}
	return n, err
}

// believed is how much memory is made at once for what was announced, in bytes. Beyond it, memory follows what comes.
const believed = 1 << 20

// readOn reads to the end of what was begun. Its size, in bytes, is what was announced, or less, and may turn out to be
// any number.
func readOn(begun []byte, r io.Reader, size int64) ([]byte, error) {
	all := bytes.NewBuffer(begun)
	all.Grow(max(int(min(size, believed))-len(begun), 0) + bytes.MinRead) // that much is free where the end is looked for
	_, err := all.ReadFrom(r)
	return all.Bytes(), err
}

// claim takes memory for a request up to a size, while its caller is not known. All of them together
// have only so much.
func (c *call) claim(size int64) error {
	if n := c.r.ContentLength; n >= 0 {
		size = min(size, n)
	}
	more := size - c.unknown
	if c.g.unknown.Add(more) > c.g.Limits.Unknown {
		c.g.unknown.Add(-more)
		return c.noMemory("Too many requests are being read whose callers are not known.")
	}
	c.unknown = size
	return nil
}

// noMemory refuses for now. Without a time to wait, tools ask again at once, or give up within a second or two.
func (c *call) noMemory(why string) error {
	no := c.no(MemoryTaken, why+" Try again in a moment.")
	no.Figures.RetryAfterMSec = (5 * time.Second).Milliseconds()
	return no
}

// unclaim gives the memory back: the caller is known, or the call is over.
func (c *call) unclaim() {
	c.g.unknown.Add(-c.unknown)
	c.unknown = 0
}

// readForm reads a multipart form. Its files go to the disk, and so only a known caller's do.
func (c *call) readForm(body io.Reader, most int64) error {
	if err := c.knownEarly(c.passRequired("Forms with files need a pass")); err != nil {
		return err
	}
	read, err := form.Read(c.r.Header.Get("Content-Type"), body)
	c.form = read
	if read != nil {
		c.facts = read.Facts()
	}
	if bad := (*wire.Invalid)(nil); errors.As(err, &bad) {
		c.invalid, err = bad, nil
	}
	return c.unread(err, most)
}

// unread tells why a request could not be read to its end.
func (c *call) unread(err error, most int64) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return c.tooLarge(most)
	}
	if no := (*refusal)(nil); err == nil || errors.As(err, &no) {
		return err
	}
	c.log.Info("a request could not be read", "error", err)
	if errors.Is(err, errCoding) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return c.no(InvalidRequest, "The body is not what its Content-Encoding says.")
	}
	return c.no(InvalidRequest, "The request broke off, or took too long, before its end.")
}

func (c *call) tooLarge(most int64) error {
	return c.no(BodyTooLarge, fmt.Sprintf("The request is larger than %d MB, the most that this gateway takes.", most>>20))
}

// knownEarly asks who calls before more of a large request is read; a caller without a pass is told no.
func (c *call) knownEarly(no *refusal) error {
	pass, err := c.findPass()
	switch {
	case err != nil:
		return err
	case pass == "":
		return no
	default:
		return c.authenticate(pass)
	}
}

// patient reads a request from a caller who may be slow but not for ever.
type patient struct {
	from    io.Reader
	control *http.ResponseController
	pause   time.Duration // between two pieces
	until   time.Time
}

func (c *call) patientBody(most int64) io.Reader {
	return &patient{http.MaxBytesReader(c.w, c.r.Body, most), http.NewResponseController(c.w), c.g.Limits.BodyPause, time.Now().Add(c.g.Limits.BodyTime)}
}

func (p *patient) Read(b []byte) (int, error) {
	deadline := time.Now().Add(p.pause)
	if deadline.After(p.until) {
		deadline = p.until
	}
	if err := p.control.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := p.from.Read(b)
	if errors.Is(err, io.EOF) { // the next request has a time of its own
		_ = p.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
