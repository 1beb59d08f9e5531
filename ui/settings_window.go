package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// windowPart is how the window looks and behaves. What is chosen here is in effect at once, and kept for this user.
type windowPart struct {
	d       *Desk
	content fyne.CanvasObject
	look    *choice
	size    *choice
	login   *widget.Check
}

func newWindowPart(d *Desk) *windowPart {
	w := &windowPart{d: d}
	w.look = newChoice(func() { d.setLook(w.look.chosen) }, looks...)
	w.look.chosen = d.look()
	w.look.mark()
	w.size = newChoice(func() { d.setSize(w.size.chosen) }, sizes...)
	w.size.chosen = d.size()
	w.size.mark()
	w.login = widget.NewCheck("Start Perdiem when I log in", nil)
	w.login.SetChecked(d.services.Login.On())
	w.login.OnChanged = w.setLogin
	if !d.services.Login.Possible() {
		w.login.Disable()
	}
	prefs := d.app.Preferences()
	notify := widget.NewCheck("Notify me when a budget is at 80 % or spent, and when a key fails", func(on bool) { prefs.SetBool(quietKey, !on) })
	notify.SetChecked(!prefs.Bool(quietKey))
	stay := widget.NewCheck("Go on serving in the tray when the window is closed", func(on bool) { prefs.SetBool(endOnCloseKey, !on) })
	stay.SetChecked(d.services.Tray && !prefs.Bool(endOnCloseKey))
	if !d.services.Tray {
		stay.Text = "No tray here: closing the window ends Perdiem"
		stay.Disable()
	}
	w.content = stack(edge, labelled("Colours", line(0, w.look.content)), labelled("Text size", line(0, w.size.content)),
		stack(0, flush(w.login), flush(notify), flush(stay)))
	return w
}

func (w *windowPart) setLogin(on bool) {
	if err := w.d.services.Login.Set(on); err != nil {
		w.d.shell.tell(colorSpent, live.Plain(err))
	}
}

// flush lines a check's box up with what stands above it: Fyne insets it.
func flush(c *widget.Check) fyne.CanvasObject { return inset(line(0, c), 0, 0, 0, -gap+1) }
