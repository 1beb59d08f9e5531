package ui

import (
	"context"
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/providers"
	"perdiem/ui/live"
)

const removeForGood = "Remove for good, from the keychain too"

// keyPool is the keys of one provider: how each stands, what it may be used for in a day, and a field for one more.
type keyPool struct {
	m                *models
	provider         live.Provider
	rows             *rows
	keys             []providers.Key
	picked           int // -1 for none
	test, away, set  *widget.Button
	requests, tokens *entry
	secret           *entry
	sheet            *sheet
}

// openKeys shows the keys of the provider in focus.
func (m *models) openKeys() {
	p := &keyPool{m: m, provider: *m.current(), picked: -1, requests: newEntry("no limit"), tokens: newEntry("no limit"), secret: newSecretEntry(pasteHere)}
	p.rows = newRows(columns{{title: "Key", share: 3}, {title: "State", share: 5}, {title: "Requests a day", width: 96, right: true}, {title: "Tokens a day", width: 96, right: true}},
		quietWords("No key yet."), p.fill)
	p.rows.list.OnSelected = func(i widget.ListItemID) { p.pick(i) }
	p.test = widget.NewButton("Test and enable", p.testKey)
	p.away = widget.NewButton("Remove", p.remove)
	p.set = widget.NewButton("Set", p.limit)
	add := widget.NewButton("Test and add", p.add)
	limits := container.New(shares{2, 2, 1}, labelled("Requests a day", p.requests), labelled("Tokens a day", p.tokens), labelled("", p.set))
	body := stack(edge, sized(p.rows.content, 640, 152), container.New(layout.NewCustomPaddedHBoxLayout(gap), p.test, p.away),
		labelled("A free key has a daily limit of its own: of those with room, the one with the most serves", limits),
		labelled("One more key", container.NewBorder(nil, nil, nil, add, p.secret)))
	p.sheet = m.d.openSheet("Keys of "+p.provider.Name, body, action{label: "Done"}, p.secret)
	p.sheet.cancel.Hide()
	p.secret.OnSubmitted = func(string) { p.add() } // in place of the sheet's own, which would close it
	p.show(p.provider.Keys)
}

func (p *keyPool) show(keys []providers.Key) {
	p.keys = keys
	p.away.SetText("Remove")
	p.rows.set(len(keys))
	if p.picked >= len(keys) {
		p.picked = -1
		p.rows.list.UnselectAll()
	}
	for _, b := range []*widget.Button{p.test, p.away, p.set} {
		if p.picked < 0 {
			b.Disable()
		} else {
			b.Enable()
		}
	}
}

func (p *keyPool) pick(i int) {
	p.picked = i
	key := p.keys[i]
	for field, limit := range map[*entry]*int64{p.requests: key.Caps.Requests, p.tokens: key.Caps.Tokens} {
		field.SetText("")
		if limit != nil {
			field.SetText(live.Tokens.Text(limit))
		}
	}
	p.show(p.keys)
}

func (p *keyPool) fill(i int, row fyne.CanvasObject) {
	k := p.keys[i]
	name, state, tone := k.Label, "in use", colorGood
	if name == "" {
		name = "Added " + k.CreatedAt.Local().Format("2 Jan 2006")
	}
	if k.Disabled {
		state, tone = "does not work: "+k.Reason, colorSpent
	}
	cell(row, 0).set(name, theme.ColorNameForeground)
	cell(row, 1).set(state, tone)
	cell(row, 2).set(live.Limit(k.Caps.Requests), colorQuiet)
	cell(row, 3).set(live.Limit(k.Caps.Tokens), colorQuiet)
}

// do works on the pool and shows it anew; what went wrong is told on the sheet.
func (p *keyPool) do(work func(context.Context) error) {
	var keys []providers.Key
	p.sheet.telling(false)
	p.m.d.work(asking, func(ctx context.Context) error {
		err := work(ctx)
		var readErr error
		keys, readErr = p.m.d.services.Registry.Keys(ctx, p.provider.Name)
		return errors.Join(err, readErr)
	}, func(err error) {
		p.show(keys)
		if err != nil {
			p.sheet.fail(err)
		}
	})
}

func (p *keyPool) testKey() {
	key := p.keys[p.picked]
	p.do(func(ctx context.Context) error {
		secret, err := p.m.d.services.Secrets.Get(ctx, key)
		if err != nil {
			return err
		}
		if _, err := p.m.d.services.Vendors.List(ctx, p.provider.Provider, secret); err != nil {
			return err
		}
		return p.m.d.services.Registry.EnableKey(ctx, key.ID)
	})
}

func (p *keyPool) add() {
	secret := strings.TrimSpace(p.secret.Text)
	if secret == "" {
		p.sheet.fail(errors.New("paste the key first"))
		return
	}
	p.secret.SetText("")
	p.do(func(ctx context.Context) error {
		if _, err := p.m.d.services.Vendors.List(ctx, p.provider.Provider, secret); err != nil {
			return err
		}
		_, err := live.StoreKey(ctx, p.m.d.services.Registry, p.m.d.services.Secrets, p.provider.Name, live.NewKey{Source: providers.Keychain, Secret: secret})
		return err
	})
}

// remove asks by the button itself: the first press names what a second one does.
func (p *keyPool) remove() {
	if p.away.Text != removeForGood {
		p.away.SetText(removeForGood)
		return
	}
	key := p.keys[p.picked]
	p.do(func(ctx context.Context) error {
		return live.ForgetKey(ctx, p.m.d.services.Registry, p.m.d.services.Secrets, key)
	})
}

func (p *keyPool) limit() {
	key := p.keys[p.picked]
	caps := key.Caps
	var err error
	if caps.Requests, _, err = live.ParseLimit(p.requests.Text); err == nil {
		caps.Tokens, _, err = live.ParseLimit(p.tokens.Text)
	}
	if err != nil {
		p.sheet.fail(err)
		return
	}
	p.do(func(ctx context.Context) error { return p.m.d.services.Registry.CapKey(ctx, key.ID, caps) })
}
