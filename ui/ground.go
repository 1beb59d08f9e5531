package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// ground is a rectangle in a theme colour that follows the theme.
type ground struct {
	widget.BaseWidget
	tone   fyne.ThemeColorName
	radius float32
}

func newGround(tone fyne.ThemeColorName, radius float32) *ground {
	g := &ground{tone: tone, radius: radius}
	g.ExtendBaseWidget(g)
	return g
}

// CreateRenderer implements fyne.Widget.
func (g *ground) CreateRenderer() fyne.WidgetRenderer {
	r := &groundRenderer{g, canvas.NewRectangle(nil)}
	r.Refresh()
	return r
}

type groundRenderer struct {
	g    *ground
	rect *canvas.Rectangle
}

func (r *groundRenderer) Refresh() {
	r.rect.FillColor = toneColor(r.g, r.g.tone)
	r.rect.CornerRadius = r.g.radius
	r.rect.Refresh()
}
func (r *groundRenderer) Layout(size fyne.Size)        { r.rect.Resize(size) }
func (r *groundRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *groundRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *groundRenderer) Destroy()                     {}
