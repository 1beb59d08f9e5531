package gateway

import (
	"context"
	"net/http"
	"slices"
	"strconv"
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

// How long a key rests after a 429 that does not say, and at most.
const (
	restByDefault = 30 * time.Second
	restAtMost    = 24 * time.Hour
)

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

// restUntil reads how long a 429 asks to wait: Retry-After, or the latest of the resets that the
// vendor names (OpenAI's durations, Anthropic's times).
func restUntil(h http.Header, now time.Time) time.Time {
	until := now
	later := func(t time.Time) {
		if t.After(until) {
			until = t
		}
	}
	if ms, err := strconv.ParseInt(h.Get("Retry-After-Ms"), 10, 64); err == nil {
		later(now.Add(time.Duration(ms) * time.Millisecond))
	}
	if s, err := strconv.ParseInt(h.Get("Retry-After"), 10, 64); err == nil {
		later(now.Add(time.Duration(min(s, int64(restAtMost/time.Second))) * time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		later(at)
	}
	if until.Equal(now) {
		for _, of := range []string{"Requests", "Tokens"} {
			if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + of)); err == nil && h.Get("X-Ratelimit-Remaining-"+of) == "0" {
				later(now.Add(d))
			}
			if at, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+of+"-Reset")); err == nil && h.Get("Anthropic-Ratelimit-"+of+"-Remaining") == "0" {
				later(at)
			}
		}
	}
	if until.Equal(now) {
		until = now.Add(restByDefault)
	}
	if most := now.Add(restAtMost); until.After(most) {
		until = most
	}
	return until
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

// refusedKey tells whether the provider refused the key and not the request, and sees to the key: a
// 401 disables it and tells the owner, a 429 rests it.
func (c *call) refusedKey(ctx context.Context, resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		if err := c.g.Credentials.Disable(ctx, c.key.KeyID, "The provider refused this key (401)."); err != nil {
			c.log.Error("a refused key could not be disabled", "key", c.key.KeyID, "error", err)
		}
		c.log.Error("the provider refused a key; it is not used any more", "provider", c.target.Provider.Name, "key", c.key.KeyID)
		return true
	case http.StatusTooManyRequests:
		c.g.pool.rest(c.key.KeyID, restUntil(resp.Header, c.g.now()))
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
	return true
}
