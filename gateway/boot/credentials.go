package boot

import (
	"context"
	"errors"
	"os"

	"perdiem/gateway"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
	"perdiem/providers/registry"
)

// defaultSecrets reads keys from the keychain and, where there is none, from the environment.
func defaultSecrets(o Options, r *registry.Registry) keys.Source {
	return keys.Chain{Keychain: keys.NewKeychain(o.Now), Env: keys.NewEnv(os.LookupEnv, vendorVariable(r))}
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

// credentials finds a usable key for the gateway.
type credentials struct{ app *App }

// For gives the first key of a provider that is not disabled and can be read. A provider without
// keys may have one in the environment; a local server needs none.
func (c credentials) For(ctx context.Context, p providers.Provider) (gateway.Credential, error) {
	all, err := c.app.Providers.Keys(ctx, p.Name)
	if err != nil {
		return gateway.Credential{}, err
	}
	if len(all) == 0 {
		found, err := c.read(ctx, keys.EnvKey(p.Name))
		if errors.Is(err, keys.ErrNotFound) && keyless(p) {
			return gateway.Credential{}, nil
		}
		return found, err
	}
	errs := []error{gateway.ErrNoKey}
	for _, k := range all {
		if k.Disabled {
			continue
		}
		found, err := c.read(ctx, k)
		if err == nil {
			return found, nil
		}
		errs = append(errs, err)
	}
	return gateway.Credential{}, errors.Join(errs...)
}

func (c credentials) read(ctx context.Context, k providers.Key) (gateway.Credential, error) {
	secret, err := c.app.Secrets.Get(ctx, k)
	if err != nil {
		return gateway.Credential{}, errors.Join(gateway.ErrNoKey, err)
	}
	return gateway.Credential{KeyID: k.ID, Secret: secret}, nil
}

// keyless tells whether a provider may be called without a key: a program on this machine or the
// LAN, or an address that the owner gave without one.
func keyless(p providers.Provider) bool {
	v, ok := catalog.Vendor(p.Vendor)
	return p.Vendor == "" || ok && v.NoKey
}
