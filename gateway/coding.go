package gateway

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// codings are what a request may be compressed with. Codex sends zstd.
const codings = "gzip, zstd"

// maxWindow is how far back a compressed request may refer, in bytes, which is what its reader takes of
// memory. https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.2 recommends to bear that much.
const maxWindow = 8 << 20

// errCoding means that a request is not what its Content-Encoding says.
var errCoding = errors.New("the body cannot be decompressed")

// decoded is the request's body as it was before it was compressed, of at most so many bytes: a small
// request may be a large one compressed. The provider gets it so.
func (c *call) decoded(body io.Reader, most int64) (io.ReadCloser, error) {
	var plain io.ReadCloser
	var err error
	coding := strings.ToLower(strings.TrimSpace(strings.Join(c.r.Header.Values("Content-Encoding"), ",")))
	switch coding {
	case "", "identity":
		return io.NopCloser(body), nil
	case "gzip", "x-gzip", "zstd": // what a few bytes unpack to is worth the memory only of who is known
		if err := c.knownEarly(c.passRequired("Compressed requests need a pass")); err != nil {
			return nil, err
		}
	}
	switch coding {
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(body)
	case "zstd":
		var decoder *zstd.Decoder
		decoder, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			plain = decoder.IOReadCloser()
		}
	default:
		c.w.Header().Set("Accept-Encoding", codings)
		return nil, c.no(BodyEncoded, "This gateway does not read the Content-Encoding "+shorten(coding)+". Send the body as it is, or with one of "+codings+".")
	}
	if err != nil {
		return nil, undecodable(err)
	}
	return http.MaxBytesReader(c.w, decoder{plain}, most), nil
}

// decoder tells a body that cannot be decompressed from one that could not be read.
type decoder struct{ io.ReadCloser }

func (d decoder) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = undecodable(err)
	}
	return n, err
}

// undecodable leaves what ended the reading of the compressed body in the error: its size, or its caller.
func undecodable(err error) error { return fmt.Errorf("%w: %w", errCoding, err) }
