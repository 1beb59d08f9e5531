package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// strangerBody is how large a request may be before its caller is known, in bytes. Beyond it, only a
// good pass is worth the memory.
const strangerBody = 1 << 20

// How long a caller may take between two pieces of a request, and for all of it.
const (
	bodyPause = 30 * time.Second
	bodyAtAll = 5 * time.Minute
)

func (c *call) readBody() error {
	if coding := c.r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return c.no(BodyEncoded, "Please send the body as it is, without Content-Encoding "+shorten(coding)+".")
	}
	most := c.g.Limits.Body
	if c.r.ContentLength > most {
		return c.tooLarge(most)
	}
	body := c.patientBody(most)
	head, err := io.ReadAll(io.LimitReader(body, min(strangerBody, most)))
	if err == nil && int64(len(head)) == strangerBody {
		if err := c.knownEarly(); err != nil {
			return err
		}
		var all bytes.Buffer
		all.Grow(int(max(c.r.ContentLength, 2*strangerBody)))
		all.Write(head)
		_, err = all.ReadFrom(body)
		head = all.Bytes()
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return c.tooLarge(most)
	}
	if err != nil {
		return c.no(InvalidRequest, "The request broke off, or took too long, before its end.")
	}
	c.body = head
	return nil
}

func (c *call) tooLarge(most int64) error {
	return c.no(BodyTooLarge, fmt.Sprintf("The request is larger than %d MB, the most that this gateway takes.", most>>20))
}

// knownEarly asks who calls before more of a large request is read.
func (c *call) knownEarly() error {
	pass, err := c.findPass()
	switch {
	case err != nil:
		return err
	case pass == "":
		return c.no(BodyTooLarge, fmt.Sprintf("Without a pass, a request may have %d MB.", strangerBody>>20))
	default:
		return c.authenticate(pass)
	}
}

// patient reads a request from a caller who may be slow but not for ever.
type patient struct {
	from    io.Reader
	control *http.ResponseController
	until   time.Time
}

func (c *call) patientBody(most int64) io.Reader {
	return &patient{http.MaxBytesReader(c.w, c.r.Body, most), http.NewResponseController(c.w), time.Now().Add(bodyAtAll)}
}

func (p *patient) Read(b []byte) (int, error) {
	deadline := time.Now().Add(bodyPause)
	if deadline.After(p.until) {
		deadline = p.until
	}
	if err := p.control.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := p.from.Read(b)
	if err != nil { // the end, too: what the server reads next has no deadline
		_ = p.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
