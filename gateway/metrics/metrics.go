// Package metrics counts how calls go, in the form that Prometheus reads.
//
// Labels are models and providers that the owner set up, and fixed words: no caller can make more of
// them, and none names a person.
package metrics

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"perdiem/gateway"
	"perdiem/meter"
)

// Sources are the figures that are read when they are asked for.
type Sources struct {
	InFlight func() int
	Held     func(ctx context.Context) (requests, tokens int64, err error)
}

// Metrics is a gateway.Observer.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	tokens    *prometheus.CounterVec
	failures  *prometheus.CounterVec
	firstByte *prometheus.HistogramVec
	whole     *prometheus.HistogramVec
}

// seconds are the edges of latency: a quick local model to one that thinks for minutes.
var seconds = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900}

// New returns metrics that have counted nothing yet.
func New(s Sources) *Metrics {
	m := &Metrics{
		registry:  prometheus.NewRegistry(),
		requests:  counter("requests_total", "Requests that were relayed, by how what they used is known; released ones cost nothing.", "model", "outcome"),
		refusals:  counter("refusals_total", "Requests that were refused.", "model", "reason"),
		tokens:    counter("tokens_total", "Tokens that were booked. Input includes cached.", "model", "kind"),
		failures:  counter("provider_failures_total", "Requests that a provider failed or did not take.", "provider"),
		firstByte: histogram("first_byte_seconds", "Time until the caller was sent anything.", "model"),
		whole:     histogram("request_seconds", "Time until the answer was whole.", "model"),
	}
	m.registry.MustRegister(m.requests, m.refusals, m.tokens, m.failures, m.firstByte, m.whole,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("in_flight", "Requests that run now.", func() float64 { return float64(s.InFlight()) }),
		gauge("held_requests", "Requests that are held of today's budgets.", func() float64 { return held(s, true) }),
		gauge("held_tokens", "Tokens that are held of today's budgets.", func() float64 { return held(s, false) }))
	return m
}

// readTime is how long a figure may take; a scraper waits some ten seconds.
const readTime = 5 * time.Second

// held is what is held of today; not a number if the books do not say.
func held(s Sources, ofRequests bool) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	requests, tokens, err := s.Held(ctx)
	switch {
	case err != nil:
		return math.NaN()
	case ofRequests:
		return float64(requests)
	default:
		return float64(tokens)
	}
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "perdiem", Name: name, Help: help}, labels)
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "perdiem", Name: name, Help: help, Buckets: seconds}, labels)
}

func gauge(name, help string, read func() float64) prometheus.GaugeFunc {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "perdiem", Name: name, Help: help}, read)
}

// none stands for the model of a request that named none that is known.
const none = "none"

// Refused counts a refusal.
func (m *Metrics) Refused(model string, reason meter.Reason) {
	m.refusals.WithLabelValues(cmp.Or(model, none), string(reason)).Inc()
}

// Ended counts a request that was relayed.
func (m *Metrics) Ended(e gateway.Ended) {
	model := cmp.Or(e.Model, none)
	m.requests.WithLabelValues(model, cmp.Or(string(e.Provenance), "released")).Inc()
	m.tokens.WithLabelValues(model, "input").Add(float64(e.Usage.Input))
	m.tokens.WithLabelValues(model, "cached").Add(float64(e.Usage.Cached))
	m.tokens.WithLabelValues(model, "output").Add(float64(e.Usage.Output))
	if e.ProviderFailed {
		m.failures.WithLabelValues(e.Provider).Inc()
	}
	if e.FirstByte >= 0 {
		m.firstByte.WithLabelValues(model).Observe(e.FirstByte.Seconds())
	}
	m.whole.WithLabelValues(model).Observe(e.Whole.Seconds())
}

// Handler tells everything that was counted.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
