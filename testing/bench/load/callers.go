//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// question is what every caller of a scenario asks, over and over.
type question struct {
	model  string
	stream bool
	prompt int // bytes
	spent  bool
}

// bytes is the question as it goes to a peer, from one of its people.
func (q question) bytes(p peer, caller int) []byte {
	model := "bench/" + q.model
	if p.passes == nil {
		model = q.model
	}
	stream := ""
	if q.stream {
		stream = `,"stream":true,"stream_options":{"include_usage":true}`
	}
	const line = "The quick brown fox jumps over the lazy dog. "
	body := fmt.Sprintf(`{"model":%q%s,"messages":[{"role":"user","content":%q}]}`, model, stream, strings.Repeat(line, q.prompt/len(line)+1)[:q.prompt])
	head := []string{"POST /v1/chat/completions HTTP/1.1", "Host: " + p.address, "Content-Type: application/json", fmt.Sprint("Content-Length: ", len(body))}
	head = append(head, p.headers...)
	switch {
	case q.spent:
		head = append(head, "Authorization: Bearer "+p.spent)
	case p.passes != nil:
		head = append(head, "Authorization: Bearer "+p.passes[caller%len(p.passes)])
	}
	return []byte(strings.Join(head, "\r\n") + "\r\n\r\n" + body)
}

// figures are what one peer did in one scenario.
type figures struct {
	perSecond  float64
	p50, p99   time.Duration // of the whole answer
	first      time.Duration // p50 of the answer's first byte
	cpu        time.Duration // of the peer, for each request
	peakMemory int64         // bytes
}

// measure has so many callers ask for a while and tells what they saw.
func measure(ctx context.Context, p peer, q question, callers int, long time.Duration) (figures, error) {
	var f figures
	if _, err := load(ctx, p, q, callers, long/4); err != nil { // warm
		return f, err
	}
	var before time.Duration
	if p.pid != 0 {
		var err error
		if before, err = spent(p.pid); err != nil {
			return f, err
		}
		if err := resetPeak(p.pid); err != nil {
			return f, err
		}
	}
	began := time.Now()
	seen, err := load(ctx, p, q, callers, long)
	if err != nil {
		return f, err
	}
	took := time.Since(began)
	n := len(seen.whole)
	if n == 0 {
		return f, errors.New("nothing was answered")
	}
	if p.pid != 0 {
		after, err := spent(p.pid)
		if err != nil {
			return f, err
		}
		f.cpu = (after - before) / time.Duration(n)
		if f.peakMemory, err = peak(p.pid); err != nil {
			return f, err
		}
	}
	f.perSecond = float64(n) / took.Seconds()
	f.p50, f.p99, f.first = percentile(seen.whole, 50), percentile(seen.whole, 99), percentile(seen.first, 50)
	return f, nil
}

func percentile(d []time.Duration, percent int) time.Duration {
	slices.Sort(d)
	return d[(len(d)-1)*percent/100]
}

// seen are the times of all answers.
type seen struct{ whole, first []time.Duration }

// load has so many callers ask, each on a connection of its own, for a while; an answer that began within
// it is waited for.
func load(ctx context.Context, p peer, q question, callers int, long time.Duration) (seen, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	until := time.Now().Add(long)
	all := make([]seen, callers)
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			var err error
			if all[i], err = ask(ctx, p, q, i, until); err != nil {
				cancel(fmt.Errorf("caller %d of %s: %w", i, p.name, err)) // the first fault ends the run
			}
		})
	}
	wait.Wait()
	var sum seen
	for i := range all {
		sum.whole, sum.first = append(sum.whole, all[i].whole...), append(sum.first, all[i].first...)
	}
	return sum, context.Cause(ctx)
}

// ask is one caller's work.
func ask(ctx context.Context, p peer, q question, caller int, until time.Time) (seen, error) {
	var s seen
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.address)
	if err != nil {
		return s, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	request, in := q.bytes(p, caller), bufio.NewReaderSize(c, 16<<10)
	expect := http.StatusOK
	if q.spent {
		expect = http.StatusTooManyRequests
	}
	for time.Now().Before(until) {
		began := time.Now()
		if _, err := c.Write(request); err != nil {
			return s, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return s, err
		}
		_, err = io.CopyN(io.Discard, answer.Body, 1)
		first := time.Since(began)
		rest, errRest := io.Copy(io.Discard, answer.Body)
		if err := errors.Join(err, errRest, answer.Body.Close()); err != nil {
			return s, err
		}
		if answer.StatusCode != expect || q.stream && rest < events*int64(len("data: {}")) {
			return s, fmt.Errorf("status %d, %d bytes", answer.StatusCode, rest+1)
		}
		s.whole, s.first = append(s.whole, time.Since(began)), append(s.first, first)
	}
	return s, nil
}
