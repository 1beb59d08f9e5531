package live_test

import (
	"context"
	"errors"
	"testing"

	"perdiem/providers"
	"perdiem/ui/live"
)

// shelf is a registry in memory that counts what is there.
type shelf struct {
	providers []string
	keys      []providers.Key
	failKey   error
}

func (s *shelf) AddProvider(_ context.Context, p providers.Provider) (providers.Provider, error) {
	s.providers = append(s.providers, p.Name)
	return p, nil
}

func (s *shelf) RemoveProvider(context.Context, string) error {
	s.providers, s.keys = nil, nil
	return nil
}

func (s *shelf) AddKey(_ context.Context, provider, label string, source providers.KeySource) (providers.Key, error) {
	k := providers.Key{ID: provider + label + string(rune('a'+len(s.keys))), Provider: provider, Source: source}
	if s.failKey == nil {
		s.keys = append(s.keys, k)
	}
	return k, s.failKey
}

func (s *shelf) Keys(context.Context, string) ([]providers.Key, error) {
	return append([]providers.Key(nil), s.keys...), nil
}

func (s *shelf) RemoveKey(_ context.Context, id string) error {
	for i, k := range s.keys {
		if k.ID == id {
			s.keys = append(s.keys[:i:i], s.keys[i+1:]...)
			return nil
		}
	}
	return errors.New("no such key")
}

func (s *shelf) AddModel(_ context.Context, m providers.Model) (providers.Model, error) {
	return m, nil
}

// chain is a keychain in memory.
type chain struct {
	secrets map[string]string
	fail    error
}

func (c *chain) Set(_ context.Context, k providers.Key, secret string) error {
	if c.fail == nil {
		c.secrets[k.ID] = secret
	}
	return c.fail
}

func (c *chain) Delete(_ context.Context, k providers.Key) error {
	delete(c.secrets, k.ID)
	return c.fail
}

var pasted = live.NewKey{Source: providers.Keychain, Secret: "sk-1"}

func TestAProviderIsNotKeptWithoutItsKey(t *testing.T) {
	locked := errors.New("locked")
	for name, c := range map[string]struct{ key, secret error }{
		"the registry fails": {key: locked}, "the keychain fails": {secret: locked},
	} {
		t.Run(name, func(t *testing.T) {
			s, k := &shelf{failKey: c.key}, &chain{map[string]string{}, c.secret}
			_, err := live.Connect(t.Context(), s, k, providers.Provider{Name: "p"}, &pasted)
			if !errors.Is(err, locked) || len(s.providers)+len(s.keys)+len(k.secrets) != 0 {
				t.Fatalf("error %v; left %v, %v, %d secrets", err, s.providers, s.keys, len(k.secrets))
			}
		})
	}
}

func TestAnEnvironmentKeyIsNeverWritten(t *testing.T) {
	s, k := &shelf{}, &chain{map[string]string{}, errors.New("read only")}
	_, err := live.Connect(t.Context(), s, k, providers.Provider{Name: "p"}, &live.NewKey{Source: providers.Environment})
	if err != nil || len(s.keys) != 1 {
		t.Fatalf("error %v, keys %v", err, s.keys)
	}
	if err := live.Disconnect(t.Context(), s, k, "p"); err != nil {
		t.Fatal(err)
	}
}

func TestAReplacedKeyGoesOnlyAfterTheNewOneIsThere(t *testing.T) {
	s, k := &shelf{}, &chain{map[string]string{}, nil}
	if _, err := live.Connect(t.Context(), s, k, providers.Provider{Name: "p"}, &pasted); err != nil {
		t.Fatal(err)
	}
	k.fail = errors.New("locked")
	if err := live.ReplaceKey(t.Context(), s, k, "p", live.NewKey{Source: providers.Keychain, Secret: "sk-2"}); err == nil {
		t.Fatal("a key that could not be stored was taken")
	}
	if len(s.keys) != 1 || k.secrets[s.keys[0].ID] != "sk-1" {
		t.Fatalf("the old key is gone: %v", s.keys)
	}
	k.fail = nil
	if err := live.ReplaceKey(t.Context(), s, k, "p", live.NewKey{Source: providers.Keychain, Secret: "sk-2"}); err != nil {
		t.Fatal(err)
	}
	if len(s.keys) != 1 || len(k.secrets) != 1 || k.secrets[s.keys[0].ID] != "sk-2" {
		t.Fatalf("keys %v, %d secrets", s.keys, len(k.secrets))
	}
}

func TestAKeyStaysInTheBooksWhereItsSecretCannotBeDeleted(t *testing.T) {
	s, k := &shelf{}, &chain{map[string]string{}, nil}
	if _, err := live.Connect(t.Context(), s, k, providers.Provider{Name: "p"}, &pasted); err != nil {
		t.Fatal(err)
	}
	k.fail = errors.New("locked")
	for name, remove := range map[string]func() error{
		"the key":      func() error { return live.ForgetKey(t.Context(), s, k, s.keys[0]) },
		"the provider": func() error { return live.Disconnect(t.Context(), s, k, "p") },
	} {
		if err := remove(); !errors.Is(err, k.fail) || len(s.providers) != 1 || len(s.keys) != 1 {
			t.Errorf("removing %s: %v; left %v, %v", name, err, s.providers, s.keys)
		}
	}
}
