package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"perdiem/meter"
)

// PassBooks are where passes are kept.
type PassBooks interface {
	Passes(ctx context.Context, personID string) ([]meter.Pass, error)
	ReplacePass(ctx context.Context, personID, passID string, expires *time.Time) (meter.Pass, string, error)
}

var errNoSuchPass = problem{http.StatusNotFound, "You have no such pass."}

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
// tells it this once.
func (p *page) rotate(r *http.Request, who asker) (any, error) {
	if who.Suspended {
		return nil, problem{http.StatusForbidden, "Your pass is suspended. Ask the owner of this gateway to resume it."}
	}
	old, err := p.find(r.Context(), who, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	// A browser that leaves must not break off halfway.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
	defer cancel()
	fresh, secret, err := p.Books.ReplacePass(ctx, who.ID, old.ID, old.ExpiresAt)
	if errors.Is(err, meter.ErrNotFound) {
		return nil, errNoSuchPass // it ended meanwhile
	}
	if err != nil {
		return nil, err
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
	return meter.Pass{}, errNoSuchPass
}
