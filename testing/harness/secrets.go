package harness

import (
	"context"
	"sync"

	"perdiem/providers"
	"perdiem/providers/keys"
)

// Pocket keeps secrets in memory, over a source that has some already: the keychain of a test.
type Pocket struct {
	keys.Source

	mu   sync.Mutex
	kept map[string]string
}

// Get returns a secret that was kept, or the source's.
func (p *Pocket) Get(ctx context.Context, key providers.Key) (string, error) {
	p.mu.Lock()
	secret, ok := p.kept[key.ID]
	p.mu.Unlock()
	if ok {
		return secret, nil
	}
	return p.Source.Get(ctx, key)
}

// Set keeps a secret.
func (p *Pocket) Set(_ context.Context, key providers.Key, secret string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[string]string{}
	}
	p.kept[key.ID] = secret
	return nil
}

// Delete forgets a secret that was kept.
func (p *Pocket) Delete(_ context.Context, key providers.Key) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, key.ID)
	return nil
}
