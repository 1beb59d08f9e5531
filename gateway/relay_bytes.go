package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// relayBytes passes on what is no JSON and no events, a sound or a transcript, as it comes. It is
// counted by request: there are no tokens to be read in it.
func (c *call) relayBytes(ctx context.Context, e *ending, out *stream, resp *http.Response) {
	piece, err := readFirst(resp.Body)
	if err != nil {
		c.fail(ctx, e, out, broken("The provider broke off before its reply began."))
		return
	}
	out.stop()
	c.finish(e) // a request is a request, however much of its reply is taken
	c.answerHeaders(resp.Header)
	c.w.WriteHeader(resp.StatusCode)
	control := http.NewResponseController(c.w)
	for {
		if _, err := c.w.Write(piece); err != nil || control.Flush() != nil {
			return // nobody is there to be told
		}
		n, err := resp.Body.Read(piece[:cap(piece)])
		piece = piece[:n]
		switch {
		case n == 0 && errors.Is(err, io.EOF):
			return
		case err != nil && !errors.Is(err, io.EOF):
			panic(http.ErrAbortHandler) // half a sound must not look whole
		}
	}
}

// readFirst waits for the first bytes of a body, which may be empty.
func readFirst(r io.Reader) ([]byte, error) {
	first := make([]byte, writePiece)
	for {
		n, err := r.Read(first)
		if n > 0 || errors.Is(err, io.EOF) {
			return first[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
