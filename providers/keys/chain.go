package keys

import (
	"context"
	"errors"

	"perdiem/providers"
)

// Chain reads from the keychain, and from the environment where there is no keychain or nothing in it. Keys that are
// said to be in the environment are looked for only there. It writes to the keychain.
type Chain struct {
	Keychain, Env Source
}

// Get returns the secret of a key, from where it is said to be.
func (c Chain) Get(ctx context.Context, key providers.Key) (string, error) {
	if key.Source == providers.Environment {
		return c.Env.Get(ctx, key)
	}
	secret, err := c.Keychain.Get(ctx, key)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrNoKeychain) {
		if secret, err := c.Env.Get(ctx, key); !errors.Is(err, ErrNotFound) {
			return secret, err
		}
	}
	return secret, err
}

// Set stores the secret of a key in the keychain.
func (c Chain) Set(ctx context.Context, key providers.Key, secret string) error {
	return c.where(key).Set(ctx, key, secret)
}

// Delete forgets the secret of a key.
func (c Chain) Delete(ctx context.Context, key providers.Key) error {
	return c.where(key).Delete(ctx, key)
}

func (c Chain) where(key providers.Key) Source {
	if key.Source == providers.Environment {
		return c.Env
	}
	return c.Keychain
}
