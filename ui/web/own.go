package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"perdiem/gateway/throttle"
	"perdiem/meter"
)

// Authenticator finds whose pass a secret is; meter.ErrPassInvalid if it is nobody's.
type Authenticator interface {
	Authenticate(ctx context.Context, secret string) (meter.Person, meter.Pass, error)
	Now() time.Time
}

// asker is who asks, and with which of their passes.
type asker struct {
	meter.Person
	passID string
}

// problem is an error that the page shows as it stands.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

var (
	errSignedOut = problem{http.StatusUnauthorized, "This pass is not valid. Ask the owner of the gateway for a new one."}
	errTooMany   = problem{http.StatusTooManyRequests, "This page asks too often. It goes on in a minute."}
	errTooWrong  = problem{http.StatusTooManyRequests, "Too many wrong passes or codes came from your network. Wait a minute, then try again."}
)

// own answers the holder of a pass with what answer makes for them.
func (p *page) own(answer func(*http.Request, asker) (any, error)) http.Handler {
	return p.answering(func(r *http.Request) (any, error) { return p.ask(r, answer) })
}

// answering answers with what answer makes, or with why it does not.
func (p *page) answering(answer func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := answer(r)
		status := http.StatusOK
		if err != nil {
			var why problem
			if !errors.As(err, &why) {
				if r.Context().Err() == nil {
					p.Log.Error("the page cannot be filled", "path", r.URL.Path, "error", err)
				}
				why = problem{http.StatusServiceUnavailable, "The gateway cannot read its books at the moment. Please tell its owner."}
			}
			status, value = why.status, map[string]string{"error": why.text}
		}
		body, err := json.Marshal(value)
		if err != nil {
			panic(err) // the values are ours: structs of figures and text
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store") // figures and, once, a new pass
		if status == http.StatusTooManyRequests {
			h.Set("Retry-After", "60")
		}
		w.WriteHeader(status)
		_, _ = w.Write(body) // a browser that left is nobody to tell
	})
}

func (p *page) ask(r *http.Request, answer func(*http.Request, asker) (any, error)) (any, error) {
	network := throttle.NetworkOf(r)
	if p.tries.Full(network) {
		return nil, errTooWrong
	}
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return nil, errSignedOut
	}
	person, pass, err := p.Books.Authenticate(r.Context(), strings.TrimSpace(secret))
	if errors.Is(err, meter.ErrPassInvalid) {
		p.tries.Count(network)
		return nil, errSignedOut
	}
	if err != nil {
		return nil, err
	}
	if p.asks.Full(person.ID) {
		return nil, errTooMany
	}
	p.asks.Count(person.ID)
	return answer(r, asker{person, pass.ID})
}
