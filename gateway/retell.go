package gateway

import (
	"bytes"
	"net/http"

	"perdiem/providers/sse"
	"perdiem/providers/translate"
	"perdiem/providers/wire"
)

// retelling says a provider's reply in the caller's dialect, where the two differ.
type retelling struct {
	reply *translate.Reply
	// reader reads what the caller is told until the reply has begun, for what keeps their stream alive.
	reader wire.Reader
	begun  bool
	array  bool // a whole reply is told as a list of one
}

// startReply prepares for a reply of the provider that is asked next.
func (c *call) startReply(e *ending) {
	e.reader = c.ask.wire.NewReader(c.ask.facts)
	c.retold, c.secret = nil, []byte(c.key.Secret)
	if c.ask.translation != nil {
		c.retold = &retelling{
			reply:  c.ask.said.NewReply(translate.ReplyOptions{ID: c.id, Now: c.began.Unix(), Prompt: c.held.Input}),
			reader: c.wire.NewReader(c.facts),
			array:  c.array,
		}
	}
}

// event says one event of the provider's. The result is valid until the next call.
func (t *retelling) event(data []byte) []byte {
	said := t.reply.Event(data)
	if !t.begun && len(said) > 0 {
		t.begun = true
		eachEvent(said, func(ev sse.Event) { t.reader.Event(ev.Data) })
	}
	return said
}

// events says events of the provider's, the last ones of its reply.
func (t *retelling) events(stream []byte) (said []byte) {
	eachEvent(stream, func(ev sse.Event) { said = append(said, t.event(ev.Data)...) })
	return append(said, t.reply.Close()...)
}

// errorEvent ends the caller's stream with an error.
func (c *call) errorEvent(e *ending, f wire.Failure) []byte {
	if c.retold != nil {
		return c.retold.reply.Fail(f)
	}
	if r, ok := e.reader.(wire.Failing); ok {
		return r.Fails(f)
	}
	return c.wire.ErrorEvent(f)
}

// unsaid is why a whole reply cannot be told.
func (t *retelling) unsaid(e *ending, body []byte) failure {
	switch f := t.reply.Failure(); {
	case f != nil && f.Status >= http.StatusBadRequest:
		return failure{f.Status, *f}
	case f != nil:
		return failure{http.StatusBadGateway, *f}
	case e.failed:
		return saidSo(wire.FailureOf(body).Status, body)
	default:
		return notAReply()
	}
}

// whole says a whole reply; false if it is none.
func (t *retelling) whole(body []byte) ([]byte, bool) {
	said, ok := t.reply.Body(body)
	if ok && t.array {
		said = append(append([]byte("["), said...), ']')
	}
	return said, ok
}

func eachEvent(stream []byte, do func(sse.Event)) {
	events := sse.NewScanner(bytes.NewReader(stream))
	for {
		ev, err := events.Next()
		if err != nil {
			return
		}
		if len(ev.Data) > 0 {
			do(ev)
		}
	}
}

// forCaller is what the caller is told of an event; nothing, where it is for us alone.
func (c *call) forCaller(event sse.Event, seen wire.Seen) []byte {
	switch {
	case c.retold != nil:
		return c.retold.event(c.clean(event.Data, seen))
	case seen.UsageOnly && !c.facts.UsageAsked:
		return nil
	default:
		return c.clean(event.Raw, seen)
	}
}

// streamRest is what a stream still lacks for its caller when the provider has ended it well.
func (c *call) streamRest() []byte {
	if c.retold == nil {
		return nil
	}
	return c.retold.reply.Close()
}

// keepAlive is what the caller's stream bears between events.
func (c *call) keepAlive(e *ending) []byte {
	if c.retold != nil {
		return c.retold.reader.KeepAlive()
	}
	return e.reader.KeepAlive()
}
