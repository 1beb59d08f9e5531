package gateway_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/bits"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func gzipped(t *testing.T, plain io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.Copy(w, plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t *testing.T, plain io.Reader) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zeros are so many zero bytes, which any coding makes next to nothing of.
func zeros(n int) io.Reader { return bytes.NewReader(make([]byte, n)) }

// windowed is a text as one raw block of a zstd frame that refers back so many bytes, a power of two of at least 1 KB:
// https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
func windowed(text string, window int) string {
	exponent := bits.TrailingZeros(uint(window)) - 10
	last, size := 1, len(text)<<3
	return "\x28\xb5\x2f\xfd\x00" + string([]byte{byte(exponent << 3), byte(size | last), byte(size >> 8), byte(size >> 16)}) + text
}

// coded is a compressed request.
func coded(coding, pass, body string) exchange {
	header := bearer(pass)
	header.Set("Content-Encoding", coding)
	return exchange{header: header, body: body}
}

func TestACompressedRequestReachesTheProviderAsItWas(t *testing.T) {
	h, _, pass := house(t)
	large := askWith(`,"x":"` + strings.Repeat("x", 9<<20) + `"`)
	for coding, pack := range map[string]func(*testing.T, io.Reader) string{"gzip": gzipped, "GZIP": gzipped, "x-gzip": gzipped, "zstd": zstandard} {
		for _, body := range []string{ask(model), large} {
			before := len(h.Upstream.Requests())
			coded(coding, pass, pack(t, strings.NewReader(body))).do(t, h).WantStatus(t, 200)
			got := h.Upstream.Requests()[before]
			if string(got.Body) != strings.Replace(body, model, "m", 1) || got.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: the provider got %d bytes as %q", coding, len(got.Body), got.Header.Get("Content-Encoding"))
			}
		}
	}
	coded("zstd", pass, windowed(ask(model), 8<<20)).do(t, h).WantStatus(t, 200)
	h.AtRest()
}

func TestACompressedFormReachesTheProviderAsItWas(t *testing.T) {
	h, _, pass := house(t)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("model", model); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	form := b.String()
	e := coded("zstd", pass, zstandard(t, strings.NewReader(form)))
	e.path = "/v1/audio/transcriptions"
	e.header.Set("Content-Type", w.FormDataContentType())
	e.do(t, h).WantStatus(t, 200)
	if got := string(h.Upstream.Requests()[0].Body); got != strings.Replace(form, model, "m", 1) {
		t.Errorf("the provider got %q", got)
	}
}

func TestACompressedRequestThatCannotBeReadIsRefused(t *testing.T) {
	h, _, pass := house(t)
	const large, times = 64 << 20, 16 // a gigabyte; both codings go on behind their end
	bombs := map[string]string{"gzip": strings.Repeat(gzipped(t, zeros(large)), times), "zstd": strings.Repeat(zstandard(t, zeros(large)), times)}
	for name, c := range map[string]struct {
		coding, body string
		status       int
	}{
		"a bomb of gzip":     {"gzip", bombs["gzip"], 413},
		"a bomb of zstd":     {"zstd", bombs["zstd"], 413},
		"unknown":            {"br", ask(model), 415},
		"two at once":        {"gzip, zstd", gzipped(t, strings.NewReader(ask(model))), 415},
		"not what it says":   {"gzip", ask(model), 400},
		"nor this":           {"zstd", ask(model), 400},
		"cut":                {"gzip", gzipped(t, strings.NewReader(ask(model)))[:20], 400},
		"cut, too":           {"zstd", zstandard(t, strings.NewReader(ask(model)))[:20], 400},
		"empty":              {"zstd", " ", 400},
		"no JSON inside":     {"gzip", gzipped(t, strings.NewReader("hello")), 400},
		"a window too large": {"zstd", windowed(ask(model), 16<<20), 400},
	} {
		a := coded(c.coding, pass, c.body).do(t, h)
		if no := a.Refusal(t); a.Status != c.status || no.Error.Message == "" || no.Reason == "" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		if accepts := a.Header.Get("Accept-Encoding"); (c.status == 415) != (accepts == "gzip, zstd") {
			t.Errorf("%s: Accept-Encoding is %q", name, accepts)
		}
	}
	for coding := range bombs { // nor is anything unpacked for strangers
		e := exchange{header: http.Header{"Content-Encoding": {coding}}, body: "not what it says"}
		wantReason(t, e.do(t, h), 401, "PASS_REQUIRED")
	}
	if got := h.Booked(); got.Requests+got.HeldRequests != 0 || len(h.Upstream.Requests()) != 0 {
		t.Errorf("booked %+v, %d upstream", got, len(h.Upstream.Requests()))
	}
}
