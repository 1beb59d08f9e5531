package soak

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// caller is one teammate's tool: one call after the other, one at each beat.
type caller struct {
	number int
	person string
	pass   atomic.Pointer[string]
	beat   chan struct{} // closed at the end of the soak
	random *rand.Rand
}

// traffic is what all callers share.
type traffic struct {
	register *register
	gateway  *gateway
}

// work calls until the beats end. Now and then a call is tried again under its key, as SDKs do.
func (t *traffic) work(ctx context.Context, who *caller) {
	for range who.beat {
		k := pick(who.random)
		c := t.plan(who, k)
		if k.replays {
			c.retry = "soak-" + strconv.Itoa(who.number) + "-" + strconv.FormatUint(who.random.Uint64(), 36)
		}
		t.make(ctx, who, c)
		if k.replays && c.status == http.StatusOK && c.err == nil {
			again := t.plan(who, k)
			again.model, again.wire, again.stream, again.prompt, again.retry, again.of = c.model, c.wire, c.stream, c.prompt, c.retry, c
			t.make(ctx, who, again)
		}
		// A call that left before any header is known by its order alone: one that is known comes after it.
		if k.act == leaves {
			t.make(ctx, who, t.plan(who, &kinds[0]))
		}
	}
}

// pick draws a kind by its share.
func pick(random *rand.Rand) *kind {
	all := 0
	for _, k := range kinds {
		all += k.share
	}
	at := random.IntN(all)
	for i := range kinds {
		if at -= kinds[i].share; at < 0 {
			return &kinds[i]
		}
	}
	panic("unreachable")
}

// models are the healthy ones in a fixed order.
var models = []string{"fake/m", "fake/m", "chat/m", "claude/m", "gem/m"}

// plan makes a call of a kind.
func (t *traffic) plan(who *caller, k *kind) *call {
	c := &call{kind: k, caller: who.number, model: k.model, wire: k.caller, prompt: idTokens + 6 + who.random.Int64N(60)}
	if c.model == "" {
		c.model = models[who.random.IntN(len(models))]
	}
	if c.wire == "" {
		c.wire = wires[who.random.IntN(len(wires))]
	}
	c.stream = k.shape == streamed || k.shape == either && who.random.IntN(3) > 0
	return c
}

// make makes a call and notes what its caller sees.
func (t *traffic) make(ctx context.Context, who *caller, c *call) {
	serves := t.gateway.await()
	t.register.add(c)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	if c.kind.act == leaves {
		go func() {
			select {
			case <-c.arrived:
				leave()
			case <-ctx.Done():
			}
		}()
	}
	c.serves = serves
	began := time.Now()
	c.err = t.exchange(ctx, who, c, serves, leave)
	c.took = time.Since(began)
	if !c.stream {
		c.gate.Open() // the provider's reply goes on; that of a stream is broken off
	}
	c.broken = !t.gateway.lives(serves)
}

func (t *traffic) exchange(ctx context.Context, who *caller, c *call, serves *life, leave func()) error {
	method, path, body := c.request()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(serves.base, "/v1")+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	pass := *who.pass.Load()
	if c.kind.pass != nil {
		pass = c.kind.pass(pass)
	}
	req.Header.Set("Authorization", "Bearer "+pass)
	req.Header.Set("Content-Type", "application/json")
	if c.retry != "" {
		req.Header.Set("Idempotency-Key", c.retry)
	}
	res, err := serves.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	c.status, c.requestID, c.replayed = res.StatusCode, res.Header.Get("X-Request-Id"), res.Header.Get("Idempotent-Replayed") != ""
	return c.read(res.Body, who, leave)
}

// read reads the answer, and does what the kind wants done when half of the reply is there.
func (c *call) read(from io.Reader, who *caller, leave func()) error {
	var got []byte
	word, piece := wordIn(c.wire), make([]byte, 4096)
	for done := false; ; {
		n, err := from.Read(piece)
		got = append(got, piece[:n]...)
		c.seen = int64(bytes.Count(got, word))
		if !done && c.seen >= half {
			done = true
			switch c.kind.act {
			case leavesHalf:
				leave()
			case waits:
				<-who.beat
				c.gate.Open()
			case nods:
				c.gate.Open()
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
