package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"perdiem/providers"
	"perdiem/providers/wire"
)

// notUpstream are headers of a caller that no provider gets: credentials, cookies, what belongs to
// the connection, what tells about the LAN, and what would choose an account or another answer under
// the owner's key.
var notUpstream = headerSet(
	"Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token", "Ocp-Apim-Subscription-Key", "Cookie", "Proxy-Authorization", "Proxy-Connection",
	"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
	"Host", "Content-Length", "Content-Encoding",
	"Accept-Encoding", // the transport asks for gzip itself, and unpacks it, so that usage can be read
	"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "X-Http-Method-Override",
	"Forwarded", "Via", "X-Real-Ip", "True-Client-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "Origin", "Referer",
	"Openai-Organization", "Openai-Project",
	// With such a key the transport would send a request again by itself, and bill it twice; and all
	// people share the provider's account, so that their keys could meet.
	"Idempotency-Key", "X-Idempotency-Key",
)

// notUpstreamPrefixes begin the names of further ones.
var notUpstreamPrefixes = []string{"X-Forwarded-", "X-Perdiem-", "Sec-", "Access-Control-", "Cf-", "X-Amz-", "X-Goog-", "Helicone-"}

// notInQuery are parameters of a caller that no provider gets: those that hold a pass, or another secret of the caller's, and
// those by which Google's APIs leave usage out of a reply or give it another form. What else changes these begins with "$".
// https://cloud.google.com/apis/docs/system-parameters
var notInQuery = map[string]bool{
	"key": true, "api_key": true, "api-key": true, "apikey": true, "token": true, "access_token": true, "authorization": true,
	"alt": true, "callback": true, "fields": true,
}

// notDownstream are headers of a provider that no caller gets: what belongs to the connection, to
// the provider's own site, names the owner's account, or is said here in our own words.
var notDownstream = headerSet(
	"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Proxy-Authenticate",
	"Set-Cookie", "Server", "Via", "Alt-Svc", "Strict-Transport-Security", "Www-Authenticate", "Location",
	"Set-Cookie2", "Refresh", "Clear-Site-Data", "Openai-Organization", "Openai-Project", "Anthropic-Organization-Id",
	"X-Request-Id", "Request-Id", "X-Should-Retry",
)

func headerSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[textproto.CanonicalMIMEHeaderKey(n)] = true
	}
	return set
}

// copyHeaders copies all but what is in not, begins with one of prefixes, or is named by the
// Connection header as belonging to it.
func copyHeaders(to, from http.Header, not map[string]bool, prefixes ...string) {
	ofConnection := map[string]bool{}
	for _, value := range from.Values("Connection") {
		for _, name := range strings.Split(value, ",") {
			ofConnection[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = true
		}
	}
next:
	for name, values := range from {
		if not[name] || ofConnection[name] {
			continue
		}
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				continue next
			}
		}
		to[name] = append([]string(nil), values...)
	}
}

// upstreamRequest is the caller's request as the provider gets it: the body edited in the few
// fields that must change.
func (c *call) upstreamRequest(ctx context.Context, sent func()) (*http.Request, error) {
	edits := wire.Edits{Model: c.target.Model.Upstream, CapField: c.target.Model.CapField, AskUsage: true}
	if c.held.Limited && !c.ask.facts.NoReply {
		edits.Cap = c.held.Output / c.ask.facts.Replies
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
		if w.Err == nil {
			sent()
		}
	}})
	if c.form != nil {
		req, err := c.providerRequest(ctx, http.MethodPost, c.form.Open(edits.Model))
		if err == nil {
			req.ContentLength = c.form.Size(edits.Model)
		}
		return req, err
	}
	body, err := c.ask.wire.Edit(c.ask.body, edits)
	if err != nil {
		return nil, err
	}
	return c.providerRequest(ctx, http.MethodPost, bytes.NewReader(body))
}

