package registry

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"perdiem/providers"
)

const keyColumns = `id, provider, label, source, disabled, reason, cap_requests, cap_tokens, cap_cost, created_at`

// AddKey makes room for a key of a provider and returns it; its ID is fresh, and is where the secret goes in the
// keychain. Errors: ErrInvalid, ErrNotFound if there is no such provider.
func (r *Registry) AddKey(ctx context.Context, provider, label string, source providers.KeySource) (providers.Key, error) {
	doing := fmt.Sprintf("adding a key of %q", provider)
	k := providers.Key{
		ID: strings.ToLower(rand.Text()), Provider: provider, Label: strings.TrimSpace(label), Source: source,
		CreatedAt: fromMillis(r.now().UnixMilli()),
	}
	if err := validKey(k); err != nil {
		return k, fmt.Errorf("%s: %w", doing, err)
	}
	return k, r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		if err := change(ctx, tx, "provider", `UPDATE providers SET keyed = 1 WHERE name = $1`, k.Provider); err != nil {
			return err
		}
		return insert(ctx, tx, "a key of that id",
			`INSERT INTO provider_keys (`+keyColumns+`) VALUES ($1, $2, $3, $4, 0, '', NULL, NULL, NULL, $5) ON CONFLICT DO NOTHING`,
			k.ID, k.Provider, k.Label, string(k.Source), k.CreatedAt.UnixMilli())
	})
}

// Keys returns the keys of a provider, oldest first; of all providers if it is "".
func (r *Registry) Keys(ctx context.Context, provider string) ([]providers.Key, error) {
	all, err := list(ctx, r.store.Read(), scanKey,
		`SELECT `+keyColumns+` FROM provider_keys WHERE provider = $1 OR $1 = '' ORDER BY provider, created_at, id`, provider)
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	return all, nil
}

// DisableKey takes a key out of use and keeps why, in words without the secret. Errors: ErrNotFound.
func (r *Registry) DisableKey(ctx context.Context, id, reason string) error {
	return r.setKey(ctx, "disabling a key", id, true, reason)
}

// EnableKey takes a key into use again. Errors: ErrNotFound.
func (r *Registry) EnableKey(ctx context.Context, id string) error {
	return r.setKey(ctx, "enabling a key", id, false, "")
}

func (r *Registry) setKey(ctx context.Context, doing, id string, disabled bool, reason string) error {
	return r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "key", `UPDATE provider_keys SET disabled = $2, reason = $3 WHERE id = $1`, id, flag(disabled), reason)
	})
}

// CapKey sets what a key may be used for in a day. Errors: ErrInvalid, ErrNotFound.
func (r *Registry) CapKey(ctx context.Context, id string, caps providers.Caps) error {
	const doing = "capping a key"
	for _, n := range []*int64{caps.Requests, caps.Tokens, caps.CostMicroUSD} {
		if n != nil && *n < 0 {
			return fmt.Errorf("%s: %w", doing, notValid("a daily limit is 0 or more"))
		}
	}
	return r.write(ctx, doing, func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "key", `UPDATE provider_keys SET cap_requests = $2, cap_tokens = $3, cap_cost = $4 WHERE id = $1`,
			id, caps.Requests, caps.Tokens, caps.CostMicroUSD)
	})
}

// RemoveKey forgets a key; its secret is the caller's to delete. Errors: ErrNotFound.
func (r *Registry) RemoveKey(ctx context.Context, id string) error {
	return r.write(ctx, "removing a key", func(ctx context.Context, tx Tx) error {
		return change(ctx, tx, "key", `DELETE FROM provider_keys WHERE id = $1`, id)
	})
}

func scanKey(row scanner) (k providers.Key, err error) {
	var disabled, created int64
	err = row.Scan(&k.ID, &k.Provider, &k.Label, &k.Source, &disabled, &k.Reason, &k.Caps.Requests, &k.Caps.Tokens, &k.Caps.CostMicroUSD, &created)
	k.Disabled, k.CreatedAt = disabled != 0, fromMillis(created)
	return k, err
}
