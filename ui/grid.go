package ui

import (
	"image/color"
	"iter"
	"slices"
	"strings"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/meter"
	"perdiem/ui/live"
)

// grid is the table of allowances: people by models. It is driven whole by the keyboard: arrows move, Enter or a figure
// begins an edit in the cell itself, Enter saves, Tab saves and goes on to the next, Escape leaves it as it was.
type grid struct {
	widget.Table
	data   live.Grid
	unit   live.Unit
	at     widget.TableCellID
	chosen bool // a cell is in focus

	shown   map[weak.Pointer[gridCell]]widget.TableCellID // which cell shows which allowance, for updates without a redraw of all
	row     float32                                       // height of a row
	editor  *entry
	overlay *fyne.Container // holds the editor above the table
	editing bool

	focused func()                                         // another cell is in focus
	save    func(row, col int, limit *int64, inherit bool) // an edit is done
	fitted  func(row float32)                              // rows have another height from now on
	wrong   func(err error)                                // what was typed is no limit; nil takes it back
	content fyne.CanvasObject
	spacing *spacing
}

const (
	nameWidth            float32 = 176
	cellNarrow, cellWide float32 = 72, 176

	// Up to so many rows are drawn with so much room: forty people by twelve models are to be read at once.
	roomyRow, denseRow, tightRow float32 = 36, 24, 17
	roomyRows, denseRows                 = 16, 24
)

func newGrid() *grid {
	g := &grid{shown: map[weak.Pointer[gridCell]]widget.TableCellID{}, row: roomyRow, spacing: &spacing{}}
	g.Length = func() (int, int) { return len(g.data.Rows), len(g.data.Models) }
	g.CreateCell = func() fyne.CanvasObject { return newGridCell(g.row) }
	g.UpdateCell = func(id widget.TableCellID, o fyne.CanvasObject) {
		c := o.(*gridCell)
		g.shown[weak.Make(c)] = id
		g.draw(c, id)
	}
	g.ShowHeaderRow, g.ShowHeaderColumn, g.HideSeparators = true, true, true
	g.CreateHeader = func() fyne.CanvasObject { return newGridHead(g.row) }
	g.UpdateHeader = func(id widget.TableCellID, o fyne.CanvasObject) { g.head(o.(*gridHead), id) }
	g.OnSelected = g.lookAt
	g.ExtendBaseWidget(g)

	g.editor = newEntry("")
	g.editor.OnSubmitted = func(string) { g.commit(0) }
	g.editor.escape = g.leave
	g.editor.tab = func() { g.commit(1) }
	g.overlay = container.NewWithoutLayout(g.editor)
	g.editor.Hide()
	// The table's rows are a theme's padding apart. Only the table itself gets that theme, once: the container that this
	// makes would hand it to every cell, anew each time it comes into view, and Fyne loads all fonts again for each time.
	container.NewThemeOverride(g, g.spacing)
	g.content = container.New(&gridLayout{g}, g, g.overlay)
	return g
}

// set shows new data. Where only figures changed, only the cells in sight are redrawn.
func (g *grid) set(data live.Grid, unit live.Unit) {
	same := sameShape(g.data, data)
	at, chosen := g.found(data)
	g.data, g.unit = data, unit
	if same {
		for c, id := range g.cells() {
			g.draw(c, id)
		}
		return
	}
	g.leave()
	before := g.row
	g.row = rowHeight(len(data.Rows))
	if g.row != before {
		g.spacing.tight = g.row < denseRow
		g.fitted(g.row)
		g.SetRowHeight(-1, max(g.row, denseRow)) // the models' names stand off from tight rows
	}
	clear(g.shown)
	g.fitColumns(g.Size().Width)
	if !chosen || at != g.at {
		g.UnselectAll()
	}
	g.at, g.chosen = at, chosen
	g.Refresh()
}

// cells are the cells that the table has, each with what it shows. Those that it let go of are forgotten.
func (g *grid) cells() iter.Seq2[*gridCell, widget.TableCellID] {
	return func(yield func(*gridCell, widget.TableCellID) bool) {
		for ref, id := range g.shown {
			c := ref.Value()
			if c == nil {
				delete(g.shown, ref)
			} else if !yield(c, id) {
				return
			}
		}
	}
}

