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
func (p *page) passes(r *http.Request, who asker) (any, error) {
	all, err := p.Books.Passes(r.Context(), who.ID)
	if err != nil {
		return nil, err
	}
	good := []pass{}
	for _, one := range all {
		if isGood(one, p.Books.Now()) {
			good = append(good, pass{one.ID, one.Label, one.CreatedAt, one.ExpiresAt, one.LastUsedAt})
		}
	}
	return good, nil
}

func isGood(p meter.Pass, now time.Time) bool {
	return p.RevokedAt == nil && (p.ExpiresAt == nil || now.Before(*p.ExpiresAt))
}

// rotate replaces one of the caller's own passes by a new one with the same label and end, and
// tells it this once. The new one is made first: nobody is left without.
func (p *page) rotate(r *http.Request, who asker) (any, error) {
	if who.Suspended {
		return nil, problem{http.StatusForbidden, "Your pass is suspended. Ask the owner of this gateway to resume it."}
	}
	old, err := p.find(r.Context(), who, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	// A browser that leaves must not break off between the two.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
	defer cancel()
	fresh, secret, err := p.Books.IssuePass(ctx, who.ID, old.Label, old.ExpiresAt)
	if err != nil {
		return nil, err
	}
	if err := p.Books.RevokePass(ctx, old.ID); err != nil {
		return nil, errors.Join(fmt.Errorf("end the old pass: %w", err), p.Books.RevokePass(ctx, fresh.ID))
	}
	return map[string]string{"id": fresh.ID, "pass": secret}, nil
}

// find finds one of the caller's own good passes; another's is as unknown as none.
func (p *page) find(ctx context.Context, who asker, id string) (meter.Pass, error) {
	all, err := p.Books.Passes(ctx, who.ID)
	if err != nil {
		return meter.Pass{}, err
	}
	for _, one := range all {
		if one.ID == id && isGood(one, p.Books.Now()) {
			return one, nil
		}
	}
	return meter.Pass{}, problem{http.StatusNotFound, "You have no such pass."}
}
