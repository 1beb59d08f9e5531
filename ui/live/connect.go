package live

import (
	"context"
	"errors"
	"fmt"

	"perdiem/providers"
	"perdiem/providers/registry"
)

// Registry is what the flows below write.
type Registry interface {
	AddProvider(ctx context.Context, p providers.Provider) (providers.Provider, error)
	RemoveProvider(ctx context.Context, name string) error
	AddKey(ctx context.Context, provider, label string, source providers.KeySource) (providers.Key, error)
	Keys(ctx context.Context, provider string) ([]providers.Key, error)
	RemoveKey(ctx context.Context, id string) error
	AddModel(ctx context.Context, m providers.Model) (providers.Model, error)
}

// Secrets keeps the secrets of keys.
type Secrets interface {
	Set(ctx context.Context, key providers.Key, secret string) error
	Delete(ctx context.Context, key providers.Key) error
}

// NewKey is a key as the owner gives it: a secret to be stored, or, with none, the promise of an environment variable.
type NewKey struct {
	Label  string
	Source providers.KeySource
	Secret string
}

// Connect adds a provider with its key, or without one for a nil key: the name of the key goes to the registry, the
// secret to the keychain. Where the secret cannot be kept, nothing is.
func Connect(ctx context.Context, r Registry, secrets Secrets, p providers.Provider, key *NewKey) (providers.Provider, error) {
	p, err := r.AddProvider(ctx, p)
	if err != nil || key == nil {
		return p, err
	}
	if _, err := StoreKey(ctx, r, secrets, p.Name, *key); err != nil {
		return p, errors.Join(err, r.RemoveProvider(context.WithoutCancel(ctx), p.Name))
	}
	return p, nil
}

// StoreKey adds a key to a provider that is there. Its name and its secret do not stay without each other.
func StoreKey(ctx context.Context, r Registry, secrets Secrets, provider string, k NewKey) (providers.Key, error) {
	key, err := r.AddKey(ctx, provider, k.Label, k.Source)
	if err != nil || k.Source == providers.Environment {
		return key, err
	}
	if err := secrets.Set(ctx, key, k.Secret); err != nil {
		return key, errors.Join(fmt.Errorf("storing the key: %w", err), r.RemoveKey(context.WithoutCancel(ctx), key.ID))
	}
	return key, nil
}

// ReplaceKey stores a new key, then forgets the old ones: a provider is never without.
func ReplaceKey(ctx context.Context, r Registry, secrets Secrets, provider string, k NewKey) error {
	old, err := r.Keys(ctx, provider)
	if err != nil {
		return err
	}
	if _, err := StoreKey(ctx, r, secrets, provider, k); err != nil {
		return err
	}
	for _, k := range old {
		if err := ForgetKey(ctx, r, secrets, k); err != nil {
			return err
		}
	}
	return nil
}

// Disconnect removes a provider with its models and keys, and deletes the secrets.
func Disconnect(ctx context.Context, r Registry, secrets Secrets, provider string) error {
	keys, err := r.Keys(ctx, provider)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := deleteSecret(ctx, secrets, k); err != nil {
			return err
		}
	}
	return r.RemoveProvider(ctx, provider)
}

// ForgetKey removes one key and its secret.
func ForgetKey(ctx context.Context, r Registry, secrets Secrets, key providers.Key) error {
	if err := deleteSecret(ctx, secrets, key); err != nil {
		return err
	}
	return r.RemoveKey(ctx, key.ID)
}

// deleteSecret comes before the key's row is removed: once the books forget its id, nobody finds it again.
func deleteSecret(ctx context.Context, secrets Secrets, k providers.Key) error {
	if k.Source != providers.Keychain {
		return nil
	}
	if err := secrets.Delete(ctx, k); err != nil {
		return fmt.Errorf("the key could not be deleted from the keychain, and so was not removed: %w", err)
	}
	return nil
}

// Import adds models, and leaves those that are there as they are.
func Import(ctx context.Context, r Registry, models []providers.Model) error {
	for _, m := range models {
		if _, err := r.AddModel(ctx, m); err != nil && !errors.Is(err, registry.ErrExists) {
			return err
		}
	}
	return nil
}