// providerRequest is a request to the call's provider, with its key instead of the caller's pass. An
// error's text names no address: there may be a key in it.
func (c *call) providerRequest(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	base, ok := c.target.Provider.Base(c.ask.dialect)
	u, err := url.Parse(base)
	if err != nil || !ok {
		return nil, fmt.Errorf("the base URL of %s cannot be read", c.target.Provider.Name)
	}
	passes := passesIn(c.r)
	u = u.JoinPath(c.ask.path(c.target.Model.Upstream))
	u.RawQuery = c.upstreamQuery(u.Query(), passes).Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("the base URL of %s cannot be used", c.target.Provider.Name)
	}
	if c.ask.translation == nil {
		copyHeaders(req.Header, c.r.Header, notUpstream, notUpstreamPrefixes...)
		maps.DeleteFunc(req.Header, func(_ string, values []string) bool { return holdsAny(values, passes) })
	} else {
		req.Header.Set("Content-Type", "application/json") // a caller's headers are meant for another vendor
	}
	c.ask.setKey(req.Header, c.key.Secret)
	c.ask.complete(req.Header)
	return req, nil
}

// upstreamQuery adds what a caller's query asks of the provider to that of the base URL.
func (c *call) upstreamQuery(query url.Values, passes []string) url.Values {
	if c.ask.dialect == providers.Gemini && c.ask.facts.Stream {
		query.Set("alt", "sse")
	}
	if c.ask.translation != nil {
		return query
	}
	for name, values := range c.r.URL.Query() {
		if !notInQuery[strings.ToLower(name)] && !strings.HasPrefix(name, "$") && !holdsAny(values, passes) {
			query[name] = values
		}
	}
	return query
}

// holdsAny tells whether a caller's pass is in something that they sent where no tool has it.
func holdsAny(values, passes []string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return slices.ContainsFunc(passes, func(pass string) bool { return strings.Contains(v, pass) })
	})
}

// replyType is the type of a whole reply as the caller gets it.
func (c *call) replyType(from http.Header) string {
	if c.retold != nil {
		return "application/json"
	}
	return from.Get("Content-Type")
}

func only(from http.Header, names ...string) http.Header {
	h := http.Header{}
	for _, name := range names {
		if values := from.Values(name); len(values) > 0 {
			h[name] = values
		}
	}
	return h
}

// answerHeaders puts a provider's headers on the answer, less what is ours to say, and any that
// would give the key away.
func (c *call) answerHeaders(from http.Header) {
	h := c.w.Header()
	passed := http.Header{}
	if c.retold == nil {
		copyHeaders(passed, from, notDownstream, "Access-Control-", "X-Ratelimit-", "Anthropic-Ratelimit-", "Cf-")
	} else {
		passed = only(from, "Retry-After", "Retry-After-Ms")
		h.Set("Content-Type", c.replyType(from))
	}
	for name, values := range passed {
		for _, v := range values {
			if !c.givesAway(v) {
				h.Add(name, v)
			}
		}
	}
	if id := from.Get("X-Request-Id"); id != "" && !c.givesAway(id) {
		h.Set("X-Upstream-Request-Id", id)
	}
	c.heldHeaders()
}

// noticeHeader tells a caller what was done to their request that they did not ask for.
const noticeHeader = "X-Perdiem-Notice"

// heldHeaders tells what is left, and what was done to the request.
func (c *call) heldHeaders() {
	h := c.w.Header()
	h.Del(noticeHeader)
	if c.person.ID != "" {
		c.voice.budget(h, c.held.Budget, c.g.now())
	}
	if now, asked := c.target.Model, c.asked; now.ID != asked.ID {
		to, from := now.Title, asked.Title
		if to == from { // the same model at another provider
			to, from = now.ID, asked.ID
		}
		h.Add(noticeHeader, "answered by "+headerText(to)+" in place of "+headerText(from))
	}
	if left := c.ask.said.Left; len(left) > 0 {
		h.Add(noticeHeader, "left out, as the model's provider has no such field: "+headerText(strings.Join(left, ", ")))
	}
	if c.dropped > 0 {
		h.Add(noticeHeader, fmt.Sprintf("the oldest turns were left out: %d", c.dropped))
	}
	if c.held.Credit && !c.free {
		h.Add(noticeHeader, "paid from your credit: the day's allowance is spent")
	}
	if c.held.Cut {
		h.Add(noticeHeader, fmt.Sprintf("reply capped at %d tokens, the room left", c.held.Output/c.ask.facts.Replies))
	}
}
