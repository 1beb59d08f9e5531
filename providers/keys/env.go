package keys

import (
	"context"
	"fmt"
	"strings"

	"perdiem/providers"
)

// Env reads secrets from environment variables: PERDIEM_KEY_<PROVIDER>, or the vendor's own, such as OPENAI_API_KEY.
type Env struct {
	lookup    func(string) (string, bool)
	vendorVar func(ctx context.Context, provider string) string
}

// NewEnv returns the source over lookup (os.LookupEnv). vendorVar names the variable that a provider's vendor is known
// for, "" for none; it must answer only where the provider is at its vendor's own address, since whatever is there will
// be sent the secret. It may be nil.
func NewEnv(lookup func(string) (string, bool), vendorVar func(ctx context.Context, provider string) string) *Env {
	if vendorVar == nil {
		vendorVar = func(context.Context, string) string { return "" }
	}
	return &Env{lookup, vendorVar}
}

// EnvName is the variable of a provider: PERDIEM_KEY_ and its name in capitals, with _ for all but letters and digits.
func EnvName(provider string) string {
	return "PERDIEM_KEY_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, provider)
}

// EnvKey is the key of a provider that has none stored: what the environment says.
func EnvKey(provider string) providers.Key {
	return providers.Key{ID: "env:" + provider, Provider: provider, Label: EnvName(provider), Source: providers.Environment}
}

// Get reads the provider's variable, else the vendor's.
func (e *Env) Get(ctx context.Context, key providers.Key) (string, error) {
	name := EnvName(key.Provider)
	value, ok := e.lookup(name)
	if !ok || value == "" {
		name = e.vendorVar(ctx, key.Provider) // asked for only where it matters: it may have to be looked up
		if value, ok = e.lookup(name); !ok || value == "" {
			return "", fmt.Errorf("the variable %s is not set: %w", EnvName(key.Provider), ErrNotFound)
		}
	}
	secret, err := clean(value)
	if err != nil {
		return "", fmt.Errorf("the variable %s: %w", name, err)
	}
	return secret, nil
}

// Set refuses: a process cannot set the variables of those that started it.
func (e *Env) Set(context.Context, providers.Key, string) error { return ErrReadOnly }

// Delete leaves the variable as it is.
func (e *Env) Delete(context.Context, providers.Key) error { return nil }
