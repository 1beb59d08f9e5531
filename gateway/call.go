package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/form"
	"perdiem/providers/registry"
	"perdiem/providers/wire"
)

// call is one request on its way through the gateway. One goroutine owns it; what others read of
// it is in flight.
type call struct {
	endpoint
	g   *Gateway
	w   http.ResponseWriter
	r   *http.Request
	id  string
	log *slog.Logger

	began time.Time
	first *firstByte // w, as it is written to

	body     []byte
	unknown  int64      // what it claimed of the gateway's memory while its caller is not known, in bytes
	large    int64      // what it has of it since, in bytes
	form     *form.Form // in place of body, where the call is one
	facts    wire.Facts
	ask      ask        // as the provider is asked
	secret   []byte     // key.Secret, to look for in each event
	retold   *retelling // nil where the reply is passed on as it comes
	invalid  error      // what Inspect found wrong with the body; judged in its place among the gates
	target   registry.Target
	keys     []Credential // those that may serve
	key      Credential   // the one that does
	team     *meter.Team  // as it stood when the caller was identified
	person   meter.Person
	passID   string
	network  string    // a guest's, hashed
	admitted time.Time // when the rate guard counted the call; zero if it did not
	prompt   int64     // tokens of the prompt, as best known
	request  meter.Request
	held     meter.Hold
	object   string          // the id under which the provider keeps the response, once it came
	asked    providers.Model // the one that was asked for
	steps    int             // fallbacks taken since
	dropped  int             // turns left out since
	free     bool            // it ended without cost
	flight   *flight
	kept     *kept // nil unless the caller gave an idempotency key
}

func (c *call) serve() {
	if !c.g.begin() {
		c.refuse(c.no(Closing, "The gateway is closing."))
		return
	}
	defer c.g.running.Done()
	defer c.unclaim()
	defer func() { c.g.large.Add(-c.large) }()
	defer c.closeForm()
	gates, answer := modelGates, c.relay
	if !c.costs {
		gates, answer = countGates, c.pipe
	}
	err := c.pass(gates)
	if err != nil {
		c.takeBack()
	}
	if again := (*meter.Replay)(nil); errors.As(err, &again) {
		c.replay(again.Answer)
		return
	}
	if err != nil {
		c.refuse(err)
		return
	}
	answer()
}

func (g *Gateway) newCall(w http.ResponseWriter, r *http.Request) *call {
	id := w.Header().Get("X-Request-Id")
	first := &firstByte{ResponseWriter: w, now: g.now}
	return &call{
		g: g, w: first, first: first, r: r, id: id, began: g.now(), endpoint: endpoint{voice: openAI{}}, log: g.Log.With("request", id),
	}
}

// takeBack uncounts the call from the caller's rate: it was refused for another reason, or answered
// from the books.
func (c *call) takeBack() {
	if c.admitted.IsZero() {
		return
	}
	ctx, cancel := c.booksContext()
	defer cancel()
	if err := c.g.Meter.TakeBack(ctx, c.person, c.network, c.admitted, c.images()); err != nil {
		c.log.Warn("a refused call still counts against the rate", "error", err)
	}
}

func (c *call) closeForm() {
	if c.form == nil {
		return
	}
	if err := c.form.Close(); err != nil {
		c.log.Warn("a form's file could not be removed", "error", err)
	}
}

// booksContext is for what must reach the books though the caller has left; it ends by itself, so
// that a broken disk cannot keep calls for ever.
func (c *call) booksContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.r.Context()), 10*time.Second)
}
