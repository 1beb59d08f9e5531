package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// gridHead is the name of a row or a column.
type gridHead struct {
	widget.BaseWidget
	box        *fyne.Container
	name, note *text
	size       fyne.ThemeSizeName
}

func newGridHead(height float32) *gridHead {
	h := &gridHead{name: newText("").clipped(), note: caption("").right()}
	h.box = container.New(headLayout{height}, h.name, h.note)
	h.fit(height)
	h.ExtendBaseWidget(h)
	return h
}

// CreateRenderer implements fyne.Widget.
func (h *gridHead) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(h.box) }

// fit takes on the height of the rows.
func (h *gridHead) fit(height float32) {
	h.size = rowTextSize(height)
	h.box.Layout = headLayout{height}
}

func (h *gridHead) set(name, note string, right bool) {
	h.name.align = fyne.TextAlignLeading
	h.name.tail = right // models' names begin alike and end apart
	h.name.size, h.name.tone = h.size, theme.ColorNameForeground
	if right {
		h.name.align, h.name.tone, h.name.size = fyne.TextAlignTrailing, colorQuiet, theme.SizeNameCaptionText
	}
	if len([]rune(note)) > 14 {
		note = string([]rune(note)[:13]) + "…"
	}
	h.name.value = name
	h.name.Refresh()
	h.note.say(note)
	h.box.Layout.Layout(h.box.Objects, h.box.Size())
}

// headLayout puts the name at the left and gives the note the room it needs at the right.
type headLayout struct{ height float32 }

// Layout implements fyne.Layout.
func (l headLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	note := o[1].MinSize()
	if o[1].(*text).value == "" {
		note.Width = -cellInset
	}
	name := o[0].MinSize()
	o[1].Resize(note)
	o[1].Move(fyne.NewPos(size.Width-note.Width-cellInset, floor((size.Height-note.Height)/2)))
	o[0].Resize(fyne.NewSize(max(0, size.Width-note.Width-3*cellInset), name.Height))
	o[0].Move(fyne.NewPos(cellInset, floor((size.Height-name.Height)/2)))
}

// MinSize implements fyne.Layout.
func (l headLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(nameWidth, l.height) }
