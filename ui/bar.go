package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"perdiem/ui/live"
)

// toneColor is a theme colour as it is at this moment, for w.
func toneColor(w fyne.Widget, name fyne.ThemeColorName) color.Color {
	return theme.CurrentForWidget(w).Color(name, fyne.CurrentApp().Settings().ThemeVariant())
}

// barHeight is how thick a budget's bar is.
const barHeight float32 = 4

// bar shows one budget as a thin line: used solid, held lighter, the rest track. No limit is a dashed track; not allowed
// an empty one (its lock stands with the words beside it). It takes an amber or red tone with the budget's level.
type bar struct {
	widget.BaseWidget
	budget live.Budget
	plain  bool // a share of something, not a budget: full is not spent
}

func newBar() *bar {
	b := &bar{}
	b.ExtendBaseWidget(b)
	return b
}

// set changes what the bar shows, and redraws it only if that differs.
func (b *bar) set(budget live.Budget) {
	if b.budget.Same(budget) {
		return
	}
	b.budget = budget
	b.Refresh()
}

// levelTone is the colour that goes with a level; a word or an icon always goes with it too.
func levelTone(l live.Level, calm fyne.ThemeColorName) fyne.ThemeColorName {
	switch l {
	case live.Near:
		return colorAmber
	case live.Spent:
		return colorSpent
	case live.NotAllowed:
		return colorQuiet
	}
	return calm
}

// CreateRenderer implements fyne.Widget.
func (b *bar) CreateRenderer() fyne.WidgetRenderer {
	r := &barRenderer{b: b, track: canvas.NewRectangle(nil), held: canvas.NewRectangle(nil), used: canvas.NewRectangle(nil)}
	r.objects = []fyne.CanvasObject{r.track, r.held, r.used}
	r.Refresh()
	return r
}

type barRenderer struct {
	b                 *bar
	track, held, used *canvas.Rectangle
	dashes            []*canvas.Rectangle
	objects           []fyne.CanvasObject
}

const dash, dashGap float32 = 6, 4

func (r *barRenderer) Layout(size fyne.Size) {
	thick := min(barHeight, size.Height)
	y := (size.Height - thick) / 2
	used, held := r.b.budget.Shares()
	place := func(rect *canvas.Rectangle, from, to float32) {
		rect.Move(fyne.NewPos(from*size.Width, y))
		rect.Resize(fyne.NewSize((to-from)*size.Width, thick))
		rect.Hidden = to == from || r.b.budget.Level() == live.Unlimited // no width would still draw a speck
	}
	place(r.track, 0, 1)
	place(r.used, 0, used)
	place(r.held, used, used+held)
	if r.b.budget.Level() != live.Unlimited {
		return
	}
	r.dashed(size.Width)
	for i, d := range r.dashes {
		d.Hidden = float32(i)*(dash+dashGap)+dash > size.Width
		d.Move(fyne.NewPos(float32(i)*(dash+dashGap), y+thick/4))
		d.Resize(fyne.NewSize(dash, thick/2))
	}
}

// dashed makes as many dashes as the width holds.
func (r *barRenderer) dashed(width float32) {
	for float32(len(r.dashes)+1)*(dash+dashGap)-dashGap <= width {
		d := canvas.NewRectangle(toneColor(r.b, colorHeld))
		r.dashes = append(r.dashes, d)
		r.objects = append(r.objects, d)
	}
}

func (r *barRenderer) Refresh() {
	level := r.b.budget.Level()
	r.track.FillColor = toneColor(r.b, colorTrack)
	r.held.FillColor = toneColor(r.b, colorHeld)
	r.used.FillColor = toneColor(r.b, theme.ColorNamePrimary)
	if !r.b.plain {
		r.used.FillColor = toneColor(r.b, levelTone(level, theme.ColorNamePrimary))
	}
	for _, rect := range []*canvas.Rectangle{r.track, r.held, r.used} {
		rect.CornerRadius = barHeight / 2
	}
	if level == live.NotAllowed {
		r.track.FillColor, r.track.StrokeColor, r.track.StrokeWidth = color.Transparent, toneColor(r.b, colorTrack), 1
	} else {
		r.track.StrokeWidth = 0
	}
	for _, d := range r.dashes {
		d.Hidden = level != live.Unlimited
		d.FillColor = toneColor(r.b, colorHeld)
	}
	r.Layout(r.b.Size())
	for _, o := range r.objects {
		o.Refresh()
	}
}

func (r *barRenderer) MinSize() fyne.Size           { return fyne.NewSize(24, barHeight) }
func (r *barRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *barRenderer) Destroy()                     {}
