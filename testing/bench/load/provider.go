//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

const (
	events = 100
	pace   = 10 * time.Millisecond // between events of a paced stream: a second in all
)

// Models that callers ask for; the provider looks for them in the body.
const (
	atOnce = "fast"
	paced  = "paced"
)

var (
	wholeBody = `{"id":"c1","object":"chat.completion","created":1,"model":"fast","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("All is well. ", 20) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":250,"completion_tokens":60,"total_tokens":310}}`
	wholeReply = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(wholeBody), wholeBody)

	streamHead = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
	event      = chunk(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"fast","choices":[{"index":0,"delta":{"content":"All is well. "},"finish_reason":null}]}` + "\n\n")
	streamEnd  = []byte(string(chunk(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"fast","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")) +
		string(chunk(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"fast","choices":[],"usage":{"prompt_tokens":250,"completion_tokens":400,"total_tokens":650}}`+"\n\n")) +
		string(chunk("data: [DONE]\n\n")) + "0\r\n\r\n")
)

func chunk(text string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(text), text) }

// provide is a provider that costs as little as one can: it reads a request and writes bytes that it
// has ready, each event in a write of its own.
func provide(ctx context.Context) error {
	return serve(ctx, func(l net.Listener) error {
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			go answer(c)
		}
	})
}

func answer(c net.Conn) {
	defer c.Close()
	in := bufio.NewReaderSize(c, 16<<10)
	var body bytes.Buffer
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body.Reset()
		if _, err := body.ReadFrom(r.Body); err != nil {
			return
		}
		if err := reply(c, body.Bytes()); err != nil {
			return
		}
	}
}

func reply(w io.Writer, body []byte) error {
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		_, err := w.Write(wholeReply)
		return err
	}
	var pause <-chan time.Time
	if bytes.Contains(body, []byte(paced)) {
		ticker := time.NewTicker(pace)
		defer ticker.Stop()
		pause = ticker.C
	}
	if _, err := w.Write(streamHead); err != nil {
		return err
	}
	for range events {
		if _, err := w.Write(event); err != nil {
			return err
		}
		if pause != nil {
			<-pause
		}
	}
	_, err := w.Write(streamEnd)
	return err
}

// proxy is the standard library's, as it comes, but for a pool of connections as large as the load.
func proxy(ctx context.Context, upstream string) error {
	to, err := url.Parse(upstream)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost, transport.MaxIdleConns = 1024, 1024
	p := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	return serve(ctx, func(l net.Listener) error {
		return (&http.Server{Handler: p, ReadHeaderTimeout: time.Minute}).Serve(l)
	})
}

// serve listens, and tells the parent where.
func serve(ctx context.Context, do func(net.Listener) error) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	context.AfterFunc(ctx, func() { _ = l.Close() })
	return do(l)
}
