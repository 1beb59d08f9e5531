package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"perdiem/meter"
)

// Credential is a provider's key in the hand. The zero value is for a provider that needs none.
type Credential struct {
	KeyID  string
	Secret string
	Caps   meter.Caps // the key's own for a day
}

// pool remembers which keys their providers asked to rest.
type pool struct {
	mu      sync.Mutex
	resting map[string]time.Time
}

func (p *pool) rest(keyID string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting == nil {
		p.resting = map[string]time.Time{}
	}
	p.resting[keyID] = until
}

// awake gives the keys that do not rest. Where all do, the one that rests the shortest is given: its
// provider then says for itself how long to wait.
func (p *pool) awake(keys []Credential, now time.Time) []Credential {
	p.mu.Lock()
	defer p.mu.Unlock()
	rests := func(c Credential) bool { return p.resting[c.KeyID].After(now) }
	if !slices.ContainsFunc(keys, rests) {
		return keys
	}
	awake := slices.DeleteFunc(slices.Clone(keys), rests)
	if len(awake) == 0 {
		awake = []Credential{slices.MinFunc(keys, func(a, b Credential) int {
			return p.resting[a.KeyID].Compare(p.resting[b.KeyID])
		})}
	}
	return awake
}

// keyBudgets are the keys that may serve, as the meter holds them.
func keyBudgets(keys []Credential) []meter.KeyBudget {
	budgets := make([]meter.KeyBudget, 0, len(keys))
	for _, k := range keys {
		if k.KeyID != "" {
			budgets = append(budgets, meter.KeyBudget{ID: k.KeyID, Caps: k.Caps})
		}
	}
	return budgets
}

// take makes the held key the call's, out of those that may serve.
func (c *call) take(keyID string) {
	for _, k := range c.keys {
		if k.KeyID == keyID {
			c.key = k
		}
	}
}

// refusedKey tells whether the provider refused the key and not the request, and sees to the key: one
// that is not valid is disabled and its owner told, a busy one rests, one that may not do this serves other calls.
func (c *call) refusedKey(ctx context.Context, resp *http.Response) bool {
	switch {
	case resp.StatusCode == http.StatusUnauthorized && saysNotPermitted(peek(resp)):
		c.log.Warn("a key has not the permission that a call needs", "provider", c.target.Provider.Name, "key", c.key.KeyID)
		return true
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusBadRequest && saysKeyInvalid(peek(resp)):
		why := fmt.Sprintf("The provider refused this key (%d).", resp.StatusCode)
		if err := c.g.Credentials.Disable(ctx, c.key.KeyID, why); err != nil {
			c.log.Error("a refused key could not be disabled", "key", c.key.KeyID, "error", err)
		}
		c.log.Error("the provider refused a key; it is not used any more", "provider", c.target.Provider.Name, "key", c.key.KeyID)
		return true
	case resp.StatusCode == http.StatusTooManyRequests:
		c.g.pool.rest(c.key.KeyID, restUntil(resp.Header, peek(resp), c.g.now()))
		return true
	}
	return false
}

// nextKey moves the hold to another key that may serve, and tells whether there was one.
func (c *call) nextKey(ctx context.Context) bool {
	refused := c.key.KeyID
	c.keys = slices.DeleteFunc(slices.Clone(c.keys), func(k Credential) bool { return k.KeyID == refused })
	if len(c.keys) == 0 {
		return false
	}
	c.request.Keys = keyBudgets(c.keys)
	moved, err := c.g.Meter.Move(ctx, c.held.ID, c.request)
	if err != nil {
		c.log.Warn("no other key has room", "error", err)
		return false
	}
	c.held = moved
	c.take(moved.KeyID)
	c.divert()
	return true
}
