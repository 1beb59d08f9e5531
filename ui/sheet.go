package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// sheet is a form over the window. Enter does, Escape leaves, an error stays on it in plain words, and what takes time
// runs off the drawing goroutine under a deadline with progress in sight. (Fyne's own form dialog submits invalid input
// and knows neither key.)
type sheet struct {
	desk   *Desk
	dialog *dialog.CustomDialog
	doing  *widget.ProgressBarInfinite
	wrong  *widget.Label
	do     *widget.Button
	cancel *widget.Button
	submit func()
	closed bool
}

// action is what a sheet's main button does.
type action struct {
	label string
	// check looks at the fields on the drawing goroutine, and returns the work to do off it; an error keeps the sheet open.
	// Without one the button only closes.
	check func() (work func(context.Context) error, err error)
	limit time.Duration
	done  func() // after the work succeeded and the sheet is gone
}

// openSheet shows body under title. Entries given get Enter and Escape; the first is focused.
func (d *Desk) openSheet(title string, body fyne.CanvasObject, a action, entries ...*entry) *sheet {
	s := &sheet{desk: d, doing: widget.NewProgressBarInfinite(), wrong: widget.NewLabel("")}
	s.doing.Hide()
	s.doing.Stop()
	s.wrong.Wrapping = fyne.TextWrapWord
	s.wrong.Importance = widget.DangerImportance
	s.wrong.Hide()
	s.submit = func() { s.run(a) }
	s.do = widget.NewButton(a.label, s.submit)
	s.do.Importance = widget.HighImportance
	s.cancel = widget.NewButton("Cancel", s.close)
	buttons := container.New(layout.NewCustomPaddedHBoxLayout(gap), layout.NewSpacer(), s.cancel, s.do)
	content := stack(gap, sized(body, 480, 0), sized(s.doing, 480, 0), sized(s.wrong, 480, 0), buttons)
	s.dialog = dialog.NewCustomWithoutButtons(title, inset(content, gap, gap, gap, gap), d.window)
	for _, e := range entries {
		e.escape = s.close
		e.OnSubmitted = func(string) { s.submit() }
	}
	d.sheet = s
	s.dialog.SetOnClosed(func() { s.closed = true })
	s.dialog.Show()
	if len(entries) > 0 {
		d.window.Canvas().Focus(entries[0])
	}
	return s
}

func (s *sheet) close() {
	if !s.closed {
		s.dialog.Hide()
	}
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
	s.wrong.Hide()
	s.do.Disable()
	s.doing.Show()
	s.doing.Start()
	s.desk.work(a.limit, work, func(err error) {
		s.doing.Stop()
		s.doing.Hide()
		s.do.Enable()
		if s.closed {
			return // the owner left it; the work was theirs to await no longer
		}
		if err != nil {
			s.fail(err)
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
	s.wrong.Show()
}

// ask puts a question before something that cannot be undone.
func (d *Desk) ask(title, words, yes string, work func(context.Context) error, done func()) {
	label := widget.NewLabel(words)
	label.Wrapping = fyne.TextWrapWord
	s := d.openSheet(title, label, action{label: yes, limit: quick, check: func() (func(context.Context) error, error) { return work, nil }, done: done})
	s.do.Importance = widget.DangerImportance
	s.do.Refresh()
	d.window.Canvas().Focus(s.cancel)
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
