package registry

import (
	"context"
	"fmt"
	"sync"

	"perdiem/providers"
)

// recent keeps what every call looks up, as it stood in one edition of the tables: to ask for the edition costs a
// fraction of reading them anew. An edit, also one of another process, makes a new edition, and so counts at once.
type recent struct {
	mu      sync.RWMutex
	edition int64
	targets map[string]Target
	models  []providers.Model // all; nil before they were read
}

// edition is which edition of the tables stands now.
func (r *Registry) edition(ctx context.Context) (n int64, err error) {
	if n, err = r.store.Figure(ctx, `SELECT n FROM providers_edition`); err != nil {
		return 0, fmt.Errorf("asking whether providers changed: %w", err)
	}
	return n, nil
}

func (c *recent) target(edition int64, name string) (Target, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t, ok := c.targets[name]
	return t, ok && c.edition == edition
}

func (c *recent) list(edition int64) ([]providers.Model, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.models, c.models != nil && c.edition == edition
}

// keep notes what was read after an edition was asked for: it is of that edition, or of a later one, which shows when the
// edition is asked for again.
func (c *recent) keep(edition int64, note func(*recent)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.edition != edition || c.targets == nil {
		c.edition, c.targets, c.models = edition, map[string]Target{}, nil
	}
	note(c)
}
