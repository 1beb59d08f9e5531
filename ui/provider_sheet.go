package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/providers/catalog"
	"perdiem/providers/keys"
	"perdiem/ui/live"
)

// providerForm is the fields of a provider that is to be added.
type providerForm struct {
	content       fyne.CanvasObject
	vendor        providers.Vendor
	name, address *entry
	from          *choice // keychain or environment
	secret        *entry
	hint          *widget.Label
}

const pasteHere = "Paste it here; it is never shown again"

func newProviderForm(vendor providers.Vendor, name string) *providerForm {
	f := &providerForm{vendor: vendor, name: newEntry("local"), address: newEntry("https://api.example.com/v1"), secret: newSecretEntry(pasteHere), hint: widget.NewLabel("")}
	f.name.SetText(name)
	f.address.SetText(vendor.BaseURL)
	f.name.OnChanged = func(string) { f.explain() }
	f.from = newChoice(f.explain, "Keychain", "Environment variable")
	f.content = stack(edge,
		labelled("Name: the first part of its models' ids", f.name),
		labelled("Address (base URL)", f.address),
		labelled("Key, from", line(gap, f.from.content)),
		stack(4, f.secret, paragraph(f.hint)))
	f.explain()
	return f
}

// first is the field that is to be filled in first.
func (f *providerForm) first() *entry {
	switch {
	case f.name.Text == "":
		return f.name
	case f.address.Text == "":
		return f.address
	}
	return f.secret
}

// explain says where the key goes.
func (f *providerForm) explain() {
	switch {
	case f.from.chosen == 1:
		f.secret.Hide()
		words := "Set " + keys.EnvName(f.name.Text) + " before Perdiem starts."
		if f.vendor.KeyEnv != "" {
			words = "Set " + keys.EnvName(f.name.Text) + " or " + f.vendor.KeyEnv + " before Perdiem starts."
		}
		f.hint.SetText(words)
	case f.vendor.NoKey:
		f.secret.Show()
		f.secret.SetPlaceHolder("Not needed")
		f.hint.SetText("A server of your own needs no key, unless you gave it one.")
	default:
		f.secret.Show()
		f.secret.SetPlaceHolder(pasteHere)
		f.hint.SetText("It goes to this computer's keychain, never into a file or the database.")
	}
}

// read is the provider and its key as the fields have them; the key is nil where none is needed.
func (f *providerForm) read() (providers.Provider, *live.NewKey, error) {
	p := providers.Provider{Name: strings.TrimSpace(f.name.Text), Vendor: f.vendor.ID, BaseURL: strings.TrimSpace(f.address.Text), Dialects: []providers.Dialect{providers.OpenAI}}
	p = catalog.Complete(p) // Claude Code and Gemini CLI speak their vendors' own dialects
	secret := strings.TrimSpace(f.secret.Text)
	switch {
	case f.from.chosen == 1:
		return p, &live.NewKey{Label: keys.EnvName(p.Name), Source: providers.Environment}, nil
	case secret != "":
		return p, &live.NewKey{Source: providers.Keychain, Secret: secret}, nil
	case f.vendor.ID != catalog.Custom && !f.vendor.NoKey:
		return p, nil, errors.New(f.vendor.Title + " wants a key: paste it into the field")
	}
	return p, nil, nil
}

// addAt asks for an account at a vendor, tests its key, stores both, and goes on to its models.
func (m *models) addAt(vendor providers.Vendor) {
	name, title := vendor.ID, "Add "+vendor.Title
	if vendor.ID == catalog.Custom {
		name, title = "", "Add an OpenAI-compatible address"
	}
	f := newProviderForm(vendor, m.freeName(name))
	m.form = f
	var made providers.Provider
	var listed []providers.Model
	m.d.openSheet(title, f.content, action{
		label: "Test and add", limit: asking,
		check: func() (func(context.Context) error, error) {
			p, key, err := f.read()
			return func(ctx context.Context) (err error) {
				if listed, err = m.try(ctx, p, key); err != nil {
					return err
				}
				made, err = live.Connect(ctx, m.d.services.Registry, m.d.services.Secrets, p, key)
				return err
			}, err
		},
		done: func() {
			m.lookAt(made.Name)
			m.chooseModels(made, listed)
		},
	}, f.name, f.address, f.secret)
	m.d.window.Canvas().Focus(f.first())
}