// found is where what is in focus stands in other data.
func (g *grid) found(in live.Grid) (at widget.TableCellID, ok bool) {
	if !g.chosen || g.at.Row >= len(g.data.Rows) || g.at.Col >= len(g.data.Models) {
		return at, false
	}
	if row, col, ok := in.Find(g.data.Rows[g.at.Row].Holder, g.data.Models[g.at.Col]); ok {
		return widget.TableCellID{Row: row, Col: col}, true
	}
	return at, false
}

// spacing is the theme as it is, with rows hardly apart where they are tight.
type spacing struct{ tight bool }

func (s *spacing) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	return fyne.CurrentApp().Settings().Theme().Color(name, variant)
}

func (s *spacing) Font(style fyne.TextStyle) fyne.Resource {
	return fyne.CurrentApp().Settings().Theme().Font(style)
}

func (s *spacing) Icon(name fyne.ThemeIconName) fyne.Resource {
	return fyne.CurrentApp().Settings().Theme().Icon(name)
}

func (s *spacing) Size(name fyne.ThemeSizeName) float32 {
	if s.tight && name == theme.SizeNamePadding {
		return 1
	}
	return fyne.CurrentApp().Settings().Theme().Size(name)
}

// rowHeight is how high each of so many rows is.
func rowHeight(rows int) float32 {
	switch {
	case rows > denseRows:
		return tightRow
	case rows > roomyRows:
		return denseRow
	}
	return roomyRow
}

func sameShape(a, b live.Grid) bool {
	return slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Models, b.Models)
}

func (g *grid) draw(c *gridCell, id widget.TableCellID) {
	if id.Row >= len(g.data.Rows) || id.Col >= len(g.data.Models) {
		return // a cell kept for reuse
	}
	c.height = g.row // it may have been drawn when there were fewer rows
	c.set(g.data.Cells[id.Row][id.Col], g.unit, g.chosen && id == g.at)
}

func (g *grid) head(h *gridHead, id widget.TableCellID) {
	h.fit(g.row)
	switch {
	case id.Row < 0 && id.Col < 0:
		h.set("", "", false)
	case id.Row < 0 && id.Col < len(g.data.Models):
		h.set(g.modelName(g.data.Models[id.Col]), "", true)
	case id.Col < 0 && id.Row < len(g.data.Rows):
		h.set(g.data.Rows[id.Row].Name, g.data.Rows[id.Row].Note, false)
	}
}

// modelName is a model's name without its provider, where that still tells it from the others.
func (g *grid) modelName(id string) string {
	if id == meter.AnyModel {
		return "Any model"
	}
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		return id
	}
	for _, other := range g.data.Models {
		if other != id && strings.HasSuffix(other, "/"+name) {
			return id
		}
	}
	return name
}

func (g *grid) lookAt(id widget.TableCellID) {
	g.leave()
	g.at, g.chosen = id, true
	for c, cid := range g.cells() {
		g.draw(c, cid)
	}
	if g.focused != nil {
		g.focused()
	}
}

// fitColumns shares the width out among the models, within what a cell can show.
func (g *grid) fitColumns(width float32) {
	n := float32(len(g.data.Models))
	if n == 0 || width <= 0 {
		return
	}
	pad := g.Theme().Size(theme.SizeNamePadding)
	each := min(cellWide, max(cellNarrow, float32(int((width-nameWidth)/n-pad))))
	for i := range g.data.Models {
		g.SetColumnWidth(i, each)
	}
}

// gridLayout gives table and editor the same place, and fits the columns when that changes.
type gridLayout struct{ g *grid }

// Layout implements fyne.Layout.
func (l *gridLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Resize(size)
	}
	l.g.leave() // the cell under the editor has moved
	l.g.fitColumns(size.Width)
}

// MinSize implements fyne.Layout.
func (l *gridLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(400, 200) }
