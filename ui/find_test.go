package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// walk visits every object that is in sight, outermost first, until visit answers true.
func walk(o fyne.CanvasObject, visit func(fyne.CanvasObject) bool) bool {
	if o == nil || !o.Visible() {
		return false
	}
	if visit(o) {
		return true
	}
	var inner []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		inner = o.Objects
	case fyne.Widget:
		inner = test.WidgetRenderer(o).Objects()
	}
	for _, one := range inner {
		if walk(one, visit) {
			return true
		}
	}
	return false
}

// find is the text in sight that has these words.
func find(o fyne.CanvasObject, words string) *canvas.Text {
	var found *canvas.Text
	walk(o, func(o fyne.CanvasObject) bool {
		if t, ok := o.(*canvas.Text); ok && strings.Contains(t.Text, words) {
			found = t
		}
		return found != nil
	})
	return found
}

// button is the button in sight with this label.
func button(o fyne.CanvasObject, label string) *widget.Button {
	var found *widget.Button
	walk(o, func(o fyne.CanvasObject) bool {
		if b, ok := o.(*widget.Button); ok && b.Text == label {
			found = b
		}
		return found != nil
	})
	return found
}

// screen is everything in the window, forms over it first.
func (r *rig) screen() fyne.CanvasObject {
	if top := r.window.Canvas().Overlays().Top(); top != nil {
		return top
	}
	return r.window.Content()
}

// press taps the button with this label.
func (r *rig) press(label string) {
	r.t.Helper()
	b := button(r.screen(), label)
	if b == nil {
		r.t.Fatalf("no button %q is in sight", label)
	}
	test.Tap(b)
}

// see fails unless these words are in sight.
func (r *rig) see(words string) {
	r.t.Helper()
	if !says(r.screen(), words) {
		r.t.Fatalf("%q is not in sight; what is: %q", words, r.texts())
	}
}

// notSee fails if these words are in sight.
func (r *rig) notSee(words string) {
	r.t.Helper()
	if says(r.screen(), words) {
		r.t.Fatalf("%q is in sight", words)
	}
}

// texts are all the words in sight.
func (r *rig) texts() []string {
	var all []string
	walk(r.screen(), func(o fyne.CanvasObject) bool {
		if t, ok := o.(*canvas.Text); ok && t.Text != "" {
			all = append(all, t.Text)
		}
		return false
	})
	return all
}
