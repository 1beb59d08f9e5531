package keys

import (
	"context"
	"errors"

	"perdiem/providers"
)

// Chain reads from the keychain; where there is none or nothing in it, from the encrypted file; then from the environment.
// Keys that are said to be in the environment are looked for only there. It writes to the keychain, and to the file where
// there is no keychain and the owner gave a passphrase.
type Chain struct {
	Keychain, Env Source
	File          Source // nil = none
}

// Get returns the secret of a key, from where it is said to be.
func (c Chain) Get(ctx context.Context, key providers.Key) (string, error) {
	if key.Source == providers.Environment {
		return c.Env.Get(ctx, key)
	}
	secret, err := c.Keychain.Get(ctx, key)
	for _, next := range []Source{c.File, c.Env} {
		if next == nil || !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrNoKeychain) {
			continue
		}
		// What is not there either leaves the keychain's error, which says more.
		if found, errNext := next.Get(ctx, key); !errors.Is(errNext, ErrNotFound) && !errors.Is(errNext, ErrNoPassphrase) {
			secret, err = found, errNext
		}
	}
	return secret, err
}

// Set stores the secret of a key.
func (c Chain) Set(ctx context.Context, key providers.Key, secret string) error {
	return c.write(key, func(s Source) error { return s.Set(ctx, key, secret) })
}

// Delete forgets the secret of a key.
func (c Chain) Delete(ctx context.Context, key providers.Key) error {
	err := c.write(key, func(s Source) error { return s.Delete(ctx, key) })
	if err == nil && c.File != nil && key.Source != providers.Environment {
		err = c.File.Delete(ctx, key) // it may be in both
	}
	return err
}

// write does something where a key is kept.
func (c Chain) write(key providers.Key, do func(Source) error) error {
	if key.Source == providers.Environment {
		return do(c.Env)
	}
	err := do(c.Keychain)
	if c.File == nil || !errors.Is(err, ErrNoKeychain) {
		return err
	}
	if errFile := do(c.File); !errors.Is(errFile, ErrNoPassphrase) {
		return errFile
	}
	return err
}
