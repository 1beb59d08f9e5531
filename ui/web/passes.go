package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"perdiem/meter"
)

// PassBooks are where passes are kept.
type PassBooks interface {
	Passes(ctx context.Context, personID string) ([]meter.Pass, error)
	IssuePass(ctx context.Context, personID, label string, expires *time.Time) (meter.Pass, string, error)
	RevokePass(ctx context.Context, passID string) error
}

type pass struct {
	ID         string     `json:"id"`
	Label      string     `json:"label"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// passes lists the caller's own passes that are good, the newest first.
func (d Deps) passes(r *http.Request, who asker) (any, error) {
	all, err := d.Books.Passes(r.Context(), who.ID)
	if err != nil {
		return nil, err
	}
	good := []pass{}
	for _, p := range all {
		if isGood(p, d.Books.Now()) {
			good = append(good, pass{p.ID, p.Label, p.CreatedAt, p.ExpiresAt, p.LastUsedAt})
		}
	}
	return good, nil
}

func isGood(p meter.Pass, now time.Time) bool {
	return p.RevokedAt == nil && (p.ExpiresAt == nil || now.Before(*p.ExpiresAt))
}

// rotate replaces one of the caller's own passes by a new one with the same label and end, and
// tells it this once. The new one is made first: nobody is left without.
func (d Deps) rotate(r *http.Request, who asker) (any, error) {
	if who.Suspended {
		return nil, problem{http.StatusForbidden, "Your pass is suspended. Ask the owner of this gateway to resume it."}
	}
	old, err := d.find(r.Context(), who, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	// A browser that leaves must not break off between the two.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
	defer cancel()
	fresh, secret, err := d.Books.IssuePass(ctx, who.ID, old.Label, old.ExpiresAt)
	if err != nil {
		return nil, err
	}
	if err := d.Books.RevokePass(ctx, old.ID); err != nil {
		return nil, errors.Join(fmt.Errorf("end the old pass: %w", err), d.Books.RevokePass(ctx, fresh.ID))
	}
	return map[string]string{"id": fresh.ID, "pass": secret}, nil
}

// find finds one of the caller's own good passes; another's is as unknown as none.
func (d Deps) find(ctx context.Context, who asker, id string) (meter.Pass, error) {
	all, err := d.Books.Passes(ctx, who.ID)
	if err != nil {
		return meter.Pass{}, err
	}
	for _, p := range all {
		if p.ID == id && isGood(p, d.Books.Now()) {
			return p, nil
		}
	}
	return meter.Pass{}, problem{http.StatusNotFound, "You have no such pass."}
}
