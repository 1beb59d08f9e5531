package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"perdiem/meter"
)

// Observer is told how calls went, for whoever measures. Its methods must not block, and get no
// caller's words: a model is one that the owner imported, or none.
type Observer interface {
	Refused(model string, reason meter.Reason)
	Ended(e Ended)
}

// Ended is a call that was relayed.
type Ended struct {
	Model, Provider string
	Provenance      meter.Provenance // empty where it cost nothing
	Usage           meter.Usage
	ProviderFailed  bool
	FirstByte       time.Duration // until the caller was sent anything; negative if nothing was
	Whole           time.Duration
}

// unobserved is the observer where nobody measures.
type unobserved struct{}

func (unobserved) Refused(string, meter.Reason) {}
func (unobserved) Ended(Ended)                  {}

// firstByte notes when the first byte was written to a caller.
type firstByte struct {
	http.ResponseWriter
	now func() time.Time
	at  time.Time // zero before
}

func (w *firstByte) Write(b []byte) (int, error) {
	if w.at.IsZero() {
		w.at = w.now()
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets a ResponseController through.
func (w *firstByte) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe tells the observer of a call that was relayed.
func (c *call) observe(e *ending) {
	ended := Ended{
		Model: c.target.Model.ID, Provider: c.target.Provider.Name, Provenance: e.provenance, Usage: e.usage,
		ProviderFailed: e.failed && e.cause == nil, FirstByte: -1, Whole: c.g.now().Sub(c.began),
	}
	if !c.first.at.IsZero() {
		ended.FirstByte = c.first.at.Sub(c.began)
	}
	c.g.Observer.Ended(ended)
}

// handleMetrics tells what was measured to this machine alone: it names models and counts.
func (g *Gateway) handleMetrics(w http.ResponseWriter, r *http.Request) {
	c := g.newCall(w, r)
	err := c.checkHost()
	if err == nil {
		err = c.checkPage()
	}
	if err == nil && !fromHere(r) {
		err = c.no(ForeignHost, "What was measured is told to programs on the gateway's own machine alone.")
	}
	if err != nil {
		c.refuse(err)
		return
	}
	w.Header().Del("Access-Control-Allow-Origin")
	g.Metrics.ServeHTTP(w, r)
}

// fromHere tells whether a request came from this machine, by its peer's own address.
func fromHere(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
