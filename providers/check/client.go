package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// maxList bounds a provider's answer, in bytes. The longest list known, OpenRouter's, has less than one MiB.
const maxList = 8 << 20

// redirected is an answer that sends on to another address, as the error that go-openai does not make of it.
type redirected int

func (r redirected) Error() string { return "redirected: " + strconv.Itoa(int(r)) }

var errTooLong = errors.New("the list of models is longer than 8 MiB")

// newClient returns a client for one look, and what closes its connections.
func newClient() (*http.Client, func()) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &http.Client{Transport: lister{transport}}, transport.CloseIdleConnections
}

// lister brings the answers of all vendors into the shape that go-openai reads, which is strict about fields that nobody
// here needs.
type lister struct{ next http.RoundTripper }

func (l lister) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Hostname(), "anthropic.com") {
		r = r.Clone(r.Context())
		r.Header.Set("anthropic-version", "2023-06-01")
		r.URL.RawQuery = "limit=1000" // its pages have 20 otherwise
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList+1))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if len(body) > maxList {
		return nil, errTooLong
	}
	switch resp.StatusCode / 100 {
	case 2:
		body = plainList(body)
	case 3:
		return nil, redirected(resp.StatusCode)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp, nil
}

// plainList is {"data":[{"id":…}]} with the ids in body, which may also be a bare array (Together). What is no list is
// left as it is, for go-openai to refuse.
func plainList(body []byte) []byte {
	if !gjson.ValidBytes(body) {
		return body
	}
	entries := gjson.ParseBytes(body)
	if entries.IsObject() {
		entries = entries.Get("data")
	}
	if !entries.IsArray() {
		return []byte("[]") // JSON, but no list: an answer of some other API
	}
	type model struct {
		ID string `json:"id"`
	}
	list := struct {
		Data []model `json:"data"`
	}{}
	for _, entry := range entries.Array() {
		if id := entry.Get("id"); id.Type == gjson.String {
			list.Data = append(list.Data, model{id.Str})
		}
	}
	out, err := json.Marshal(list)
	if err != nil { // strings always marshal
		return body
	}
	return out
}
