package keys

import (
	"context"
	"errors"

	"perdiem/providers"
)

// Place is where a secret is.
type Place string

// The places of secrets.
const (
	InKeychain    Place = "keychain"
	InFile        Place = "file" // the encrypted one
	InEnvironment Place = "env"
)

// Where tells from where a key is read. One that cannot be read now is at the place that keeps it closed, with the error;
// one that is nowhere has ErrNotFound and no place. A source that is no [Chain] is the place that the key is said to be in.
func Where(ctx context.Context, from Source, key providers.Key) (Place, error) {
	c, ok := from.(Chain)
	if !ok || key.Source == providers.Environment {
		_, err := from.Get(ctx, key)
		return Place(key.Source), err
	}
	at, why := Place(""), ErrNotFound
	for _, next := range []struct {
		source Source
		place  Place
	}{{c.Keychain, InKeychain}, {c.File, InFile}, {c.Env, InEnvironment}} {
		if next.source == nil {
			continue
		}
		_, err := next.source.Get(ctx, key)
		switch {
		case errors.Is(err, ErrNoPassphrase):
			at, why = next.place, err // unless it is in the environment, too
		case !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrNoKeychain):
			return next.place, err
		}
	}
	return at, why
}
