package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// gridCell draws one allowance: its figures, its bar, and an icon where the level asks for one. What is set in this very
// cell is bold; what is inherited is plain and quiet.
type gridCell struct {
	widget.BaseWidget
	cell     live.Cell
	unit     live.Unit
	selected bool
	height   float32
	drawn    float32 // the height that it was drawn for
}

// textSize is small where rows are so low that nothing else fits.
func (c *gridCell) textSize() fyne.ThemeSizeName { return rowTextSize(c.height) }

func rowTextSize(height float32) fyne.ThemeSizeName {
	if height < denseRow {
		return theme.SizeNameCaptionText
	}
	return theme.SizeNameText
}

func newGridCell(height float32) *gridCell {
	c := &gridCell{height: height}
	c.ExtendBaseWidget(c)
	return c
}

// set changes what the cell shows, and redraws it only if that differs.
func (c *gridCell) set(cell live.Cell, unit live.Unit, selected bool) {
	same := c.drawn == c.height && c.unit == unit && c.selected == selected && c.cell.SetHere(unit) == cell.SetHere(unit) && c.cell.Shows(unit) == cell.Shows(unit) &&
		c.cell.Editable(unit) == cell.Editable(unit) && c.cell.Budget(unit).Same(cell.Budget(unit)) && c.blocked() == blocked(cell, unit)
	c.cell, c.unit, c.selected, c.drawn = cell, unit, selected, c.height
	if !same {
		c.Refresh()
	}
}

func (c *gridCell) blocked() string { return blocked(c.cell, c.unit) }

// blocked says which other unit is spent, if one stands in the way.
func blocked(cell live.Cell, unit live.Unit) string {
	if by, yes := cell.Blocked(unit); yes {
		return by.String() + " spent"
	}
	return ""
}

// words are the cell's figures in full, and shortened for where there is too little room; the full figures of the cell
// in focus stand below the grid.
func (c *gridCell) words() (full, short string) {
	if words := c.blocked(); words != "" {
		return words, words
	}
	full, short = c.wordsBy(c.unit.Figure), c.wordsBy(c.unit.ShortFigure)
	if full == notAllowed {
		short = "no"
	}
	return full, short
}

const notAllowed = "not allowed"

func (c *gridCell) wordsBy(figure func(int64) string) string {
	b := c.cell.Budget(c.unit)
	switch level := b.Level(); {
	case !c.cell.Editable(c.unit) && !c.cell.Measured:
		return "–"
	case !c.cell.Editable(c.unit):
		return figure(b.Used)
	case level == live.NotAllowed:
		return notAllowed
	case level == live.Unlimited && !c.cell.Shows(c.unit):
		return "no limit"
	case level == live.Unlimited:
		return figure(b.Used) + " · no limit"
	case !c.cell.Shows(c.unit):
		return figure(*b.Max)
	}
	return figure(b.Used) + " / " + figure(*b.Max)
}

// mark is the icon that goes with the cell's level, or nil.
func (c *gridCell) mark() fyne.Resource {
	level := c.cell.Budget(c.unit).Level()
	switch {
	case level == live.NotAllowed:
		return lockIcon
	case level == live.Spent || c.blocked() != "":
		return theme.ErrorIcon()
	case level == live.Near:
		return theme.WarningIcon()
	}
	return nil
}

func (c *gridCell) tone() fyne.ThemeColorName {
	level := c.cell.Budget(c.unit).Level()
	if c.blocked() != "" {
		return colorSpent
	}
	calm := colorQuiet
	if c.cell.SetHere(c.unit) {
		calm = theme.ColorNameForeground
	}
	return levelTone(level, calm)
}

// CreateRenderer implements fyne.Widget.
func (c *gridCell) CreateRenderer() fyne.WidgetRenderer {
	r := &gridCellRenderer{c: c, ground: canvas.NewRectangle(nil), line: canvas.NewText("", nil), icon: widget.NewIcon(nil), bar: newBar()}
	r.line.Alignment = fyne.TextAlignTrailing
	r.objects = []fyne.CanvasObject{r.ground, r.icon, r.line, r.bar}
	r.Refresh()
	return r
}

type gridCellRenderer struct {
	c       *gridCell
	ground  *canvas.Rectangle
	line    *canvas.Text
	icon    *widget.Icon
	bar     *bar
	mark    fyne.Resource
	tone    fyne.ThemeColorName
	objects []fyne.CanvasObject
}

const cellInset, markSize float32 = 6, 14

func (r *gridCellRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	inner := size.Width - 2*cellInset
	line := whole(r.line.MinSize()).Height
	bars := barHeight
	if !r.bar.Visible() {
		bars = 0
	}
	top := floor((size.Height - line - bars) / 2)
	if r.c.height < denseRow { // no room for both below one another: a finer bar underlines the figures
		top, bars = floor((size.Height-line)/2)-1, barHeight/2
	}
	room := inner
	if r.mark != nil {
		room -= markSize + 2
	}
	r.line.Text = r.fitting(room)
	r.line.Move(fyne.NewPos(size.Width-cellInset-room, top))
	r.line.Resize(fyne.NewSize(room, r.line.MinSize().Height))
	r.icon.Move(fyne.NewPos(cellInset, top+floor((line-markSize)/2)))
	r.icon.Resize(fyne.NewSize(markSize, markSize))
	r.bar.Move(fyne.NewPos(cellInset, min(top+line, size.Height-bars)))
	r.bar.Resize(fyne.NewSize(inner, max(bars, barHeight/2)))
}

func (r *gridCellRenderer) fitting(room float32) string {
	full, short := r.c.words()
	if fyne.MeasureText(full, r.line.TextSize, r.line.TextStyle).Width <= room {
		return full
	}
	return short
}

func (r *gridCellRenderer) Refresh() {
	c := r.c
	r.ground.FillColor = toneColor(c, colorPanel)
	r.ground.StrokeWidth = 0
	r.ground.CornerRadius = 4
	if c.selected {
		r.ground.FillColor = toneColor(c, theme.ColorNameSelection)
		r.ground.StrokeColor, r.ground.StrokeWidth = toneColor(c, theme.ColorNamePrimary), 1
	}
	tone := c.tone()
	r.line.Color = toneColor(c, tone)
	r.line.TextSize = c.Theme().Size(c.textSize())
	r.line.TextStyle = fyne.TextStyle{Bold: c.cell.SetHere(c.unit)}
	if mark := c.mark(); mark != r.mark || tone != r.tone {
		r.mark, r.tone = mark, tone
		if mark != nil {
			r.icon.SetResource(theme.NewColoredResource(mark, tone))
		}
	}
	r.icon.Hidden = r.mark == nil
	r.bar.Hidden = !c.cell.Shows(c.unit) // everyone and the tiers have limits, not a day of their own
	r.bar.set(c.cell.Budget(c.unit))
	r.Layout(c.Size())
	r.ground.Refresh()
	r.line.Refresh()
	r.bar.Refresh()
}

func (r *gridCellRenderer) MinSize() fyne.Size           { return fyne.NewSize(72, r.c.height) }
func (r *gridCellRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *gridCellRenderer) Destroy()                     {}
