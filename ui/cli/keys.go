package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/check"
	"perdiem/providers/keys"
	"perdiem/ui/live"
)

type keyCmd struct {
	Add    keyAddCmd    `cmd:"" help:"Store a key in the keychain."`
	List   keyListCmd   `cmd:"" help:"List keys, without their secrets."`
	Cap    keyCapCmd    `cmd:"" help:"Set what a key may be used for in a day."`
	Test   keyTestCmd   `cmd:"" help:"Ask the provider whether its keys work."`
	Remove keyRemoveCmd `cmd:"" help:"Forget a key, in the keychain too."`
}

type keyAddCmd struct {
	Provider string `arg:"" help:"Whose key it is."`
	Label    string `help:"What you call it."`
	KeyStdin bool   `help:"Read it from the standard input, instead of asking."`
}

// key is how a key is told in JSON; its secret is nowhere in it.
type key struct {
	ID        string     `json:"id"`
	Provider  string     `json:"provider"`
	Label     string     `json:"label,omitempty"`
	Source    keys.Place `json:"source"` // empty if it is nowhere
	Disabled  bool       `json:"disabled"`
	Reason    string     `json:"reason,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`

	closed bool // whether it cannot be read there now
}

// keyOf tells of a key, and where its secret really is.
func keyOf(ctx context.Context, app *boot.App, k providers.Key) key {
	at, err := keys.Where(ctx, app.Secrets, k)
	return keyAt(k, at, err != nil)
}

func keyAt(k providers.Key, at keys.Place, closed bool) key {
	return key{k.ID, k.Provider, k.Label, at, k.Disabled, k.Reason, k.CreatedAt, closed}
}

// places are the words for where a secret is.
var places = map[keys.Place]string{"": "nowhere", keys.InKeychain: "keychain", keys.InFile: "encrypted file", keys.InEnvironment: "environment"}

// from says where the secret is.
func (k key) from() string {
	if k.closed && k.Source != "" {
		return places[k.Source] + ", closed"
	}
	return places[k.Source]
}

func (c keyAddCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findProvider(ctx, app, c.Provider)
	if err != nil {
		return err
	}
	secret, err := s.readSecret(ctx, c.KeyStdin, "The key of "+p.Name)
	if err != nil {
		return err
	}
	k, err := storeKey(ctx, app, p.Name, c.Label, secret)
	if err != nil {
		return err
	}
	return s.say(keyOf(ctx, app, k), "Stored. See whether it works with: perdiem key test %s", p.Name)
}

// storeKey puts a secret into the keychain, or says which variable stands in for it.
func storeKey(ctx context.Context, app *boot.App, provider, label, secret string) (providers.Key, error) {
	k, err := live.StoreKey(ctx, app.Providers, app.Secrets, provider, live.NewKey{Label: label, Source: providers.Keychain, Secret: secret})
	if errors.Is(err, keys.ErrNoKeychain) {
		err = fmt.Errorf("%w; for %s that is %s", err, provider, keys.EnvName(provider))
	}
	return k, err
}

type keyListCmd struct {
	Provider string `arg:"" optional:"" help:"Only this provider's."`
}

func (c keyListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	if c.Provider != "" {
		if _, err := findProvider(ctx, app, c.Provider); err != nil {
			return err
		}
	}
	all, err := app.Providers.Keys(ctx, c.Provider)
	if err != nil {
		return err
	}
	values := []key{}
	t := table{heading: []string{"KEY", "PROVIDER", "LABEL", "FROM", "STATE"}, empty: "No key is stored. Add one with: perdiem key add PROVIDER"}
	for _, k := range all {
		value := keyOf(ctx, app, k)
		values = append(values, value)
		state := "in use"
		if k.Disabled {
			state = "off: " + k.Reason
		}
		t.rows = append(t.rows, []string{k.ID, k.Provider, k.Label, value.from(), state})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type keyTestCmd struct {
	Provider string `arg:"" help:"Whose keys to test."`
}

// keyTested is what a provider said of a key, in JSON.
type keyTested struct {
	key
	Works bool   `json:"works"`
	Says  string `json:"says,omitempty"`
}

// errKeyFails ends the command with a failure, after each key was told of.
var errKeyFails = errors.New("not every key works")

func (c keyTestCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findProvider(ctx, app, c.Provider)
	if err != nil {
		return err
	}
	all, err := keysOf(ctx, app, p.Name)
	if err != nil {
		return err
	}
	var tested []keyTested
	failed := false
	for _, k := range all {
		result := keyTested{key: keyOf(ctx, app, k), Works: true}
		if err := testKey(ctx, app, p, k); err != nil {
			result.Works, result.Says, failed = false, err.Error(), true
		}
		tested = append(tested, result)
	}
	err = s.show(tested, func() error {
		for _, k := range tested {
			says := "works"
			if !k.Works {
				says = k.Says
			}
			if _, err := fmt.Fprintf(s.Out, "%s: %s\n", k.ID, says); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && failed {
		return errKeyFails
	}
	return err
}

func testKey(ctx context.Context, app *boot.App, p providers.Provider, k providers.Key) error {
	secret, err := app.Secrets.Get(ctx, k)
	if err != nil {
		return err
	}
	if err := check.Key(ctx, p, secret); err != nil {
		return err
	}
	if k.Disabled {
		return app.Providers.EnableKey(ctx, k.ID)
	}
	return nil
}

// keysOf returns a provider's keys; one that has none stored may have its key in the environment.
func keysOf(ctx context.Context, app *boot.App, provider string) ([]providers.Key, error) {
	all, err := app.Providers.Keys(ctx, provider)
	if err == nil && len(all) == 0 {
		all = append(all, keys.EnvKey(provider))
	}
	return all, err
}

type keyRemoveCmd struct {
	Key string `arg:"" help:"The key's id, as perdiem key list shows it."`
}

func (c keyRemoveCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	k, err := findKey(ctx, app, c.Key, "none is stored")
	if err != nil {
		return err
	}
	// The secret goes first: once the books forget its id, nobody finds it again.
	if err := app.Secrets.Delete(ctx, k); err != nil {
		return fmt.Errorf("deleting the key: %w", err)
	}
	if err := app.Providers.RemoveKey(ctx, k.ID); err != nil {
		return err
	}
	return s.say(keyAt(k, "", false), "Removed a key of %s.", k.Provider)
}

// findKey reads a key by its id, or says which there are, and what to do where there is none.
func findKey(ctx context.Context, app *boot.App, id, hint string) (providers.Key, error) {
	all, err := app.Providers.Keys(ctx, "")
	if err != nil {
		return providers.Key{}, err
	}
	unknown := unknownError{what: "key", name: id, hint: hint}
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
		unknown.known = append(unknown.known, k.ID)
	}
	return providers.Key{}, unknown
}
