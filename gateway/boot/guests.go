package boot

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"perdiem/providers"
	"perdiem/providers/keys"
)

// guestKey stands for the secret by which guests' networks are hashed. It lives where provider keys
// do: in the keychain, or in the variable PERDIEM_KEY_GUESTS.
var guestKey = providers.Key{ID: "guests", Provider: "guests", Label: "tells guests apart", Source: providers.Keychain}

// errOtherGuestSecret means that gateways on one store would tell guests apart by different secrets,
// and so let each of them in once for every gateway.
var errOtherGuestSecret = errors.New("the other gateways on this store tell guests apart by another secret; " +
	"give every gateway the same one in the variable " + keys.EnvName(guestKey.Provider))

// guests is the secret once it was asked for.
type guests struct {
	app    *App
	mu     sync.Mutex
	asked  bool
	secret []byte
}

// get finds or makes the secret at the first call; a failure is tried again at the next.
func (g *guests) get(ctx context.Context) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked {
		return g.secret, nil
	}
	secret, err := g.app.guestSecret(ctx)
	g.asked, g.secret = err == nil, secret
	return secret, err
}

// guestSecret finds or makes the secret. On a store of its own a gateway can do with a fresh one,
// which forgets guests' rates at each start. On a shared store every gateway must have the same; its
// fingerprint there tells. Without any, nil: this gateway then lets no guests in.
func (a *App) guestSecret(ctx context.Context) ([]byte, error) {
	secret, err := a.Secrets.Get(ctx, guestKey)
	kept := err == nil
	if !kept {
		if secret, err = newSecret(); err != nil {
			return nil, err
		}
		kept = a.Secrets.Set(ctx, guestKey, secret) == nil
	}
	if a.options.Store == "" {
		return []byte(secret), nil
	}
	if !kept {
		a.options.Log.Warn("guests are not let in: this gateway has nowhere to keep the secret that tells them apart", "variable", keys.EnvName(guestKey.Provider))
		return nil, nil
	}
	sum := sha256.Sum256([]byte("fingerprint:" + secret))
	own := hex.EncodeToString(sum[:8])
	stands, err := a.Meter.SetSettingOnce(ctx, "guests.fingerprint", own)
	if err != nil {
		return nil, err
	}
	if stands != own {
		return nil, errOtherGuestSecret
	}
	return []byte(secret), nil
}

func newSecret() (string, error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}
