package gateway

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// How long a key rests after a 429 that does not say, and at most.
const (
	restByDefault = 30 * time.Second
	restAtMost    = 24 * time.Hour
)

// restUntil reads how long a 429 asks to wait: Retry-After, or what Google says in the body, or the
// latest of the resets that the vendor names.
func restUntil(h http.Header, body []byte, now time.Time) time.Time {
	for _, said := range []func() time.Time{
		func() time.Time { return retryAfter(h, now) },
		func() time.Time { return retryInfoOf(body, now) },
		func() time.Time { return latestReset(h, now) },
	} {
		if until := said(); until.After(now) {
			return earlier(until, now.Add(restAtMost))
		}
	}
	return now.Add(restByDefault)
}

func retryAfter(h http.Header, now time.Time) time.Time {
	if ms := number(h.Get("Retry-After-Ms")); ms > 0 {
		return after(now, ms/1000)
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return at
	}
	return after(now, number(h.Get("Retry-After")))
}

// latestReset is when the budgets are full again of which nothing remains: OpenAI names durations,
// Anthropic times, OpenRouter Unix milliseconds.
func latestReset(h http.Header, now time.Time) time.Time {
	latest := now
	for _, of := range []string{"-Requests", "-Tokens", "-Input-Tokens", "-Output-Tokens", ""} {
		if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset" + of)); err == nil && h.Get("X-Ratelimit-Remaining"+of) == "0" {
			latest = later(latest, now.Add(d))
		}
		if at, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit"+of+"-Reset")); err == nil && h.Get("Anthropic-Ratelimit"+of+"-Remaining") == "0" {
			latest = later(latest, at)
		}
	}
	if ms, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64); err == nil && h.Get("X-Ratelimit-Remaining") == "0" {
		latest = later(latest, time.UnixMilli(ms))
	}
	return latest
}

// retryInfoOf is the wait in an error of Google's.
// https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
func retryInfoOf(body []byte, now time.Time) time.Time {
	until := now
	eachDetail(body, func(kind string, detail gjson.Result) {
		if d, err := time.ParseDuration(detail.Get("retryDelay").String()); err == nil && kind == "RetryInfo" {
			until = now.Add(d)
		}
	})
	return until
}

// saysKeyInvalid tells whether an error says that the key is not valid; Google's does so with a 400.
func saysKeyInvalid(body []byte) bool {
	invalid := false
	eachDetail(body, func(kind string, detail gjson.Result) {
		invalid = invalid || kind == "ErrorInfo" && detail.Get("reason").String() == "API_KEY_INVALID"
	})
	return invalid
}

// saysNotPermitted tells whether an error says that the key is valid, and lacks a permission: OpenAI does so in words
// alone, with the status of a key that is not valid.
func saysNotPermitted(body []byte) bool { return bytes.Contains(body, []byte("Missing scopes")) }

// eachDetail goes through the details of an error of Google's, which may be alone in a list.
func eachDetail(body []byte, do func(kind string, detail gjson.Result)) {
	root := gjson.ParseBytes(body)
	if root.IsArray() {
		root = root.Get("0")
	}
	root.Get("error.details").ForEach(func(_, detail gjson.Result) bool {
		_, kind, _ := strings.Cut(detail.Get(`\@type`).String(), "google.rpc.")
		do(kind, detail)
		return true
	})
}

// peeked is how much of an error is looked at before it is passed on, in bytes.
const peeked = 64 << 10

// peek reads the beginning of a body, and leaves the body whole for whoever reads it next.
func peek(resp *http.Response) []byte {
	head, err := io.ReadAll(io.LimitReader(resp.Body, peeked))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), rest), resp.Body}
	return head
}

// failing is the end of a body that could not be read on.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// number reads seconds or milliseconds, which some write with a fraction; 0 if it is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) { // not a number is not above 0 either
		return 0
	}
	return n
}

func after(now time.Time, seconds float64) time.Time {
	return now.Add(time.Duration(min(seconds, restAtMost.Seconds()) * float64(time.Second)))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
