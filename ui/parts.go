package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// chip says a state in a word, with an icon in the state's colour.
type chip struct {
	content fyne.CanvasObject
	icon    *widget.Icon
	word    *text
}

func newChip() *chip {
	c := &chip{icon: widget.NewIcon(nil), word: newText("")}
	c.word.size = theme.SizeNameCaptionText
	c.content = line(4, c.icon, c.word)
	return c
}

func (c *chip) set(res fyne.Resource, word string, tone fyne.ThemeColorName) {
	if c.word.value == word && c.word.tone == tone {
		return
	}
	c.icon.SetResource(theme.NewColoredResource(res, tone))
	c.word.set(word, tone)
}

// copyField is a value that is there to be copied.
type copyField struct {
	content fyne.CanvasObject
	value   *text
	button  *widget.Button
}

// newCopyField shows value; the button puts it on the clipboard and says so.
func newCopyField(value string) *copyField {
	f := &copyField{value: newText(value).clipped()}
	f.button = widget.NewButton("Copy", func() {
		fyne.CurrentApp().Clipboard().SetContent(f.value.value)
		f.button.SetText("Copied")
	})
	f.button.Importance = widget.LowImportance
	ground := newGround(theme.ColorNameBackground, 4)
	f.content = container.NewStack(ground, container.NewBorder(nil, nil, nil, f.button, inset(container.New(middle{}, f.value), 0, gap, 0, gap)))
	return f
}

// set shows another value.
func (f *copyField) set(value string) {
	if f.value.value != value {
		f.value.say(value)
		f.button.SetText("Copy")
	}
}

// emptyState is what a page shows before there is anything to show: what it is for, and what to do first.
func emptyState(res fyne.Resource, title, words string, action *widget.Button) fyne.CanvasObject {
	lead := widget.NewLabelWithStyle(words, fyne.TextAlignCenter, fyne.TextStyle{})
	lead.Wrapping = fyne.TextWrapWord
	name := subheading(title)
	name.align = fyne.TextAlignCenter
	column := stack(gap, container.NewCenter(sized(icon(res, colorQuiet), 40, 40)), name, sized(lead, 336, 0))
	if action != nil {
		action.Importance = widget.HighImportance
		column.Add(container.NewCenter(action))
	}
	return container.NewCenter(column)
}

// either shows one of two things in the same place.
type either struct {
	content       fyne.CanvasObject
	first, second fyne.CanvasObject
}

func newEither(first, second fyne.CanvasObject) *either {
	second.Hide()
	return &either{container.NewStack(first, second), first, second}
}

// show brings the first into view, or the second.
func (e *either) show(first bool) {
	if e.first.Visible() == first && e.second.Visible() != first {
		return
	}
	if first {
		e.second.Hide()
		e.first.Show()
		return
	}
	e.first.Hide()
	e.second.Show()
}

// entry is a text field that also knows Escape; Fyne's own swallows it.
type entry struct {
	widget.Entry
	escape func()
	tab    func()       // takes Tab from the focus order, where set
	move   func(by int) // takes the arrows up and down, where set
}

func newEntry(placeholder string) *entry {
	e := &entry{}
	e.ExtendBaseWidget(e)
	e.SetPlaceHolder(placeholder)
	return e
}

// newSecretEntry hides what is typed.
func newSecretEntry(placeholder string) *entry {
	e := newEntry(placeholder)
	e.Password = true
	return e
}

// AcceptsTab implements fyne.Tabbable.
func (e *entry) AcceptsTab() bool { return e.tab != nil }

// TypedKey implements fyne.Focusable.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	switch {
	case k.Name == fyne.KeyEscape && e.escape != nil:
		e.escape()
	case k.Name == fyne.KeyUp && e.move != nil:
		e.move(-1)
	case k.Name == fyne.KeyDown && e.move != nil:
		e.move(1)
	case k.Name == fyne.KeyTab && e.tab != nil:
		e.tab()
	default:
		e.Entry.TypedKey(k)
	}
}

// choice is a few buttons of which one is chosen.
type choice struct {
	content fyne.CanvasObject
	chosen  int
	buttons []*widget.Button
}

// newChoice offers labels, the first chosen; changed is called when the owner chose another.
func newChoice(changed func(), labels ...string) *choice {
	c := &choice{}
	row := container.New(layout.NewCustomPaddedHBoxLayout(0))
	for i, label := range labels {
		b := widget.NewButton(label, func() {
			c.chosen = i
			c.mark()
			changed()
		})
		c.buttons = append(c.buttons, b)
		row.Add(b)
	}
	c.content = row
	c.mark()
	return c
}

func (c *choice) mark() {
	for i, b := range c.buttons {
		b.Importance = widget.MediumImportance
		if i == c.chosen {
			b.Importance = widget.HighImportance
		}
		b.Refresh()
	}
}

// paragraph is text that wraps, without the margin that a Label keeps, so that it lines up with what is around it.
func paragraph(l *widget.Label) fyne.CanvasObject {
	l.Wrapping = fyne.TextWrapWord
	return inset(l, -4, -gap, -4, -gap)
}

// panel is a quiet ground that holds together what belongs together: no border, a slightly raised tone.
func panel(o fyne.CanvasObject) fyne.CanvasObject {
	ground := newGround(colorPanel, gap)
	return container.NewStack(ground, inset(o, edge, edge, edge, edge))
}

// titled is a panel with a heading, and what stands at the right of it.
func titled(title string, body fyne.CanvasObject, right ...fyne.CanvasObject) fyne.CanvasObject {
	for i, o := range right {
		right[i] = container.New(flat{}, o)
	}
	return panel(container.NewBorder(inset(across(subheading(title), right...), 0, 0, gap, 0), nil, nil, nil, body))
}

// sized makes an object at least as large as given.
func sized(o fyne.CanvasObject, w, h float32) fyne.CanvasObject {
	floor := canvas.NewRectangle(color.Transparent)
	floor.SetMinSize(fyne.NewSize(w, h))
	return container.NewStack(floor, o)
}

// icon is a theme icon in a tone.
func icon(res fyne.Resource, tone fyne.ThemeColorName) fyne.CanvasObject {
	return widget.NewIcon(theme.NewColoredResource(res, tone))
}
