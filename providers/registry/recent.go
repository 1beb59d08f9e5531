package registry

import (
	"context"
	"fmt"
	"sync"
)

// recent keeps what every call looks up, as it stood in one edition of the tables: to ask for the edition costs a
// fraction of reading them anew. An edit, also one of another process, makes a new edition, and so counts at once.
type recent struct {
	mu      sync.RWMutex
	edition int64
	targets map[string]Target
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

// keep notes what was read after an edition was asked for: it is of that edition, or of a later one, which shows when the
// edition is asked for again.
func (c *recent) keep(edition int64, name string, t Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.edition != edition || c.targets == nil {
		c.edition, c.targets = edition, map[string]Target{}
	}
	c.targets[name] = t
}
