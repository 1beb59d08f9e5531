package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

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

var errSignedOut = problem{http.StatusUnauthorized, "This pass is not valid. Ask the owner of the gateway for a new one."}

// own answers the holder of a pass with what answer makes for them.
func (d Deps) own(answer func(*http.Request, asker) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := d.ask(r, answer)
		status := http.StatusOK
		if err != nil {
			var p problem
			if !errors.As(err, &p) {
				if r.Context().Err() == nil {
					d.Log.Error("the page cannot be filled", "path", r.URL.Path, "error", err)
				}
				p = problem{http.StatusServiceUnavailable, "The gateway cannot read its books at the moment. Please tell its owner."}
			}
			status, value = p.status, map[string]string{"error": p.text}
		}
		body, err := json.Marshal(value)
		if err != nil {
			panic(err) // the values are ours: structs of figures and text
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store") // figures and, once, a new pass
		w.WriteHeader(status)
		_, _ = w.Write(body) // a browser that left is nobody to tell
	})
}

func (d Deps) ask(r *http.Request, answer func(*http.Request, asker) (any, error)) (any, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return nil, errSignedOut
	}
	person, pass, err := d.Books.Authenticate(r.Context(), strings.TrimSpace(secret))
	if errors.Is(err, meter.ErrPassInvalid) {
		return nil, errSignedOut
	}
	if err != nil {
		return nil, err
	}
	return answer(r, asker{person, pass.ID})
}
