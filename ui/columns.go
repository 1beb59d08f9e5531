package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// column is one column of a list: a fixed width, or a share of what the fixed ones leave.
type column struct {
	title string
	width float32
	share float32
	right bool // figures
}

// columns lays a row out; header and rows share one value, so that they always line up.
type columns []column

const columnGap = edge

// Layout implements fyne.Layout.
func (cs columns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	free, shares := size.Width-columnGap*float32(len(cs)-1), float32(0)
	for _, c := range cs {
		free -= c.width
		shares += c.share
	}
	x := float32(0)
	for i, c := range cs {
		w := c.width
		if c.share > 0 {
			w = max(0, floor(free*c.share/shares))
		}
		h := objects[i].MinSize().Height
		objects[i].Move(fyne.NewPos(x, floor((size.Height-h)/2)))
		objects[i].Resize(fyne.NewSize(w, h))
		x += w + columnGap
	}
}

// MinSize implements fyne.Layout.
func (cs columns) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for i, c := range cs {
		size.Width += max(c.width, c.share*16)
		size.Height = max(size.Height, objects[i].MinSize().Height)
	}
	size.Width += columnGap * float32(len(cs)-1)
	return size
}

// row makes a row of cut texts, one a column.
func (cs columns) row(cell func(column) *text) *fyne.Container {
	texts := make([]fyne.CanvasObject, len(cs))
	for i, col := range cs {
		t := cell(col).clipped()
		if col.right {
			t.right()
		}
		texts[i] = t
	}
	return container.New(cs, texts...)
}

// header is the row of titles, inset as a list insets its rows.
func (cs columns) header() fyne.CanvasObject {
	return inset(cs.row(func(c column) *text { return caption(c.title) }), 4, rowInset+4, 4, rowInset)
}

const rowInset = gap // the right has 4 more, for the scroll bar

// listRow gives a list's row its height and side insets.
func (cs columns) listRow() fyne.CanvasObject {
	return inset(cs.row(func(column) *text { return newText("") }), rowInset-2, rowInset+4, rowInset-2, rowInset)
}

// cell gives the i-th text of a row made by listRow.
func cell(row fyne.CanvasObject, i int) *text {
	return row.(*fyne.Container).Objects[0].(*fyne.Container).Objects[i].(*text)
}
