package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"perdiem/gateway/boot"
	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
)

type providerCmd struct {
	Add     providerAddCmd     `cmd:"" help:"Add a provider."`
	List    providerListCmd    `cmd:"" help:"List providers."`
	Vendors providerVendorsCmd `cmd:"" help:"List the vendors that are known by name."`
	Remove  providerRemoveCmd  `cmd:"" help:"Remove a provider with its keys and models."`
}

type providerAddCmd struct {
	Name     string   `arg:"" help:"What you call it; the first part of its models' ids."`
	Vendor   string   `help:"A vendor that perdiem provider vendors lists." placeholder:"V" xor:"where" required:""`
	URL      string   `name:"url" help:"Any address that speaks one of the dialects." placeholder:"URL" xor:"where" required:""`
	Dialect  []string `help:"What it speaks: openai, responses, anthropic or gemini (default: openai)." placeholder:"D"`
	KeyStdin bool     `help:"Read its key from the standard input."`
}

// provider is how a provider is told in JSON.
type provider struct {
	Name     string              `json:"name"`
	Vendor   string              `json:"vendor,omitempty"`
	BaseURL  string              `json:"baseUrl"`
	Dialects []providers.Dialect `json:"dialects"`
	Keys     []key               `json:"keys"`
}

func (c providerAddCmd) Run(ctx context.Context, s *session) error {
	p := providers.Provider{Name: c.Name, Vendor: c.Vendor, BaseURL: c.URL}
	for _, d := range c.Dialect {
		p.Dialects = append(p.Dialects, providers.Dialect(d))
	}
	noKey := false
	if c.Vendor != "" {
		v, err := findVendor(c.Vendor)
		if err != nil {
			return err
		}
		if v.BaseURL == "" {
			return fmt.Errorf("the address of %s differs from account to account: give it with --url", v.Title)
		}
		p.BaseURL, noKey = v.BaseURL, v.NoKey
	}
	secret := ""
	if c.KeyStdin { // read before anything is stored, so that a wrong one leaves nothing behind
		var err error
		if secret, err = s.readSecret(ctx, true, ""); err != nil {
			return err
		}
	}
	app, err := s.books(ctx)
	if err != nil {
		return err
	}
	if p, err = app.Providers.AddProvider(ctx, p); err != nil {
		return err
	}
	value := provider{p.Name, p.Vendor, p.BaseURL, p.Dialects, []key{}}
	next := "Import its models with: perdiem model import " + p.Name
	switch {
	case secret != "":
		k, err := storeKey(ctx, app, p.Name, "", secret)
		if err != nil {
			return errors.Join(err, app.Providers.RemoveProvider(ctx, p.Name))
		}
		value.Keys = append(value.Keys, keyOf(ctx, app, k))
	case !noKey:
		next = fmt.Sprintf("Give it a key with: perdiem key add %s (or in the variable %s)", p.Name, keys.EnvName(p.Name))
	}
	return s.say(value, "Added %s at %s. %s", p.Name, p.BaseURL, next)
}

type providerListCmd struct{}

func (providerListCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	all, err := app.Providers.Providers(ctx)
	if err != nil {
		return err
	}
	stored, err := app.Providers.Keys(ctx, "")
	if err != nil {
		return err
	}
	values := []provider{}
	t := table{heading: []string{"PROVIDER", "VENDOR", "ADDRESS", "KEYS "}, empty: "No providers. Add one with: perdiem provider add NAME --vendor V"}
	for _, p := range all {
		v := provider{p.Name, p.Vendor, p.BaseURL, p.Dialects, []key{}}
		n := 0
		for _, k := range stored {
			if k.Provider != p.Name {
				continue
			}
			if n++; s.json { // the table asks no keychain for what it does not tell
				v.Keys = append(v.Keys, keyOf(ctx, app, k))
			}
		}
		values = append(values, v)
		t.rows = append(t.rows, []string{p.Name, p.Vendor, p.BaseURL, strconv.Itoa(n)})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type providerVendorsCmd struct{}

func (providerVendorsCmd) Run(s *session) error {
	type vendor struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		BaseURL string `json:"baseUrl,omitempty"`
		Models  int    `json:"models"`
	}
	values := []vendor{}
	t := table{heading: []string{"VENDOR", "NAME", "ADDRESS", "MODELS "}}
	for _, v := range catalog.Vendors() {
		if v.BaseURL == "" {
			continue // to be added by --url
		}
		values = append(values, vendor{v.ID, v.Title, v.BaseURL, len(v.Models)})
		t.rows = append(t.rows, []string{v.ID, v.Title, v.BaseURL, strconv.Itoa(len(v.Models))})
	}
	return s.show(values, func() error { return t.print(s.Out) })
}

type providerRemoveCmd struct {
	Name string `arg:"" help:"The provider."`
}

func (c providerRemoveCmd) Run(ctx context.Context, s *session, app *boot.App) error {
	p, err := findProvider(ctx, app, c.Name)
	if err != nil {
		return err
	}
	stored, err := app.Providers.Keys(ctx, p.Name)
	if err != nil {
		return err
	}
	// The secrets go first: once the books forget their ids, nobody finds them again.
	for _, k := range stored {
		if err := app.Secrets.Delete(ctx, k); err != nil {
			return fmt.Errorf("deleting a key of %s: %w", p.Name, err)
		}
	}
	if err := app.Providers.RemoveProvider(ctx, p.Name); err != nil {
		return err
	}
	return s.say(map[string]string{"name": p.Name}, "Removed %s with its keys and models.", p.Name)
}

func findVendor(id string) (providers.Vendor, error) {
	if v, ok := catalog.Vendor(strings.ToLower(id)); ok {
		return v, nil
	}
	unknown := unknownError{what: "vendor", name: id}
	for _, v := range catalog.Vendors() {
		unknown.known = append(unknown.known, v.ID)
	}
	return providers.Vendor{}, unknown
}

func findProvider(ctx context.Context, app *boot.App, name string) (providers.Provider, error) {
	all, err := app.Providers.Providers(ctx)
	if err != nil {
		return providers.Provider{}, err
	}
	unknown := unknownError{what: "provider", name: name, hint: "add one with: perdiem provider add NAME --vendor V"}
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		unknown.known = append(unknown.known, p.Name)
	}
	return providers.Provider{}, unknown
}
