package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// lifetimes are how long a new pass may live.
var lifetimes = []struct {
	name string
	days int // 0 is for ever
}{{"Until revoked", 0}, {"30 days", 30}, {"90 days", 90}, {"A year", 365}}

// newPass asks what a further pass is for and how long it lives, makes it, and shows it once.
func (v *personPanel) newPass() {
	id, name, label := v.who.ID, v.who.Name, newEntry("Laptop, CI, … (may stay empty)")
	names := make([]string, len(lifetimes))
	for i, l := range lifetimes {
		names[i] = l.name
	}
	lives := widget.NewSelect(names, nil)
	lives.SetSelectedIndex(0)
	var secret string
	v.p.d.openSheet("New pass for "+name, stack(edge, labelled("What it is for", label), labelled("Valid for", lives)), action{
		label: "Make the pass", limit: quick,
		check: func() (func(context.Context) error, error) {
			use := label.Text
			var expires *time.Time
			if days := lifetimes[lives.SelectedIndex()].days; days > 0 {
				at := v.p.d.services.Now().AddDate(0, 0, days)
				expires = &at
			}
			return func(ctx context.Context) (err error) {
				_, secret, err = v.p.d.services.Meter.IssuePass(ctx, id, use, expires)
				return err
			}, nil
		},
		done: func() { v.p.showPass(name, secret) },
	}, label)
}

// askRotate puts a new pass in the place of the one picked: same use, same span of life.
func (v *personPanel) askRotate() {
	if v.picked < 0 || v.picked >= len(v.passes) {
		return
	}
	old, id, name := v.passes[v.picked], v.who.ID, v.who.Name
	var secret string
	v.p.d.ask("Rotate this pass?", fmt.Sprintf("A new pass takes the place of pdm_%s…, and is shown once. Tools that use the old one are turned away from then on.", old.ID), "Rotate",
		func(ctx context.Context) (err error) {
			var expires *time.Time
			if old.ExpiresAt != nil {
				at := v.p.d.services.Now().Add(old.ExpiresAt.Sub(old.CreatedAt))
				expires = &at
			}
			_, secret, err = v.p.d.services.Meter.ReplacePass(ctx, id, old.ID, expires)
			return err
		},
		func() {
			v.picked = -1
			v.list.list.UnselectAll()
			v.revoke.Disable()
			v.rotate.Disable()
			v.p.showPass(name, secret)
		})
}

// creditWords says how a person's credit stands.
func creditWords(c meter.Credit) string {
	if c == (meter.Credit{}) {
		return "None"
	}
	words := meter.Dollars(c.Balance()) + " left of " + meter.Dollars(c.PaidIn)
	if c.Held > 0 {
		words += ", " + meter.Dollars(c.Held) + " held"
	}
	return words
}

// askCredit pays credit in.
func (v *personPanel) askCredit() {
	id, name, amount := v.who.ID, v.who.Name, newEntry("5.00")
	v.p.d.openSheet("Pay in credit for "+name, labelled("Dollars. It pays for whole requests once the day's allowance or money is out", amount), action{
		label: "Pay in", limit: quick,
		check: func() (func(context.Context) error, error) {
			micro, _, err := live.ParseMoney(amount.Text)
			if err != nil || micro == nil || *micro == 0 {
				return nil, errors.New("type an amount in dollars, such as 5 or 2.50")
			}
			return func(ctx context.Context) error {
				return v.p.d.services.Meter.AddCredit(ctx, id, *micro, "paid in by the owner")
			}, nil
		},
	}, amount)
}