// try asks a provider that is not stored yet for its models.
func (m *models) try(ctx context.Context, p providers.Provider, key *live.NewKey) ([]providers.Model, error) {
	secret := ""
	switch {
	case key == nil:
	case key.Source == providers.Environment:
		var err error
		if secret, err = m.d.services.Secrets.Get(ctx, keys.EnvKey(p.Name)); err != nil {
			return nil, err
		}
	default:
		secret = key.Secret
	}
	return m.d.services.Vendors.List(ctx, p, secret)
}

// freeName is the vendor's id, or that with a number where there is a provider of that name.
func (m *models) freeName(id string) string {
	for n := 1; ; n++ {
		name := id
		if n > 1 {
			name = fmt.Sprintf("%s-%d", id, n)
		}
		taken := false
		for _, p := range m.shelf {
			taken = taken || p.Name == name
		}
		if !taken || id == "" {
			return name
		}
	}
}

// testKey asks the provider for its models with the stored key, and notes what came of it.
func (m *models) testKey() {
	p := *m.current()
	m.test.Disable()
	m.test.SetText("Testing …")
	began := time.Now()
	found := 0
	m.d.work(asking, func(ctx context.Context) error {
		listed, err := m.ask(ctx, p)
		found = len(listed)
		return err
	}, func(err error) {
		m.test.SetText("Test the key")
		m.test.Enable()
		if err != nil {
			m.d.shell.tell(colorSpent, p.Name+" cannot be used: "+live.Plain(err))
			return
		}
		m.d.shell.tell(theme.ColorNamePrimary, fmt.Sprintf("%s answers: %d models, in %s.", p.Name, found, time.Since(began).Round(10*time.Millisecond)))
	})
}

// ask asks a provider for its models with its first usable key.
func (m *models) ask(ctx context.Context, p live.Provider) ([]providers.Model, error) {
	secret := ""
	for _, k := range p.Keys {
		if k.Disabled {
			continue
		}
		var err error
		if secret, err = m.d.services.Secrets.Get(ctx, k); err != nil {
			return nil, err
		}
		break
	}
	return m.d.services.Vendors.List(ctx, p.Provider, secret)
}

// replaceKey stores another key in the old one's place, once it was found to work.
func (m *models) replaceKey() {
	p := *m.current()
	secret := newSecretEntry(pasteHere)
	m.d.openSheet("Replace the key of "+p.Name, labelled("New key", secret), action{
		label: "Test and replace", limit: asking,
		check: func() (func(context.Context) error, error) {
			key := strings.TrimSpace(secret.Text)
			if key == "" {
				return nil, errors.New("paste the new key first")
			}
			return func(ctx context.Context) error {
				if _, err := m.d.services.Vendors.List(ctx, p.Provider, key); err != nil {
					return err
				}
				return live.ReplaceKey(ctx, m.d.services.Registry, m.d.services.Secrets, p.Name, live.NewKey{Source: providers.Keychain, Secret: key})
			}, nil
		},
	}, secret)
}

func (m *models) askRemove() {
	name := m.current().Name
	m.d.ask("Remove "+name+"?", "Its models can no longer be called, and its key is deleted from the keychain. What was used stays in the books.",
		"Remove", func(ctx context.Context) error {
			return live.Disconnect(ctx, m.d.services.Registry, m.d.services.Secrets, name)
		}, nil)
}

func (m *models) askRemoveModel() {
	id := m.picked
	m.d.ask("Remove "+id+"?", "Nobody can call it any more. Allowances on it stay, in case it comes back.",
		"Remove", func(ctx context.Context) error { return m.d.services.Registry.RemoveModel(ctx, id) }, func() { m.lookAt(m.current().Name) })
}
