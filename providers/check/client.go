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

	"perdiem/providers"
	"perdiem/providers/wire"
)

// maxList bounds a provider's answer, in bytes. The longest list known, OpenRouter's, has less than one MiB.
const maxList = 8 << 20

// redirected is an answer that sends on to another address, as the error that go-openai does not make of it.
type redirected int

func (r redirected) Error() string { return "redirected: " + strconv.Itoa(int(r)) }

var errTooLong = errors.New("the list of models is longer than 8 MiB")

// newClient returns a client for one look, and what closes its connections.
func newClient(d providers.Dialect, secret string) (*http.Client, func()) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &http.Client{Transport: lister{transport, d, secret}}, transport.CloseIdleConnections
}

// lister brings requests into the shape that a dialect wants, and the answers of all vendors into the one that go-openai
// reads, which is strict about fields that nobody here needs.
type lister struct {
	next    http.RoundTripper
	dialect providers.Dialect
	secret  string
}

// adapt is the request as the dialect wants it. Pages are small where none asks for more.
func (l lister) adapt(r *http.Request) *http.Request {
	anthropic := l.dialect == providers.Anthropic || strings.HasSuffix(r.URL.Hostname(), "anthropic.com")
	if !anthropic && l.dialect != providers.Gemini {
		return r
	}
	r = r.Clone(r.Context())
	if anthropic {
		r.Header.Set("Anthropic-Version", providers.AnthropicVersion)
		r.URL.RawQuery = "limit=1000"
	} else {
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "/models") + "/v1beta/models"
		r.URL.RawQuery = "pageSize=1000"
	}
	if name, prefix := l.dialect.KeyHeader(); name != "Authorization" {
		r.Header.Del("Authorization")
		r.Header.Set(name, prefix+l.secret)
	}
	return r
}

func (l lister) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(l.adapt(r))
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

// plainList is {"data":[{"id":…}]} with the ids in body, which may also be a bare array (Together), or Google's list of
// names. What is no list is left as it is, for go-openai to refuse.
func plainList(body []byte) []byte {
	if !wire.Valid(body) {
		return body
	}
	entries := gjson.ParseBytes(body)
	id := "id"
	if entries.IsObject() {
		object := entries
		if entries = object.Get("data"); !entries.Exists() && object.Get("models").IsArray() {
			entries, id = object.Get("models"), "name"
		}
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
		if v := entry.Get(id); v.Type == gjson.String {
			list.Data = append(list.Data, model{v.Str})
		}
	}
	out, err := json.Marshal(list)
	if err != nil { // strings always marshal
		return body
	}
	return out
}
