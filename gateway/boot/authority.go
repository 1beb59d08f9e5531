package boot

import (
	"context"
	"errors"
	"fmt"

	"perdiem/gateway/https"
	"perdiem/providers"
	"perdiem/providers/keys"
)

// authorityKey stands for the authority that signs this machine's certificates, with its private key.
// It lives where provider keys do: in the keychain, or in the variable PERDIEM_KEY_HTTPS.
var authorityKey = providers.Key{ID: "https", Provider: "https", Label: "signs the gateway's certificates", Source: providers.Keychain}

// authority reads the authority from where secrets are, or makes one there.
func (a *App) authority(ctx context.Context, further []string) (*https.Authority, error) {
	secret, err := a.Secrets.Get(ctx, authorityKey)
	switch {
	case err == nil:
		authority, err := https.ParseAuthority(secret)
		if err != nil || a.options.Now().Before(authority.Expires()) {
			return authority, err
		}
		return a.newAuthority(ctx, further)
	case errors.Is(err, keys.ErrNotFound), errors.Is(err, keys.ErrNoKeychain):
		return a.newAuthority(ctx, further)
	default: // it may well be there, and another one would have to be trusted anew
		return nil, fmt.Errorf("HTTPS is on, and what signs its certificates cannot be read: %w", err)
	}
}

func (a *App) newAuthority(ctx context.Context, further []string) (*https.Authority, error) {
	authority, err := https.NewAuthority(https.NamesHere(further), a.options.Now())
	if err != nil {
		return nil, err
	}
	secret, err := authority.Secret()
	if err != nil {
		return nil, err
	}
	if err := a.Secrets.Set(ctx, authorityKey, secret); err != nil {
		return nil, fmt.Errorf("HTTPS needs a place to keep the secret that signs its certificates: %w", err)
	}
	return authority, nil
}
