// Package web is a teammate's own page: what is left of their day, how to set a tool up, and their
// passes. The gateway serves it at "/" to any browser on the LAN.
//
// Invariants:
//
//   - Whoever calls is told of themselves alone. They are known by their pass, which comes in a
//     header and never in an address, so that no history, log or Referer keeps it. A join code comes
//     in a body, for the same reason.
//   - Wrong passes and codes are let in only so often from one network.
//   - A browser runs and loads nothing but what is embedded here: the policy in secured says so.
//   - Nothing that a person, a tool or a provider named becomes markup: scripts set text only.
package web

import (
	"context"
	"embed"
	"log/slog"
	"net/http"

	"perdiem/assets"
	"perdiem/gateway"
	"perdiem/gateway/throttle"
	"perdiem/meter"
)

// Books are what the page reads, and the passes that it replaces. *meter.Meter is one.
type Books interface {
	Authenticator
	PassBooks
	JoinBooks
	Changed(ctx context.Context) (uint64, error)
	PersonHistory(ctx context.Context, personID, from, to string) ([]meter.DaySum, error)
	Refusals(ctx context.Context, f meter.RefusalFilter) ([]meter.Refusal, error)
}

// Deps are the page's parts.
type Deps struct {
	Books       Books
	InFlight    func() []gateway.Flight // what runs now
	Log         *slog.Logger
	Certificate func() Certificate // of the port; nil where it speaks plain HTTP
}

// Certificate is what the page tells of the port's.
type Certificate struct {
	Fingerprint string // SHA-256 of the authority, or else of the certificate itself
	CA          []byte // the authority's certificate, as PEM; none where browsers know it already
}

// CAPath is where the authority's certificate is, for everybody: there is nothing secret in it.
const CAPath = "/page/ca.pem"

// page is the page of one gateway.
type page struct {
	Deps
	asks  *throttle.Throttle // by person
	tries *throttle.Throttle // by network: wrong passes and codes
}

// What the page's scripts may ask for in a minute. A page in view asks some 60 times, and up to 240
// where the figures change each second; a person may have several open.
const (
	asksAMinute  = 1200 // by one person
	triesAMinute = 10   // with a wrong pass or code, from one network
)

//go:embed static
var static embed.FS

// Handler serves the page, its files and what its scripts ask for, at "/" and below "/page/". Which
// names this machine goes by is not judged here.
func Handler(d Deps) http.Handler {
	p := &page{d, throttle.New(asksAMinute, d.Books.Now), throttle.New(triesAMinute, d.Books.Now)}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", file("index.html", read("index.html")))
	for _, name := range []string{
		"page.css", "main.js", "api.js", "dom.js", "words.js", "today.js", "past.js", "passes.js", "setups.js", "tryit.js", "join.js",
	} {
		mux.Handle("GET /page/"+name, file(name, read(name)))
	}
	mux.Handle("GET /page/icon.svg", file("icon.svg", assets.IconSVG))
	mux.Handle("GET /page/api/pulse", p.own(p.pulse))
	mux.Handle("GET /page/api/log", p.own(p.log))
	mux.Handle("GET /page/api/passes", p.own(p.passes))
	mux.Handle("POST /page/api/passes/{id}/rotate", p.own(p.rotate))
	mux.Handle("GET /page/api/setups", p.own(p.setUps))
	mux.Handle("POST /page/api/join", p.answering(p.join))
	mux.HandleFunc("GET "+CAPath, p.ca)
	return secured(mux)
}

// ca hands out the authority's certificate, to be saved and trusted.
func (p *page) ca(w http.ResponseWriter, r *http.Request) {
	if p.Certificate == nil || len(p.Certificate().CA) == 0 {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-pem-file")
	h.Set("Content-Disposition", `attachment; filename="perdiem-ca.pem"`)
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(p.Certificate().CA) // a browser that left is nobody to tell
}

func read(name string) []byte {
	body, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err) // named in the code, and not there to embed
	}
	return body
}

// policy lets a browser take everything from this gateway and nothing from anywhere else, run no
// script but the embedded files, send no form and sit in no frame. Scripts cannot make markup of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
