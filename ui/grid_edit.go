package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// TypedKey implements fyne.Focusable.
func (g *grid) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyUp:
		g.move(-1, 0)
	case fyne.KeyDown:
		g.move(1, 0)
	case fyne.KeyLeft:
		g.move(0, -1)
	case fyne.KeyRight:
		g.move(0, 1)
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeyF2, fyne.KeySpace:
		g.edit("")
	case fyne.KeyDelete, fyne.KeyBackspace:
		if g.chosen && g.data.Cells[g.at.Row][g.at.Col].Editable(g.unit) {
			g.save(g.at.Row, g.at.Col, nil, true)
		}
	}
}

// TypedRune implements fyne.Focusable: a figure typed on a cell begins its edit.
func (g *grid) TypedRune(r rune) {
	if r >= '0' && r <= '9' {
		g.edit(string(r))
	}
}

// Tapped implements fyne.Tappable: a tap brings a cell into focus, a tap on the one in focus begins its edit.
func (g *grid) Tapped(e *fyne.PointEvent) {
	before, was := g.at, g.chosen
	g.Table.Tapped(e)
	if was && before == g.at && !g.editing && g.over(e.Position) {
		g.edit("")
	}
}

// over tells whether a place in the table is on the cell in focus.
func (g *grid) over(p fyne.Position) bool {
	pos, size, ok := g.place()
	return ok && p.X >= pos.X && p.Y >= pos.Y && p.X < pos.X+size.Width && p.Y < pos.Y+size.Height
}

func (g *grid) move(rows, cols int) {
	if !g.chosen {
		rows, cols = 0, 0 // the first key only shows where one is
	}
	to := widget.TableCellID{
		Row: min(len(g.data.Rows)-1, max(0, g.at.Row+rows)),
		Col: min(len(g.data.Models)-1, max(0, g.at.Col+cols)),
	}
	if !g.chosen {
		g.UnselectAll()
	}
	g.Select(to)
}

// place is where the cell in focus stands within the table; ok is false while it is scrolled out of sight.
func (g *grid) place() (fyne.Position, fyne.Size, bool) {
	driver := fyne.CurrentApp().Driver()
	for c, id := range g.cells() {
		if id == g.at && c.Visible() && c.selected {
			return driver.AbsolutePositionForObject(c).Subtract(driver.AbsolutePositionForObject(g)), c.Size(), true
		}
	}
	return fyne.Position{}, fyne.Size{}, false
}

// edit puts the editor over the cell in focus, holding the limit as it is, or what was typed.
func (g *grid) edit(typed string) {
	if !g.chosen || g.editing {
		return
	}
	pos, size, ok := g.place()
	if !ok {
		return
	}
	cell := g.data.Cells[g.at.Row][g.at.Col]
	if !cell.Editable(g.unit) {
		return
	}
	text := typed
	if text == "" && cell.SetHere(g.unit) {
		text = g.unit.Text(cell.Limit(g.unit))
	}
	height := max(size.Height, g.editor.MinSize().Height)
	width := max(size.Width, 112)
	g.editor.SetPlaceHolder(g.unit.Text(cell.Limit(g.unit)))
	g.editor.SetText(text)
	g.editor.CursorColumn = len([]rune(text))
	g.editor.Move(fyne.NewPos(min(pos.X, max(0, g.Size().Width-width)), pos.Y+(size.Height-height)/2))
	g.editor.Resize(fyne.NewSize(width, height))
	g.editing = true
	g.editor.Show()
	g.focus(g.editor)
	if typed == "" {
		g.editor.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

// commit saves what was typed, then goes on by so many columns; text that is no limit keeps the editor open.
func (g *grid) commit(by int) {
	limit, inherit, err := g.unit.Parse(g.editor.Text)
	if err != nil {
		g.wrong(err)
		return
	}
	at := g.at
	g.leave()
	g.save(at.Row, at.Col, limit, inherit)
	if by != 0 {
		g.move(0, by)
		g.edit("")
	}
}

// leave takes the editor away without saving.
func (g *grid) leave() {
	if !g.editing {
		return
	}
	g.editing = false
	g.editor.Hide()
	if g.wrong != nil {
		g.wrong(nil)
	}
	g.focus(g)
}

func (g *grid) focus(on fyne.Focusable) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(g); c != nil {
		c.Focus(on)
	}
}
