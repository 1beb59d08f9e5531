package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// personPanel shows the person in focus: tier, passes, and what may be done with them.
type personPanel struct {
	content fyne.CanvasObject
	p       *people
	who     *live.Person
	passes  []meter.Pass

	name    *text
	state   *chip
	tier    *widget.Select
	list    *rows
	suspend *widget.Button
	pane    *either
	picked  int // the pass selected, or -1
	revoke  *widget.Button
	rotate  *widget.Button
	credit  *text
	tiers   []string
	drawing bool // a change of the tier field is ours, not the owner's
}

const noTier = "No tier"

func newPersonPanel(p *people) *personPanel {
	v := &personPanel{p: p, name: subheading("").clipped(), state: newChip(), picked: -1}
	v.tier = widget.NewSelect(nil, v.setTier)
	v.suspend = widget.NewButton("Suspend", v.flip)
	v.revoke = widget.NewButton("Revoke", v.askRevoke)
	v.revoke.Disable()
	v.rotate = widget.NewButton("Rotate", v.askRotate)
	v.rotate.Disable()
	fresh := widget.NewButton("New pass", v.newPass)
	join := widget.NewButton("Join link", v.askJoin)
	remove := widget.NewButton("Remove …", v.askRemove)
	cols := columns{{title: "Pass", share: 1}, {title: "Last used", width: 64}, {title: "Ends", width: 72}}
	v.list = newRows(cols, quietWords("No pass: this person cannot call anything."), v.fill)
	v.list.list.OnSelected = func(i widget.ListItemID) { v.pick(i) }
	v.credit = newText("").clipped()
	pay := widget.NewButton("Pay in …", v.askCredit)
	head := stack(4, v.name, v.state.content)
	buttons := container.New(layout.NewCustomPaddedHBoxLayout(gap), v.suspend, layout.NewSpacer(), remove)
	passes := container.NewBorder(inset(across(subheading("Passes"), fresh, join), edge, 0, 0, 0), inset(line(gap, v.rotate, v.revoke), gap, 0, edge, 0), nil, nil, v.list.content)
	body := container.NewBorder(stack(edge, head, labelled("Tier", v.tier), labelled("Credit, for when the day is out", container.NewBorder(nil, nil, nil, pay, container.New(middle{}, v.credit)))), buttons, nil, nil, passes)
	nobody := quietWords("Choose a person to see their passes.")
	v.pane = newEither(body, nobody)
	v.pane.show(false)
	v.content = panel(v.pane.content)
	return v
}

func (v *personPanel) show(who *live.Person, team live.People) {
	v.pane.show(who != nil)
	if who == nil {
		v.who = nil
		return
	}
	if v.who == nil || v.who.ID != who.ID {
		v.picked = -1
		v.list.list.UnselectAll()
		v.revoke.Disable()
		v.rotate.Disable()
	}
	v.credit.say(creditWords(team.Credit))
	v.who, v.passes, v.tiers = who, team.Passes, team.Tiers
	v.name.say(who.Name)
	if who.Suspended {
		v.state.set(theme.MediaPauseIcon(), "Suspended: every call is turned away", colorAmber)
		v.suspend.SetText("Resume")
	} else {
		v.state.set(theme.ConfirmIcon(), "Active", colorGood)
		v.suspend.SetText("Suspend")
	}
	v.drawing = true
	v.tier.SetOptions(append([]string{noTier}, team.Tiers...))
	v.tier.SetSelected(tierName(who.Tier))
	v.drawing = false
	v.list.set(len(v.passes))
}

func tierName(tier string) string {
	if tier == "" {
		return noTier
	}
	return tier
}

func (v *personPanel) fill(i int, row fyne.CanvasObject) {
	pass := v.passes[i]
	now := v.p.d.services.Now()
	used := "never"
	if pass.LastUsedAt != nil {
		used = live.Ago(now.Sub(*pass.LastUsedAt)) + " ago"
	}
	ends, tone := "never", colorQuiet
	switch {
	case pass.RevokedAt != nil:
		ends = "revoked"
	case pass.ExpiresAt == nil:
	case !now.Before(*pass.ExpiresAt):
		ends, tone = "expired", colorAmber
	default:
		ends = "in " + live.Ago(pass.ExpiresAt.Sub(now))
	}
	name := pass.ID
	if pass.Label != "" {
		name = pass.Label + " · " + pass.ID
	}
	cell(row, 0).set(name, theme.ColorNameForeground)
	cell(row, 1).set(used, colorQuiet)
	cell(row, 2).set(ends, tone)
}

func (v *personPanel) pick(i int) {
	v.picked = i
	for _, b := range []*widget.Button{v.revoke, v.rotate} {
		if v.passes[i].RevokedAt == nil {
			b.Enable()
		} else {
			b.Disable()
		}
	}
}

func (v *personPanel) setTier(name string) {
	if v.drawing || v.who == nil {
		return
	}
	id, tier := v.who.ID, name
	if tier == noTier {
		tier = ""
	}
	v.p.d.act("change the tier", func(ctx context.Context) error { return v.p.d.services.Meter.SetPersonTier(ctx, id, tier) })
}

func (v *personPanel) flip() {
	id, suspended := v.who.ID, !v.who.Suspended
	v.p.d.act("change "+v.who.Name, func(ctx context.Context) error { return v.p.d.services.Meter.SuspendPerson(ctx, id, suspended) })
}

func (v *personPanel) askRevoke() {
	if v.picked < 0 || v.picked >= len(v.passes) {
		return
	}
	pass := v.passes[v.picked]
	v.p.d.ask("Revoke this pass?", fmt.Sprintf("Tools that use pdm_%s… are turned away from the next request on. This cannot be undone; a new pass can be made.", pass.ID),
		"Revoke", func(ctx context.Context) error { return v.p.d.services.Meter.RevokePass(ctx, pass.ID) }, func() { v.revoke.Disable(); v.rotate.Disable() })
}

func (v *personPanel) askRemove() {
	id, name := v.who.ID, v.who.Name
	v.p.d.ask("Remove "+name+"?", "Their passes and allowances are deleted, and their tools are turned away. What they used stays in the books.",
		"Remove", func(ctx context.Context) error { return v.p.d.services.Meter.RemovePerson(ctx, id) }, nil)
}
