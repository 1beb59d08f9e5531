package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// sheet is a form over the window. Enter does, Escape leaves, an error stays on it in plain words, and what takes time
// runs off the drawing goroutine under a deadline with progress in sight. (Fyne's own form dialog submits invalid input
// and knows neither key.)
type sheet struct {
	desk    *Desk
	popup   *widget.PopUp
	doing   *widget.ProgressBarInfinite
	wrong   *widget.Label
	telling func(on bool) // shows what is wrong, or takes it away
	do      *widget.Button
	cancel  *widget.Button
	submit  func()
	closed  bool
	left    func()
}

// action is what a sheet's main button does.
type action struct {
	label string
	// check looks at the fields on the drawing goroutine, and returns the work to do off it, nil for none; an error keeps the sheet open.
	// Without one the button only closes.
	check func() (work func(context.Context) error, err error)
	limit time.Duration
	done  func() // after the work succeeded and the sheet is gone
	stay  bool   // the sheet stays open after its work, to be used again
	left  func() // the sheet was closed, by whatever way
}

// openSheet shows body under title. Entries given get Enter and Escape; the first is focused.
func (d *Desk) openSheet(title string, body fyne.CanvasObject, a action, entries ...*entry) *sheet {
	s := &sheet{desk: d, doing: widget.NewProgressBarInfinite(), wrong: widget.NewLabel(""), left: a.left}
	s.doing.Hide()
	s.doing.Stop()
	s.wrong.Importance = widget.DangerImportance
	wrong := sized(paragraph(s.wrong), 480, 0)
	s.telling = func(on bool) {
		if on {
			wrong.Show()
		} else {
			wrong.Hide()
		}
		s.refit()
	}
	s.telling(false)
	s.submit = func() { s.run(a) }
	s.do = widget.NewButton(a.label, s.submit)
	s.do.Importance = widget.HighImportance
	s.cancel = widget.NewButton("Cancel", s.close)
	buttons := line(gap, layout.NewSpacer(), s.cancel, s.do)
	content := stack(edge, subheading(title), sized(body, 480, 0), s.doing, wrong, buttons)
	s.popup = widget.NewModalPopUp(inset(content, edge, edge, edge, edge), d.window.Canvas())
	for _, e := range entries {
		e.escape = s.close
		e.OnSubmitted = func(string) { s.submit() }
	}
	d.sheet = s
	s.popup.Show()
	s.refit()
	if len(entries) > 0 {
		d.window.Canvas().Focus(entries[0])
		entries[0].TypedShortcut(&fyne.ShortcutSelectAll{}) // what is there is typed over
	}
	return s
}

// refit gives the sheet the height that it needs now: once for the width of what wraps, once for the height this makes.
func (s *sheet) refit() {
	if s.popup == nil {
		return
	}
	for range 2 {
		s.popup.Content.Refresh()
		s.popup.Resize(s.popup.Content.MinSize())
	}
}

func (s *sheet) close() {
	if s.left != nil && !s.closed {
		s.left()
	}
	s.closed = true
	s.popup.Hide()
}

// run checks, works and closes; it does nothing while work is under way.
func (s *sheet) run(a action) {
	if s.do.Disabled() {
		return
	}
	if a.check == nil {
		s.close()
		return
	}
	work, err := a.check()
	if err != nil {
		s.fail(err)
		return
	}
	if work == nil {
		s.close()
		a.done()
		return
	}
	s.telling(false)
	s.do.Disable()
	s.doing.Show()
	s.doing.Start()
	s.refit()
	s.desk.work(a.limit, work, func(err error) {
		s.doing.Stop()
		s.doing.Hide()
		s.do.Enable()
		s.refit()
		if s.closed {
			return // the owner left it; the work was theirs to await no longer
		}
		if err != nil {
			s.fail(err)
			return
		}
		if a.stay {
			return
		}
		s.close()
		if a.done != nil {
			a.done()
		}
	})
}

func (s *sheet) fail(err error) {
	s.wrong.SetText(live.Plain(err))
	s.telling(true)
}

// busy tells whether a form is over the window: what is behind it must not change meanwhile.
func (d *Desk) busy() bool { return d.sheet != nil && !d.sheet.closed }

// escape leaves the form where no field of it has the focus. A pass is not left so: nobody could read it again.
func (d *Desk) escape(k *fyne.KeyEvent) {
	if k.Name == fyne.KeyEscape && d.busy() && d.sheet.cancel.Visible() {
		d.sheet.close()
	}
}

// ask puts a question before something that cannot be undone.
func (d *Desk) ask(title, words, yes string, work func(context.Context) error, done func()) {
	label := widget.NewLabel(words)
	s := d.openSheet(title, paragraph(label), action{label: yes, limit: quick, check: func() (func(context.Context) error, error) { return work, nil }, done: done})
	s.do.Importance = widget.DangerImportance
	s.do.Refresh()
}

// labelled puts a field under its name.
func labelled(name string, field fyne.CanvasObject) fyne.CanvasObject {
	return stack(4, caption(name), field)
}

// noteIcon goes with a notice of the given tone.
func noteIcon(tone fyne.ThemeColorName) fyne.Resource {
	if tone == colorSpent {
		return theme.ErrorIcon()
	}
	return theme.InfoIcon()
}
