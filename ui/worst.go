package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// worstDesk gives back what was booked at the worst case.
type worstDesk interface {
	GiveBack(ctx context.Context, holdID string) error
}

// worstPanel shows the requests that were booked at what they had reserved, since nobody saw their end, one after the
// other. It is in sight only while there are any.
type worstPanel struct {
	content fyne.CanvasObject
	d       *Desk
	cases   []live.WorstCase
	title   *text
	words   *text
	back    *widget.Button
	grown   func()
}

func newWorstPanel(d *Desk) *worstPanel {
	p := &worstPanel{d: d, title: newText("").clipped(), words: caption("").clipped()}
	p.title.bold = true
	p.back = widget.NewButton("Give back", p.giveBack)
	p.content = panel(container.NewBorder(nil, nil, inset(icon(theme.WarningIcon(), colorAmber), 0, gap, 0, 0), p.back, stack(2, p.title, p.words)))
	p.content.Hide()
	return p
}

func (p *worstPanel) set(cases []live.WorstCase) {
	p.cases = cases
	if hidden := len(cases) == 0; hidden == p.content.Visible() {
		if hidden {
			p.content.Hide()
		} else {
			p.content.Show()
		}
		p.grown()
	}
	if len(cases) == 0 {
		return
	}
	one := cases[0]
	p.title.say(fmt.Sprintf("Booked at the worst case: %s for %s on %s", one.Booked(), one.Who, one.Model))
	words := "The time was up at " + clockTime(one.At, p.d.services.Now()) + " before the answer came, so all it had reserved was counted. Give it back if the provider did not bill it."
	if more := len(cases) - 1; more > 0 {
		words += fmt.Sprintf(" %d more after this one.", more)
	}
	p.words.say(words)
}

func (p *worstPanel) giveBack() {
	one := p.cases[0]
	p.back.Disable() // else a second tap would give the next one back unseen
	p.d.work(quick, func(ctx context.Context) error { return p.d.services.Meter.GiveBack(ctx, one.HoldID) }, func(err error) {
		p.back.Enable()
		if err != nil {
			p.d.shell.tell(colorSpent, "Could not give it back: "+live.Plain(err))
			return
		}
		p.d.shell.tell(theme.ColorNamePrimary, one.Booked()+" given back to "+one.Who+".")
	})
}
