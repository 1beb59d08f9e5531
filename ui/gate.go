package ui

import (
	"context"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// Gateway is the running gateway, as the overview shows and switches it. Its methods are cheap but for SetOn.
type Gateway interface {
	On() bool
	SetOn(on bool) error
	ListenError() error
	Addresses() []Address
	InFlight() []live.Flight
}

// Address is one address that teammates may use.
type Address struct {
	URL   string
	Label string // where it works: "this network", "this machine"
}

// urls are the addresses that teammates may use, alone.
func urls(g Gateway) []string {
	var all []string
	for _, a := range g.Addresses() {
		all = append(all, a.URL)
	}
	return all
}

// gateState is the gateway as it was at one moment.
type gateState struct {
	on        bool
	trouble   string
	addresses []Address
}

func readGate(g Gateway) gateState {
	s := gateState{on: g.On(), addresses: g.Addresses()}
	if err := g.ListenError(); err != nil {
		s.trouble = live.Plain(err)
	}
	return s
}

func (s gateState) same(o gateState) bool {
	return s.on == o.on && s.trouble == o.trouble && slices.Equal(s.addresses, o.addresses)
}

// gatePanel shows whether the gateway serves, where, and the switch.
type gatePanel struct {
	content fyne.CanvasObject
	d       *Desk
	state   gateState
	drawn   bool
	chip    *chip
	toggle  *widget.Button
	fields  *fyne.Container
	trouble *widget.Label
	news    *fyne.Container // what happened to this computer, until the owner puts it away
	newsSay *widget.Label
	newsIco *widget.Icon
	grown   func() // the panel needs another height
}

func newGatePanel(d *Desk) *gatePanel {
	p := &gatePanel{d: d, chip: newChip(), trouble: widget.NewLabel(""), newsSay: widget.NewLabel(""), newsIco: widget.NewIcon(nil)}
	p.trouble.Importance = widget.DangerImportance
	p.trouble.Hide()
	p.toggle = widget.NewButton("Pause", p.flip)
	p.fields = line(gap)
	head := across(line(edge, subheading("Gateway"), p.chip.content), p.fields, p.toggle)
	read := widget.NewButtonWithIcon("", theme.CancelIcon(), func() { p.news.Hide(); p.grown() })
	read.Importance = widget.LowImportance
	p.news = container.NewBorder(nil, nil, inset(p.newsIco, 0, gap, 0, 0), read, container.New(middle{}, paragraph(p.newsSay)))
	p.news.Hide()
	p.content = panel(stack(gap, head, paragraph(p.trouble), p.news))
	return p
}

// moved says what happened to this computer, and so to the address that teammates know.
func (p *gatePanel) moved(what live.Moved) {
	tone := theme.ColorNamePrimary
	if what.Bad() {
		tone = colorAmber
	}
	p.newsIco.SetResource(theme.NewColoredResource(noteIcon(tone), tone))
	p.newsSay.SetText(what.Words())
	p.news.Show()
	p.grown()
}

func (p *gatePanel) flip() {
	on := !p.state.on
	doing := "pause the gateway"
	if on {
		doing = "start the gateway"
	}
	p.toggle.Disable()
	p.d.work(quick, func(context.Context) error { return p.d.services.Gateway.SetOn(on) }, func(err error) {
		p.toggle.Enable()
		if err != nil {
			p.d.shell.tell(colorSpent, "Could not "+doing+": "+live.Plain(err))
		}
		p.set(readGate(p.d.services.Gateway))
	})
}

func (p *gatePanel) set(s gateState) {
	if p.drawn && p.state.same(s) {
		return
	}
	p.state, p.drawn = s, true
	switch {
	case s.on:
		p.chip.set(theme.ConfirmIcon(), "Serving", colorGood)
	case s.trouble != "":
		p.chip.set(theme.ErrorIcon(), "Stopped", colorSpent)
	default:
		p.chip.set(theme.MediaPauseIcon(), "Paused: every call is turned away", colorAmber)
	}
	p.toggle.SetText(map[bool]string{true: "Pause", false: "Start"}[s.on])
	p.trouble.SetText(s.trouble)
	if hidden := s.trouble == ""; hidden != p.trouble.Hidden {
		p.trouble.Hidden = hidden
		p.grown()
	}
	p.fields.RemoveAll()
	for i, a := range s.addresses {
		if i == maxAddresses || !s.on {
			break
		}
		p.fields.Add(line(gap, sized(container.New(middle{}, caption(a.Label).clipped().right()), 92, 0), sized(newCopyField(a.URL).content, 240, 0)))
	}
	p.content.Refresh()
}

// maxAddresses is how many addresses fit the panel; the ones for this network come first.
const maxAddresses = 2
