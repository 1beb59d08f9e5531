package boot

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"perdiem/gateway"
	"perdiem/meter"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
	"perdiem/providers/registry"
)

// defaultSecrets has keys in the keychain, in the environment and, under a passphrase, in an encrypted file.
func defaultSecrets(o Options, r *registry.Registry) keys.Source {
	return keys.Chain{
		Keychain: keys.NewKeychain(o.Now),
		Env:      keys.NewEnv(os.LookupEnv, vendorVariable(r)),
		File:     keys.NewFile(filepath.Join(o.Data, "keys.age"), keys.PassphraseFrom(os.LookupEnv), o.Now),
	}
}

// vendorVariable names the variable that a provider's vendor is known for, such as OPENAI_API_KEY.
func vendorVariable(r *registry.Registry) func(context.Context, string) string {
	return func(ctx context.Context, name string) string {
		all, err := r.Providers(ctx)
		if err != nil {
			return ""
		}
		for _, p := range all {
			if p.Name == name {
				return catalog.KeyEnv(p)
			}
		}
		return ""
	}
}

// credentials finds the usable keys of a provider for the gateway.
type credentials struct{ app *App }

// For lists the keys that are not disabled and can be read. A provider without keys may have one in
// the environment; a local server needs none.
func (c credentials) For(ctx context.Context, t registry.Target) ([]gateway.Credential, error) {
	p := t.Provider
	if len(t.Keys) == 0 {
		found, err := c.read(ctx, keys.EnvKey(p.Name))
		switch {
		case err == nil:
			return []gateway.Credential{found}, nil
		case errors.Is(err, keys.ErrNotFound) && keyless(p):
			return []gateway.Credential{{}}, nil
		default:
			return nil, errors.Join(gateway.ErrNoKey, err)
		}
	}
	var usable []gateway.Credential
	errs := []error{gateway.ErrNoKey}
	for _, k := range t.Keys {
		if k.Disabled {
			continue
		}
		found, err := c.read(ctx, k)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		usable = append(usable, found)
	}
	if len(usable) == 0 {
		return nil, errors.Join(errs...)
	}
	return usable, nil
}

// Disable takes a key out of use. A key that is in the environment alone stays: only who set it can
// take it away.
func (c credentials) Disable(ctx context.Context, keyID, why string) error {
	err := c.app.Providers.DisableKey(ctx, keyID, why)
	if errors.Is(err, registry.ErrNotFound) {
		return nil
	}
	return err
}

func (c credentials) read(ctx context.Context, k providers.Key) (gateway.Credential, error) {
	secret, err := c.app.Secrets.Get(ctx, k)
	return gateway.Credential{KeyID: k.ID, Secret: secret, Caps: meter.Caps(k.Caps)}, err
}

// keyless tells whether a provider may be called without a key: a program on this machine or the
// LAN, or an address that the owner never gave a key for.
func keyless(p providers.Provider) bool {
	v, ok := catalog.Vendor(p.Vendor)
	return p.Vendor == "" && !p.Keyed || ok && v.NoKey
}
